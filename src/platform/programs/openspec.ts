import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenSpecProgram } from '../../gate/ports.ts'
import { absolutePath, runProgram } from './program.ts'

const VERSION_MS = 10_000
const VALIDATE_MS = 30_000
const MAX_BYTES = 4 * 1024 * 1024

/** What a program of the repository's choosing may know of us: where things are, and no secret. */
const KEPT = [
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

const leanEnvironment = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(KEPT.flatMap((name) => (environment[name] ? [[name, environment[name]]] : []))),
  PATH: absolutePath(environment.PATH),
  NO_COLOR: '1',
  DO_NOT_TRACK: '1',
  OPENSPEC_TELEMETRY: '0',
})

/** The program of the repository itself, else the one on the path; never one of a folder above. */
const findProgram = async (root: string): Promise<string> => {
  const own = join(root, 'node_modules', '.bin', 'openspec')
  return access(own, constants.X_OK).then(
    () => own,
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
      env: leanEnvironment(environment),
      ms: args[0] === '--version' ? versionMs : validateMs,
      bytes: MAX_BYTES,
      signal,
    })
  },
})
