import { join, relative, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../kernel/encoding/json.ts'
import { isPathInside } from '../kernel/text/path-inside.ts'
import { scriptBlock } from './editors/edit-script.ts'
import { yamlEntry } from './editors/edit-yaml.ts'
import type { FileEntry, Removal } from './editors/insertion.ts'
import {
  EMPTY_HOOK,
  HOOK_NAMES,
  type HookName,
  writeCommittedBlock,
  writeCommittedLine,
  writeProgramBlock,
} from './git-hooks/hook-script.ts'
import {
  type HookManager,
  hookGenerator,
  huskyFolder,
  LEFTHOOK_FILES,
  PRE_COMMIT_FILE,
  startsGate,
} from './git-hooks/install-hooks.ts'
import type { GitMetadataFiles, RepositoryPlaces } from './git-hooks/ports.ts'
import type { SetupPlace } from './ports.ts'
import { scriptTarget, type TargetFile, textTarget } from './target-file.ts'

const NAME = 'warrant'

/** How lefthook starts the gate. It passes the refs of a push only to steps that ask for stdin. */
const LEFTHOOK_ARGS: Readonly<Record<HookName, string>> = {
  'pre-commit': 'gate --stage PRE_COMMIT',
  'pre-push': 'gate --stage PRE_PUSH --remote={1}',
}

const writeStep = (hook: HookName, strict: boolean) => ({
  ...(hook === 'pre-push' && { use_stdin: true }),
  run: writeCommittedLine(LEFTHOOK_ARGS[hook], strict),
})

const isEither = (value: unknown, write: (strict: boolean) => unknown): boolean =>
  [true, false].some((strict) => isDeepStrictEqual(value, write(strict)))

/** A step as a job or as a command: lefthook has both, and a file usually uses one of them. */
const lefthookForms = (hook: HookName, strict: boolean) => ({
  job: yamlEntry({
    path: [hook, 'jobs'],
    value: { name: NAME, ...writeStep(hook, strict) },
    mentions: (value) => isRecord(value) && value.name === NAME,
    isOurs: (value) => isEither(value, (one) => ({ name: NAME, ...writeStep(hook, one) })),
  }),
  command: yamlEntry({
    path: [hook, 'commands'],
    key: NAME,
    value: writeStep(hook, strict),
    mentions: () => true,
    isOurs: (value) => isEither(value, (one) => writeStep(hook, one)),
  }),
})

const hasJobs = async (text: string, hook: HookName): Promise<boolean> => {
  const { parse } = await import('yaml')
  try {
    const value: unknown = parse(text, { logLevel: 'error', maxAliasCount: 100 })
    const step = isRecord(value) ? value[hook] : undefined
    return isRecord(step) && Array.isArray(step.jobs)
  } catch {
    return false
  }
}

const lefthookStep = (hook: HookName, strict: boolean): FileEntry => {
  const { job, command } = lefthookForms(hook, strict)
  return {
    shown: `${hook}:\n  commands:\n    ${NAME}:\n${Object.entries(writeStep(hook, strict))
      .map(([key, value]) => `      ${key}: ${value}`)
      .join('\n')}`,
    insert: async (text) => {
      if (startsGate(text, hook)) return []
      return (await hasJobs(text, hook)) ? job.insert(text) : command.insert(text)
    },
    remove: async (text, written): Promise<Removal> => {
      const removed = await command.remove(text, written)
      return removed === 'absent' ? job.remove(text, written) : removed
    },
  }
}

export const lefthookSteps = (strict: boolean): readonly FileEntry[] =>
  HOOK_NAMES.map((hook) => lefthookStep(hook, strict))

const PRE_COMMIT_ID = 'warrant-gate'

/** Without `stages`, whose names depend on the version of pre-commit: the gate finds out what it is called for. */
const writePreCommit = (strict: boolean) => ({
  repo: 'local',
  hooks: [
    {
      id: PRE_COMMIT_ID,
      name: 'warrant gate',
      entry: `sh -c '${writeCommittedLine('gate', strict)}'`,
      language: 'system',
      pass_filenames: false,
      always_run: true,
      require_serial: true,
    },
  ],
})

const preCommitHooks = (value: unknown): readonly unknown[] =>
  isRecord(value) && Array.isArray(value.hooks) ? value.hooks : []

export const preCommitStep = (strict: boolean): FileEntry => {
  const entry = yamlEntry({
    path: ['repos'],
    value: writePreCommit(strict),
    mentions: (value) => preCommitHooks(value).some((hook) => isRecord(hook) && hook.id === PRE_COMMIT_ID),
    isOurs: (value) => isEither(value, writePreCommit),
  })
  const { repo, hooks } = writePreCommit(strict)
  const [hook = {}] = hooks
  return {
    ...entry,
    shown: [
      'repos:',
      `  - repo: ${repo}`,
      '    hooks:',
      ...Object.entries(hook).map(([key, value], at) => `      ${at === 0 ? '-' : ' '} ${key}: ${value}`),
    ].join('\n'),
  }
}

/** How a repository manages its git hooks. */
export interface HookSetup {
  readonly manager: HookManager | undefined
  /** The file of the manager, from the top of the working tree. */
  readonly file: string | undefined
  /** Hooks that git starts through the manager in this clone. */
  readonly active: ReadonlySet<HookName>
}

/** What the repository says about its hooks. */
interface HookFacts {
  readonly places: RepositoryPlaces
  readonly files: Pick<GitMetadataFiles, 'read' | 'real'>
  /** Whether a path of the working tree exists. */
  readonly exists: (path: string) => Promise<boolean>
  /** Names of the packages that package.json lists. */
  readonly packages: ReadonlySet<string>
}

const firstExisting = async (names: readonly string[], exists: HookFacts['exists']) => {
  for (const name of names) if (await exists(name)) return name
  return undefined
}

export const findHookSetup = async ({ places, files, exists, packages }: HookFacts): Promise<HookSetup> => {
  if (huskyFolder(places) !== undefined)
    return { manager: 'husky', file: '.husky', active: new Set(HOOK_NAMES) }
  const generators = await Promise.all(
    HOOK_NAMES.map(async (hook) => ({
      hook,
      by: hookGenerator(await files.read(await files.real(join(places.hooks, hook)))),
    })),
  )
  const activeBy = (manager: HookManager) =>
    new Set(generators.flatMap(({ hook, by }) => (by === manager ? [hook] : [])))
  const lefthook = await firstExisting(LEFTHOOK_FILES, exists)
  const declared: Readonly<Record<HookManager, string | undefined>> = {
    husky: (await exists('.husky')) || packages.has('husky') ? '.husky' : undefined,
    lefthook,
    'pre-commit': (await exists(PRE_COMMIT_FILE)) ? PRE_COMMIT_FILE : undefined,
  }
  const generator = generators.find(({ by }) => by !== undefined && declared[by] !== undefined)?.by
  const managers: readonly HookManager[] = ['husky', 'lefthook', 'pre-commit']
  const manager = generator ?? managers.find((one) => declared[one] !== undefined)
  if (manager === undefined) return { manager, file: undefined, active: new Set() }
  return { manager, file: declared[manager], active: activeBy(manager) }
}

/** A hook of husky. A line that a person wrote for the gate is enough. */
const huskyBlock = (hook: HookName, strict: boolean): FileEntry => {
  const entry = scriptBlock(hook, writeCommittedBlock(hook, strict))
  return { ...entry, insert: async (text) => (startsGate(text, hook) ? [] : entry.insert(text)) }
}

const toPath = (from: string, to: string): string => relative(from, to).split(sep).join('/')

/** Where a hook file is; undefined outside of the repository. */
const locate = (
  { top, common }: RepositoryPlaces,
  path: string,
): { readonly place: SetupPlace; readonly path: string } | undefined => {
  if (isPathInside(common, path)) return { place: 'git', path: toPath(common, path) }
  return isPathInside(top, path) ? { place: 'tree', path: toPath(top, path) } : undefined
}

interface TargetOptions {
  readonly places: RepositoryPlaces
  readonly files: Pick<GitMetadataFiles, 'real'>
  /** Whether a committed hook refuses where Warrant is not installed. */
  readonly strict: boolean
  /** Path of the running program, for hooks that are not committed. */
  readonly program: string
}

/** A hook that git starts itself; undefined when it lies outside of the repository. */
const plainHook = async (
  { places, files, program }: TargetOptions,
  hook: HookName,
  folder = places.hooks,
  suffix = '',
): Promise<TargetFile | undefined> => {
  const located = locate(places, await files.real(join(folder, `${hook}${suffix}`)))
  const entry = scriptBlock(hook, writeProgramBlock(hook, program))
  return located && scriptTarget(located.place, located.path, EMPTY_HOOK, entry, suffix === '')
}

export const isDefined = <T>(value: T | undefined): value is T => value !== undefined

const managerTargets = ({ manager, file }: HookSetup, strict: boolean): TargetFile[] => {
  if (manager === undefined || file === undefined) return []
  if (manager === 'lefthook') return [textTarget(file, lefthookSteps(strict), false)]
  if (manager === 'pre-commit') return [textTarget(file, [preCommitStep(strict)], false)]
  return HOOK_NAMES.map((hook) =>
    scriptTarget('tree', `${file}/${hook}`, EMPTY_HOOK, huskyBlock(hook, strict)),
  )
}

/**
 * The files through which git comes to the gate. A manager that is not active in this clone has its own hooks put in
 * the place of ours when it is installed, so until then ours are needed. pre-commit would run both.
 */
export const hookTargets = async (
  setup: HookSetup,
  options: TargetOptions,
): Promise<{ readonly targets: readonly TargetFile[]; readonly outside: boolean }> => {
  const { manager, active } = setup
  const plain = HOOK_NAMES.filter(
    (hook) => !active.has(hook) && !(manager === 'pre-commit' && hook === 'pre-commit'),
  )
  const hooks = await Promise.all(plain.map((hook) => plainHook(options, hook)))
  return {
    targets: [...managerTargets(setup, options.strict), ...hooks.filter(isDefined)],
    outside: hooks.some((hook) => hook === undefined),
  }
}

/** The suffixes under which lefthook and pre-commit keep a hook that was there before. */
const KEPT_SUFFIXES = ['', '.old', '.legacy'] as const

/** All files that may hold a block or a step, whatever manager is used now. */
export const everyHookTarget = async (options: TargetOptions): Promise<readonly TargetFile[]> => {
  const { places, strict } = options
  const folders = [...new Set([places.hooks, join(places.common, 'hooks')])]
  const plain = folders.flatMap((folder) =>
    HOOK_NAMES.flatMap((hook) => KEPT_SUFFIXES.map((suffix) => plainHook(options, hook, folder, suffix))),
  )
  const managers: readonly HookSetup[] = [
    { manager: 'husky', file: '.husky', active: new Set() },
    ...LEFTHOOK_FILES.map((file) => ({ manager: 'lefthook' as const, file, active: new Set<HookName>() })),
    { manager: 'pre-commit', file: PRE_COMMIT_FILE, active: new Set() },
  ]
  const targets = [
    ...managers.flatMap((one) => managerTargets(one, strict)),
    ...(await Promise.all(plain)).filter(isDefined),
  ]
  const keys = targets.map(({ place, path }) => `${place}:${path}`)
  return targets.filter((_, at) => keys.indexOf(keys[at] ?? '') === at)
}
