import type { JudgedTree } from '../../evidence/schema.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { extensionOf } from '../../kernel/text/languages.ts'
import { recordJudgedTree } from '../judged-tree.ts'
import type { ChangeSet, GitReader, Scope, TrackedFiles } from '../ports.ts'
import type { PolicyChange } from '../rules/policy-change.ts'
import { exemptionChanges, isExemptionFile } from './attributes.ts'
import {
  type Detection,
  detectPlatforms,
  PLATFORM_EXTENSIONS,
  SCRIPT_SUFFIXES,
  SIGNAL_PATHS,
} from './detect-platforms.ts'
import {
  DEPENDENCY_FOLDERS,
  findManifest,
  findManifests,
  isBrokenManifest,
  manifestFolder,
  manifestsToRead,
  NODE_PLATFORM,
} from './manifests.ts'
import { type StageInput, stageScope } from './scope.ts'

interface LostFolder {
  readonly platform: string
  readonly folder: string
}

const isUnder = (folders: readonly string[], path: string): boolean =>
  folders.some((folder) => path.startsWith(folder))

/**
 * Folders where a platform was detected before and is not any more, although files of it remain there. `joined` still
 * has them.
 */
const keepLostFolders = (
  before: Detection,
  after: Detection,
  present: readonly string[],
): { readonly joined: Detection; readonly lost: readonly LostFolder[] } => {
  // No rule belongs to `node`, so nothing is lost with it.
  const ruled = Object.entries(before.roots).filter(([platform]) => platform !== NODE_PLATFORM)
  const lost = ruled.flatMap(([platform, folders]) => {
    const kept = after.roots[platform] ?? []
    const isFile = (path: string) =>
      PLATFORM_EXTENSIONS[platform]?.includes(extensionOf(path)) &&
      !DEPENDENCY_FOLDERS.test(path) &&
      !isUnder(kept, path)
    return folders
      .filter((folder) => !isUnder(kept, folder))
      .filter((folder) => present.some((path) => path.startsWith(folder) && isFile(path)))
      .map((folder) => ({ platform, folder }))
  })
  const roots = { ...after.roots }
  const platforms = { ...after.platforms }
  for (const { platform, folder } of lost) {
    roots[platform] = [...(roots[platform] ?? []), folder].sort()
    const known = before.platforms[platform]
    if (known !== undefined && !platforms[platform]?.detected) platforms[platform] = known
  }
  return { joined: { platforms: sortKeys(platforms), roots: sortKeys(roots) }, lost }
}

const sortKeys = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Names of the platforms of both versions. */
interface PlatformVersions {
  /** Absent where there is nothing to compare with. */
  readonly base?: readonly string[]
  readonly head: readonly string[]
}

/** The changed files, what they hold, and the platforms of the repository. */
export interface ChangeContext {
  readonly set: ChangeSet
  /** The platforms whose rules apply. */
  readonly detection: Detection
  /** The platforms before and after the change, each as detected by itself. */
  readonly platforms: PlatformVersions
  /** Platforms that the change switches off while it keeps their files, and files that it takes from the rules. */
  readonly changes: readonly PolicyChange[]
  /** Changed manifests that cannot be parsed. */
  readonly broken: readonly string[]
  /** Whether git tracks a file below the `node_modules` of the root. */
  readonly tracksModules: boolean
  readonly tree: JudgedTree
}

const decoder = new TextDecoder()

type Texts = ReadonlyMap<string, string>

const readTexts = async (
  read: ChangeSet['read'],
  paths: readonly string[],
  signal: AbortSignal,
): Promise<[string, string][]> => {
  const texts: [string, string][] = []
  if (paths.length === 0) return texts
  for await (const { path, bytes } of read(paths, signal))
    if (bytes !== undefined) texts.push([path, decoder.decode(bytes)])
  return texts
}

/** One version of the repository, as far as platforms depend on it. */
interface Version {
  /** Paths that indicate a platform. */
  readonly paths: readonly string[]
  readonly scripts: () => Iterable<string>
}

/** The version with these files, and with the files of the index that did not change. */
const withUnchanged = (
  own: readonly string[],
  changed: ReadonlySet<string>,
  tracked: TrackedFiles,
): Version => {
  const kept = [...tracked.find(SIGNAL_PATHS.ends, SIGNAL_PATHS.starts)].filter((path) => !changed.has(path))
  return {
    paths: kept.concat(own),
    scripts: function* () {
      yield* own
      for (const path of tracked.find(SCRIPT_SUFFIXES)) if (!changed.has(path)) yield path
    },
  }
}

interface ManifestChange {
  readonly path: string
  readonly before: string
}

/** Manifests that existed before the change and were modified, moved or deleted by it. */
const changedManifests = ({ changes }: ChangeSet): readonly ManifestChange[] =>
  changes
    .filter(({ change, from }) => change !== 'added' || from !== undefined)
    .map(({ path, from = path }) => ({ path, before: from }))
    .filter(({ before }) => findManifest(before) !== undefined)

