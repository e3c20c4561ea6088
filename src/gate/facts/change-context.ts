import type { JudgedTree } from '../../evidence/schema.ts'
import { judgedTree } from '../judged-tree.ts'
import type { ChangeSet, GitReader, Scope, TrackedFiles } from '../ports.ts'
import { type Detection, detectPlatforms, SCRIPT_SUFFIXES, SIGNAL_PATHS } from './detect-platforms.ts'
import { findManifests, manifestsToRead } from './manifests.ts'

/** The changed files, what they hold, and the platforms of the repository. */
export interface ChangeContext {
  readonly set: ChangeSet
  readonly detection: Detection
  /** Whether git tracks a file below the `node_modules` of the root. */
  readonly tracksModules: boolean
  readonly tree: JudgedTree
}

const decoder = new TextDecoder()

const readTexts = async (
  { read }: TrackedFiles | ChangeSet,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<[string, string][]> => {
  const texts: [string, string][] = []
  if (paths.length === 0) return texts
  for await (const { path, bytes } of read(paths, signal))
    if (bytes !== undefined) texts.push([path, decoder.decode(bytes)])
  return texts
}

/** Platforms after the change: the index, overlaid with the changed files. */
const detect = async (set: ChangeSet, tracked: TrackedFiles, signal: AbortSignal): Promise<Detection> => {
  const changed = new Set(set.changes.map(({ path }) => path))
  const added = set.changes.filter(({ change }) => change !== 'deleted').map(({ path }) => path)
  const kept = [...tracked.find(SIGNAL_PATHS.ends, SIGNAL_PATHS.starts)].filter((path) => !changed.has(path))
  const paths = kept.concat(added)
  const scripts = function* () {
    yield* added
    for (const path of tracked.find(SCRIPT_SUFFIXES)) if (!changed.has(path)) yield path
  }
  const wanted = manifestsToRead(findManifests(paths))
  const isChanged = (path: string) => changed.has(path)
  const texts = await Promise.all([
    readTexts(set, wanted.filter(isChanged), signal),
    readTexts(
      tracked,
      wanted.filter((path) => !isChanged(path)),
      signal,
    ),
  ])
  return detectPlatforms(paths, new Map(texts.flat()), scripts())
}

export const gatherChangeContext = async (
  git: GitReader,
  scope: Scope,
  signal: AbortSignal,
): Promise<ChangeContext> => {
  const [set, tracked] = await Promise.all([git.changes(scope, signal), git.tracked(signal)])
  const [module] = tracked.find([], ['node_modules/'])
  const [tree, detection] = await Promise.all([judgedTree(git, set, signal), detect(set, tracked, signal)])
  return { set, detection, tree, tracksModules: module !== undefined }
}
