import { isRecord, jsonOf } from '../../../kernel/encoding/json.ts'
import { escapeHidden } from '../../../kernel/text/hidden-characters.ts'
import type { ReaderName } from '../readers/check-readers.ts'
import type { DeclaringFiles } from './suggestion.ts'

export interface NodeTool {
  readonly name: string
  readonly program: string
  /** The package that has to be declared; undefined for a program that comes with Node.js. */
  readonly dependency: string | undefined
  /** Arguments when no script gives them; undefined when only a script shows how the tool is used. */
  readonly args: string | undefined
  /** A file of the root folder without which these arguments find nothing. */
  readonly config?: RegExp
  /** Names of scripts that show how the tool is used, the best first. */
  readonly scripts: readonly RegExp[]
  /** Arguments that are removed, because the reader needs others. */
  readonly without?: RegExp
  readonly add: string
  readonly reads: ReaderName
}

const REPORTERS = /(?:^|\s)(?:--reporters?(?:=|\s+)\S+|-R\s+\S+)/g
const FORMATS = /(?:^|\s)(?:--format(?:=|\s+)\S+|-f\s+\S+|-o\s+\S+|--reporter(?:=|\s+)\S+)/g
const TESTS = [/^unit$/, /^test[:-]unit$/, /^test$/, /^test[:-](?:ci|run|server|node|js)$/]
const LINTS = [
  /^lint$/,
  /^lint[:-](?:ci|js|ts|eslint|check)$/,
  /^(?:check|biome)(?:[:-](?:ci|lint))?$/,
  /lint/,
]

const LINT = { name: 'lint', scripts: LINTS, without: FORMATS }
const TEST = { name: 'tests', scripts: TESTS, without: REPORTERS, reads: 'junit' } as const
const VITEST = '--reporter=default --reporter=junit --outputFile.junit=$OUT'
const MOCHA = '--reporter xunit --reporter-option output=$OUT'
// Many projects run mocha in a browser, or from a program of their own.
const MOCHA_CONFIG = /^\.mocharc\./

/** A program in the package of its name. */
const own = (program: string) => ({ program, dependency: program })
const BIOME = { program: 'biome', dependency: '@biomejs/biome' }

/** How to run a tool so that its results can be read. The first that fits is suggested for each name. */
export const NODE_TOOLS: readonly NodeTool[] = [
  { ...LINT, ...own('eslint'), args: '.', add: '-f json -o $OUT', reads: 'eslint' },
  { ...LINT, ...BIOME, args: 'check .', add: '--reporter=github', reads: 'lines' },
  { ...LINT, ...own('oxlint'), args: '', add: '--format=unix', reads: 'lines' },
  {
    ...own('prettier'),
    name: 'format',
    args: undefined,
    scripts: [/format|prettier/],
    add: '',
    reads: 'exit',
  },
  { ...TEST, ...own('vitest'), args: 'run', add: VITEST },
  { ...TEST, ...own('mocha'), args: '', config: MOCHA_CONFIG, add: MOCHA },
  { ...own('jest'), name: 'tests', args: '', scripts: TESTS, add: '', reads: 'exit' },
  {
    name: 'tests',
    program: 'node',
    dependency: undefined,
    args: undefined,
    scripts: TESTS,
    add: '',
    reads: 'junit',
  },
]

/** `node --test` takes its reporters before the files. */
const nodeTest = (args: string): string | undefined =>
  /(?:^|\s)--test(?:\s|$)/.test(args)
    ? args.replace(/(^|\s)--test(?=\s|$)/, '$1--test --test-reporter=junit --test-reporter-destination=$OUT')
    : undefined

/** The arguments with which the results of a tool can be read; undefined when a script is needed to know them. */
export const toolArguments = (tool: NodeTool, simple: SimpleCommand | undefined): string | undefined => {
  const given = simple === undefined ? tool.args : simple.args
  if (given === undefined) return undefined
  if (tool.program === 'node') return nodeTest(given)
  if (tool.program === 'prettier' && !/--check|-c\b/.test(given)) return undefined
  const kept =
    tool.without === undefined ? given : given.replace(tool.without, ' ').replace(/\s+/g, ' ').trim()
  // `vitest` alone watches; `biome format` alone is the formatter.
  const isMissingRun = tool.program === 'vitest' && !/^run\b|\s--run\b/.test(` ${kept}`.trimStart())
  return [isMissingRun ? 'run' : '', kept].filter((part) => part !== '').join(' ')
}

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
  const manifest = jsonOf(text ?? '')
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
interface SimpleCommand {
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
