import { realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckPorts } from '../../../gate/checks/check.ts'
import { digestBytes, digestJson } from '../../../kernel/encoding/hash.ts'
import { isRecord } from '../../../kernel/encoding/json.ts'
import { checkCache } from '../../../platform/files/check-cache.ts'
import { privateState, userRecord } from '../../../platform/files/user-state.ts'
import { coreCount, runCommand } from '../../../platform/programs/command.ts'
import { absolutePath } from '../../../platform/programs/program.ts'
import type { Config } from '../../config/settings.ts'

/** The checks files that a person allowed, kept for this user outside of every repository. */

/** One allowed checks file. Its text is kept to show what a later version changes. */
interface AllowedFile {
  readonly digest: string
  readonly text: string
}

const MAX_ALLOWED = 20
const MAX_BYTES = 4 * 1024 * 1024

const isAllowedFile = (value: unknown): value is AllowedFile =>
  isRecord(value) && typeof value.digest === 'string' && typeof value.text === 'string'

/** By path, and by number and birth of the root: another repository may be cloned at the same path later. */
const repositoryRecord = (root: string) =>
  userRecord(() => {
    const real = realpathSync(root)
    const { dev, ino, birthtimeNs } = statSync(real, { bigint: true })
    const name = digestBytes(`${dev}:${ino}:${birthtimeNs}:${real}`).slice('sha256:'.length, 39)
    return join(privateState(process.env), 'checks', `${name}.json`)
  }, MAX_BYTES)

/** Newest first. */
export const readAllowed = async (root: string): Promise<readonly AllowedFile[]> => {
  const value = await repositoryRecord(root).read()
  return isRecord(value) && Array.isArray(value.allowed) ? value.allowed.filter(isAllowedFile) : []
}

/** Remembers that a person allowed this text. False when it could not be kept. */
export const rememberAllowed = async (root: string, text: string): Promise<boolean> => {
  const digest = digestBytes(text)
  const others = (await readAllowed(root)).filter((one) => one.digest !== digest)
  await repositoryRecord(root).write({ root, allowed: [{ digest, text }, ...others].slice(0, MAX_ALLOWED) })
  return (await readAllowed(root)).some((one) => one.digest === digest)
}

/** Variables that every check gets where they are set: places, language, versions of tools. No secret is among them. */
const PASSED = [
  'CI',
  'HOME',
  'LANG',
  'LANGUAGE',
  'LC_ALL',
  'LC_CTYPE',
  'LOGNAME',
  'SHELL',
  'TEMP',
  'TMP',
  'TMPDIR',
  'TZ',
  'USER',
  'XDG_CACHE_HOME',
  'ANDROID_HOME',
  'CARGO_HOME',
  'GOCACHE',
  'GOMODCACHE',
  'GOPATH',
  'GOROOT',
  'JAVA_HOME',
  'NVM_DIR',
  'PYENV_ROOT',
  'RUSTUP_HOME',
  'VIRTUAL_ENV',
  'APPDATA',
  'COMSPEC',
  'LOCALAPPDATA',
  'PATHEXT',
  'SYSTEMROOT',
  'SystemRoot',
  'USERPROFILE',
]

/** Plain output; and npx does not download a program that is not installed. */
const FIXED = { NO_COLOR: '1', FORCE_COLOR: '0', TERM: 'dumb', npm_config_yes: 'false' }

const checkEnvironment = (environment: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv => ({
  ...FIXED,
  ...Object.fromEntries(
    [...PASSED, ...names].flatMap((name) => {
      const value = environment[name]
      return value === undefined ? [] : [[name, value]]
    }),
  ),
  PATH: absolutePath(environment.PATH),
})

interface CheckContext {
  readonly root: string
  readonly environment: NodeJS.ProcessEnv
  /** Digests of checks files that an option of this run allows. */
  readonly allowed: readonly string[]
}

/** The ports of the checks for one repository. */
export const openChecks = (config: Config, { root, environment, allowed }: CheckContext): CheckPorts => ({
  root,
  refusal: config.readOnly ? 'read-only mode runs no commands of the repository' : undefined,
  consent: async (digests) => {
    if (digests.some((digest) => allowed.includes(digest))) return 'option'
    const known = new Set((await readAllowed(root)).map(({ digest }) => digest))
    return digests.some((digest) => known.has(digest)) ? 'user' : undefined
  },
  runCommand: (request, signal) =>
    runCommand(request, { cwd: root, env: checkEnvironment(environment, request.env) }, signal),
  environmentDigest: (names) => digestJson(checkEnvironment(environment, names)),
  cache: checkCache(() => join(privateState(environment), 'check-results')),
  places: coreCount(),
})
