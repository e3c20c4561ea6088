import { isRecord } from '../../../kernel/encoding/json.ts'
import { escapeHidden } from '../../../kernel/text/hidden-characters.ts'
import type { DeclaringFiles } from './suggestion.ts'

export interface NodePackage {
  readonly scripts: ReadonlyMap<string, string>
  readonly dependencies: ReadonlySet<string>
  readonly manager: PackageManager
}

interface PackageManager {
  readonly name: string
  /** Runs a program of `node_modules/.bin`. */
  readonly exec: string
  readonly install: string
}

const MANAGERS: readonly (PackageManager & { readonly locks: readonly string[] })[] = [
  { name: 'pnpm', exec: 'pnpm exec', install: 'pnpm install --frozen-lockfile', locks: ['pnpm-lock.yaml'] },
  { name: 'yarn', exec: 'yarn', install: 'yarn install', locks: ['yarn.lock'] },
  { name: 'bun', exec: 'bunx', install: 'bun install', locks: ['bun.lock', 'bun.lockb'] },
  { name: 'npm', exec: 'npx', install: 'npm ci', locks: ['package-lock.json', 'npm-shrinkwrap.json'] },
]
const NPM: PackageManager = { name: 'npm', exec: 'npx', install: 'npm install' }

const findManager = (manifest: Record<string, unknown>, names: ReadonlySet<string>): PackageManager => {
  const declared = typeof manifest.packageManager === 'string' ? manifest.packageManager : ''
  const byName = MANAGERS.find(({ name }) => declared.startsWith(`${name}@`))
  return byName ?? MANAGERS.find(({ locks }) => locks.some((lock) => names.has(lock))) ?? NPM
}

const MAX_SCRIPT = 500

/** Scripts that a person can read: short, in one line, without hidden characters. */
const readScripts = (manifest: Record<string, unknown>): ReadonlyMap<string, string> => {
  const scripts = isRecord(manifest.scripts) ? Object.entries(manifest.scripts) : []
  return new Map(
    scripts.filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' &&
        entry[1].length <= MAX_SCRIPT &&
        /^[\w:.@/-]{1,60}$/.test(entry[0]) &&
        !/[\n\r]/.test(entry[1]) &&
        escapeHidden(entry[1]) === entry[1],
    ),
  )
}

/** `package.json` of a folder, `''` for the root. Undefined when there is none, or it is not JSON. */
export const readPackage = async (files: DeclaringFiles, folder = ''): Promise<NodePackage | undefined> => {
  const text = await files.read(`${folder}package.json`)
  let manifest: unknown
  try {
    manifest = JSON.parse(text ?? '')
  } catch {
    return undefined
  }
  if (!isRecord(manifest)) return undefined
  const { dependencies, devDependencies } = manifest
  const all = [dependencies, devDependencies].flatMap((one) => (isRecord(one) ? Object.keys(one) : []))
  return {
    scripts: readScripts(manifest),
    dependencies: new Set(all),
    manager: findManager(manifest, files.names),
  }
}

/** A script that runs one program: variables before it, its name and its arguments. */
export interface SimpleCommand {
  readonly script: string
  readonly variables: string
  readonly args: string
}

/** Arguments that change files or never end: such a script is no check. */
const WRITES = /(?:^|\s)(?:--fix\S*|--write|--unsafe|--watch|-w|-u|--update\S*|--ui|--apply\S*)(?=\s|$|=)/

export const writesFiles = (command: string): boolean => WRITES.test(command)

const COMMAND = /^(?:cross-env\s+)?((?:[A-Z_][A-Z0-9_]*=\S+\s+)*)(?:npx\s+|bunx\s+)?(\S+)\s*(.*)$/

/** The part of a script that runs the program; parts are joined by `&&`. */
const parseScript = (script: string, command: string, program: string): SimpleCommand | undefined => {
  for (const part of command.split(/\s+&&\s+/)) {
    if (/[;&|<>`]|\$\(/.test(part) || writesFiles(part)) continue
    const [, variables = '', word, args = ''] = COMMAND.exec(part.trim()) ?? []
    if (word === program) return { script, variables, args: args.trim() }
  }
  return undefined
}

/** How scripts run a program: that of the script whose name fits the earliest pattern. */
export const findSimple = (
  { scripts }: NodePackage,
  program: string,
  patterns: readonly RegExp[],
): SimpleCommand | undefined =>
  patterns
    .flatMap((pattern) => [...scripts].filter(([script]) => pattern.test(script)))
    .map(([script, command]) => parseScript(script, command, program))
    .find((found) => found !== undefined)