/** The platforms before the change. The unchanged manifests have been read already. */
const detectBefore = async (
  set: ChangeSet,
  {
    manifests,
    unchanged,
    version,
  }: { manifests: readonly ManifestChange[]; unchanged: Texts; version: Version },
  signal: AbortSignal,
): Promise<Detection> => {
  const read = await readTexts(
    set.readBefore,
    manifests.map(({ path }) => path),
    signal,
  )
  const byPath = new Map(read)
  const texts = manifests.flatMap(({ path, before }): [string, string][] => {
    const text = byPath.get(path)
    return text === undefined ? [] : [[before, text]]
  })
  return detectPlatforms(version.paths, new Map([...unchanged, ...texts]), version.scripts())
}

/**
 * Platforms after the change: the index, overlaid with the changed files. A platform that the change takes away stays
 * where files of it remain, so that a change cannot switch off its own rules.
 */
const detect = async (
  set: ChangeSet,
  tracked: TrackedFiles,
  signal: AbortSignal,
): Promise<Omit<ChangeContext, 'tracksModules' | 'tree'>> => {
  const changed = new Set(set.changes.map(({ path }) => path))
  const isChanged = (path: string) => changed.has(path)
  const added = set.changes.filter(({ change }) => change !== 'deleted').map(({ path }) => path)
  const after = withUnchanged(added, changed, tracked)
  const wanted = manifestsToRead(findManifests(after.paths))
  const [own, others] = await Promise.all([
    readTexts(set.read, wanted.filter(isChanged), signal),
    readTexts(
      tracked.read,
      wanted.filter((path) => !isChanged(path)),
      signal,
    ),
  ])
  const ownTexts = new Map(own)
  const detection = detectPlatforms(after.paths, new Map([...own, ...others]), after.scripts())
  const broken = wanted.filter((path) => isChanged(path) && isBrokenManifest(path, ownTexts.get(path)))
  const manifests = changedManifests(set)
  const head = Object.keys(detection.platforms)
  if (set.base === undefined || set.source === 'git:repository')
    return { set, detection, platforms: { head }, changes: [], broken }
  // Without a manifest or a path that changed, the same platforms are detected.
  if (
    manifests.length === 0 &&
    set.changes.every(({ change, from }) => change === 'modified' && from === undefined)
  )
    return { set, detection, platforms: { base: head, head }, changes: [], broken }
  const previous = set.changes
    .filter(({ change, from }) => change !== 'added' || from !== undefined)
    .map(({ path, from = path }) => from)
  const version = withUnchanged(previous, changed, tracked)
  const before = await detectBefore(set, { manifests, unchanged: new Map(others), version }, signal)
  const platforms = { base: Object.keys(before.platforms), head }
  if (manifests.length === 0) return { set, detection, platforms, changes: [], broken }
  const { joined, lost } = keepLostFolders(before, detection, [...after.paths, ...after.scripts()])
  const changes = lost.map(({ platform, folder }) => ({
    file: manifests.find((one) => manifestFolder(one.before) === folder)?.path ?? folder,
    effect: `the rules of ${platform} would no longer apply to ${folder === '' ? 'the repository' : folder}`,
    weaker: true,
  }))
  return { set, detection: joined, platforms, changes, broken }
}

/** What changed attributes and submodule settings take from the rules. */
const readExemptions = async (set: ChangeSet, signal: AbortSignal): Promise<PolicyChange[]> => {
  const named = set.changes.filter(({ path, from = path }) => [path, from].some(isExemptionFile))
  if (set.base === undefined || set.source === 'git:repository') return []
  const paths = named.map(({ path }) => path)
  const after = new Map(await readTexts(set.read, paths, signal))
  const before = new Map(await readTexts(set.readBefore, paths, signal))
  return named.flatMap(({ path, from = path }) => {
    const [old = '', now = ''] = [before.get(path), after.get(path)]
    if (from === path) return exemptionChanges(path, old, now)
    return [...exemptionChanges(from, old, ''), ...exemptionChanges(path, '', now)]
  })
}

export const gatherChangeContext = async (
  git: GitReader,
  scope: Scope,
  signal: AbortSignal,
): Promise<ChangeContext> => {
  const set = await git.changes(scope, signal)
  const tracked = await git.tracked(set.merged ?? set.head, signal)
  const [module] = scope.kind === 'repository' ? tracked.find([], ['node_modules/']) : []
  const [tree, detected, exemptions] = await Promise.all([
    recordJudgedTree(git, set, signal),
    detect(set, tracked, signal),
    readExemptions(set, signal),
  ])
  const changes = [...detected.changes, ...exemptions]
  return { ...detected, changes, tree, tracksModules: module !== undefined }
}

/** As `gatherChangeContext`, for the scope of a stage unless another one is given. */
export const readStageChange = async (
  git: GitReader,
  request: {
    readonly scope: Scope | undefined
    readonly stage: GateStage
  } & Partial<Omit<StageInput, 'git'>>,
  signal: AbortSignal,
): Promise<ChangeContext> => {
  const { stage, build } = request
  const scope = request.scope ?? (await stageScope(stage, { ...request, git, build }, signal))
  return gatherChangeContext(git, scope, signal)
}
