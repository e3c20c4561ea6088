import { relative, resolve, sep } from 'node:path'
import type { OpenGate } from '../../app/open/gate.ts'
import { SEVERITIES } from '../../evidence/compare.ts'
import { GATE_STAGES, type GateStage, isBuildServer } from '../../evidence/stage.ts'
import { isEmptyRange, pushedRefScopes, readRange } from '../../gate/facts/scope.ts'
import type { ChangeSet, GitReader, Scope } from '../../gate/ports.ts'
import type { FindingLimits } from '../../gate/reports/select.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { readCount, textFlag } from '../command/subcommand.ts'
import { CHANGE_SCOPES } from './options.ts'

interface Inferred {
  readonly stage: GateStage
  /** Set when the environment names the commits. */
  readonly scope: Scope | undefined
}

/**
 * The stage when no option names it: `CI` marks a build server, the variables of the pre-commit framework a push.
 * Otherwise the next commit is judged.
 */
const inferStage = (environment: NodeJS.ProcessEnv): Inferred => {
  const { PRE_COMMIT_FROM_REF: from, PRE_COMMIT_TO_REF: to } = environment
  if (isBuildServer(environment)) return { stage: 'CI', scope: undefined }
  if (from && to) return { stage: 'PRE_PUSH', scope: { kind: 'range', from, to } }
  return { stage: 'PRE_COMMIT', scope: undefined }
}

/** Which findings the report shows. */
export const readLimits = (invocation: Invocation): FindingLimits => {
  const severity = textFlag(invocation, 'severity')?.toUpperCase()
  const max = textFlag(invocation, 'max')
  return {
    severity: severity === undefined ? undefined : readChoice(SEVERITIES, severity, 'severity'),
    // 0 is no limit.
    max: max === undefined ? undefined : readCount(max, '--max') || Number.POSITIVE_INFINITY,
  }
}

/** The files and folders that the arguments name, relative to the root. */
export const pickPaths = async (
  { positionals }: Invocation,
  { root, files }: OpenGate,
  cwd: string,
): Promise<readonly string[]> => {
  const paths: string[] = []
  for (const named of positionals) {
    const path = resolve(cwd, named)
    const name = isPathInside(root, path) ? relative(root, path).replaceAll(sep, '/') : undefined
    if (name === undefined || (name !== '' && !(await files.exists(name))))
      throw usageFaults.argument(`there is no file or folder ${JSON.stringify(named)} in the repository`)
    paths.push(name)
  }
  return paths
}

/** The gate, which judges only some of the files. */
export const limitGate = (gate: OpenGate, isInside: (path: string) => boolean): OpenGate => ({
  ...gate,
  ports: {
    ...gate.ports,
    change: { ...gate.ports.change, git: limitFiles(gate.ports.change.git, isInside) },
  },
})

/** Named files are judged as they are, changed or not, unless an option asks for a change. */
export const pathScope = ({ flags }: Invocation, paths: readonly string[]): Scope | undefined =>
  paths.length > 0 && flags.stage === undefined ? { kind: 'repository' } : undefined

/** Whether a path is one of these files, or below one of these folders; '' is the root. */
export const pathFilter =
  (paths: readonly string[]) =>
  (path: string): boolean =>
    paths.some((one) => one === '' || path === one || path.startsWith(`${one}/`))

const limitChanges = (set: ChangeSet, isInside: (path: string) => boolean): ChangeSet => ({
  ...set,
  changes: set.changes.filter(({ path }) => isInside(path)),
  links: (set.links ?? []).filter(isInside),
  submodules: (set.submodules ?? []).filter(isInside),
  identify: async (signal) => (await set.identify(signal)).filter(({ path }) => isInside(path)),
})

/** The repository, of which only some files are judged. */
const limitFiles = (git: GitReader, isInside: (path: string) => boolean): GitReader => ({
  ...git,
  changes: async (scope, signal) => limitChanges(await git.changes(scope, signal), isInside),
})

/** Never aborted: the command runs until it is done. */
export const NEVER_ABORTED = new AbortController().signal

export const readChoice = <const T extends string>(all: readonly T[], value: string, flag: string): T => {
  const found = all.find((one) => one === value)
  if (found === undefined) throw usageFaults.option(`--${flag} must be one of ${all.join(', ')}`)
  return found
}

/** The files to check, when the options name them. */
export const pickScope = (invocation: Invocation): Scope | undefined => {
  const range = textFlag(invocation, 'range')
  const scope = textFlag(invocation, 'scope')
  const all = invocation.flags.all === true
  if ([range, scope, all || undefined].filter((one) => one !== undefined).length > 1) {
    throw usageFaults.option('choose one of --range, --scope, --all')
  }
  if (all) return { kind: 'repository' }
  if (scope !== undefined) return { kind: readChoice(CHANGE_SCOPES, scope, 'scope') }
  if (range === undefined) return undefined
  const read = readRange(range)
  if (read === undefined) throw usageFaults.option('--range must be two commits, such as origin/main..HEAD')
  return read
}

export const pickStage = async (
  invocation: Invocation,
  scope: Scope | undefined,
  git: GitReader,
): Promise<{ readonly stage: GateStage; readonly scope: Scope | undefined }> => {
  const given = textFlag(invocation, 'stage')
  if (given !== undefined) return { stage: readChoice(GATE_STAGES, given.toUpperCase(), 'stage'), scope }
  const inferred = inferStage(process.env)
  // A range without commits judges nothing. Frameworks run no hook for it, so it was set by hand.
  const named = inferred.scope && !(await isEmptyRange(git, inferred.scope, NEVER_ABORTED))
  return { stage: inferred.stage, scope: scope ?? (named ? inferred.scope : undefined) }
}

/** What is judged, one after the other: a push may send several refs. An undefined scope is that of the stage. */
export const pickScopes = async (
  invocation: Invocation,
  { stage, scope }: { readonly stage: GateStage; readonly scope: Scope | undefined },
  git: GitReader,
): Promise<readonly (Scope | undefined)[]> => {
  if (stage !== 'PRE_PUSH' || scope !== undefined) return [scope]
  const refs = await (await import('./push-refs.ts')).readPushedRefs()
  const remote = textFlag(invocation, 'remote') ?? 'origin'
  return refs === undefined ? [undefined] : pushedRefScopes({ git, remote }, refs, NEVER_ABORTED)
}
