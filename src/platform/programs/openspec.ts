import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenSpecProgram } from '../../gate/ports.ts'
import { absolutePath, runProgram } from './program.ts'

const VERSION_MS = 10_000
const VALIDATE_MS = 30_000
const MAX_BYTES = 4 * 1024 * 1024

/** Variables for a program that the repository chooses: locations, and no secrets. */
const PASSED_VARIABLES = [
  'HOME',
  'USER',
  'LANG',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SystemRoot',
  'USERPROFILE',
  'APPDATA',
  'PATHEXT',
]

const reducedEnvironment = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    PASSED_VARIABLES.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  ),
  PATH: absolutePath(environment.PATH),
  NO_COLOR: '1',
  DO_NOT_TRACK: '1',
  OPENSPEC_TELEMETRY: '0',
})

/** The program in the repository's `node_modules`, else the one on the PATH; never one of a parent folder. */
const findProgram = async (root: string): Promise<string> => {
  const local = join(root, 'node_modules', '.bin', 'openspec')
  return access(local, constants.X_OK).then(
    () => local,
    () => 'openspec',
  )
}

export const openSpecProgram = (
  root: string,
  environment: NodeJS.ProcessEnv,
  limits: { readonly versionMs?: number; readonly validateMs?: number } = {},
): OpenSpecProgram => ({
  async run(args, signal) {
    const { versionMs = VERSION_MS, validateMs = VALIDATE_MS } = limits
    return runProgram(await findProgram(root), args, {
      cwd: root,
      env: reducedEnvironment(environment),
      ms: args[0] === '--version' ? versionMs : validateMs,
      bytes: MAX_BYTES,
      signal,
    })
  },
})
