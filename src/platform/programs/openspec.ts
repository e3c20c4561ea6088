import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { OpenSpecProgram } from '../../gate/ports.ts'
import { optional } from '../../kernel/optional.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { absolutePath, runProgram } from './program.ts'

const VERSION_MS = 10_000
const VALIDATE_MS = 30_000
const MAX_BYTES = 4 * 1024 * 1024

/** The variables of the environment that it gets: locations, and no secrets. */
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
  NO_COLOR: '1',
  DO_NOT_TRACK: '1',
  OPENSPEC_TELEMETRY: '0',
})

/** The path without symlinks; as given where it does not exist. */
const realPath = (path: string): Promise<string> => realpath(path).catch(() => path)

const isExecutable = async (path: string): Promise<boolean> => {
  const isFile = await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  )
  return (
    isFile &&
    access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
  )
}

/** Absolute entries of PATH outside the repository: npx and npm put its `node_modules/.bin` there. */
const outsideEntries = async (root: string, path = ''): Promise<readonly string[]> => {
  const entries = absolutePath(path).split(delimiter)
  const real = await Promise.all(entries.map(realPath))
  return entries.filter((entry, at) => entry !== '' && !isPathInside(root, real[at] ?? entry))
}

const OWN = join('node_modules', '.bin', 'openspec')

export interface OpenSpecOptions {
  /** The program that the operator named, absolute. */
  readonly named?: string | undefined
  /** Whether the named program may be a file of the repository. */
  readonly fromRepository?: boolean
  readonly versionMs?: number
  readonly validateMs?: number
}

interface FoundProgram {
  readonly path?: string
  /** Why a program of the repository is not used. */
  readonly note?: string
}

const UNNAMED = `${OWN} of the repository is not run unless you name it: --openspec ${OWN}, or WARRANT_OPENSPEC.`
const REFUSED =
  'The named program is a file of the repository, which is not run in CI, in read-only mode or by a tool that only reads.'

/** The named program, else the first on PATH. A file of the repository only when the operator named it. */
const findProgram = async (
  given: string,
  path: readonly string[],
  { named, fromRepository = false }: OpenSpecOptions,
): Promise<FoundProgram> => {
  const root = await realPath(given)
  const isOutside = async (file: string) => !isPathInside(root, await realPath(file))
  const refused = named !== undefined && !fromRepository && !(await isOutside(named))
  if (named !== undefined && !refused) return (await isExecutable(named)) ? { path: named } : {}
  for (const folder of path) {
    const file = join(folder, 'openspec')
    if ((await isExecutable(file)) && (await isOutside(file))) return { path: file }
  }
  if (refused) return { note: REFUSED }
  return (await isExecutable(join(root, OWN))) ? { note: UNNAMED } : {}
}

export const openSpecProgram = (
  root: string,
  environment: NodeJS.ProcessEnv,
  options: OpenSpecOptions = {},
): OpenSpecProgram => {
  const { versionMs = VERSION_MS, validateMs = VALIDATE_MS } = options
  const locate = async () => {
    const path = await outsideEntries(await realPath(root), environment.PATH)
    return { path, program: await findProgram(root, path, options) }
  }
  return {
    async find() {
      const { program } = await locate()
      return { exists: program.path !== undefined, ...optional({ note: program.note }) }
    },
    async run(args, signal) {
      const { path, program } = await locate()
      if (program.path === undefined) return undefined
      return runProgram(program.path, args, {
        cwd: root,
        env: { ...reducedEnvironment(environment), PATH: path.join(delimiter) },
        ms: args[0] === '--version' ? versionMs : validateMs,
        bytes: MAX_BYTES,
        signal,
      })
    },
  }
}
