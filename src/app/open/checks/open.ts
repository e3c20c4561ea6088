import { join } from 'node:path'
import type { CheckPorts } from '../../../gate/checks/ports.ts'
import { digestJson } from '../../../kernel/encoding/hash.ts'
import { checkCache } from '../../../platform/files/check-cache.ts'
import { userStateFolder } from '../../../platform/files/user-state.ts'
import { coreCount, runCommand } from '../../../platform/programs/command.ts'
import { absolutePath } from '../../../platform/programs/program.ts'
import type { Config } from '../../config/settings.ts'
import { readAllowed } from './allowed.ts'

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
  cache: checkCache(() => join(userStateFolder(environment), 'check-results')),
  places: coreCount(),
})
