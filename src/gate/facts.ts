import { type Detection, detectPlatforms, manifestsToRead } from './detect.ts'
import type { ChangeSet, GitReader, Scope } from './ports.ts'

/** What is judged, and what kind of repository it is in. */
export interface Facts {
  readonly set: ChangeSet
  readonly detection: Detection
}

const decoder = new TextDecoder()

const readTexts = async (
  set: ChangeSet,
  paths: readonly string[],
  texts: Map<string, string>,
  signal: AbortSignal,
): Promise<void> => {
  if (paths.length === 0) return
  for await (const { path, bytes } of set.read(paths, signal))
    if (bytes !== undefined) texts.set(path, decoder.decode(bytes))
}

/** Platforms of the repository as it will be: the index, and over it what has changed. */
const detect = async (set: ChangeSet, tracked: ChangeSet, signal: AbortSignal): Promise<Detection> => {
  const changed = new Map(set.changes.map(({ path, change }) => [path, change]))
  const there = new Set(tracked.changes.map(({ path }) => path))
  for (const [path, change] of changed) {
    if (change === 'deleted') there.delete(path)
    else there.add(path)
  }
  const paths = [...there].sort()
  const manifests = manifestsToRead(paths)
  const texts = new Map<string, string>()
  await Promise.all([
    readTexts(
      set,
      manifests.filter((path) => changed.has(path)),
      texts,
      signal,
    ),
    readTexts(
      tracked,
      manifests.filter((path) => !changed.has(path)),
      texts,
      signal,
    ),
  ])
  return detectPlatforms(paths, texts)
}

export const gatherFacts = async (git: GitReader, scope: Scope, signal: AbortSignal): Promise<Facts> => {
  const [set, tracked] = await Promise.all([git.changes(scope, signal), git.tracked(signal)])
  return { set, detection: await detect(set, tracked, signal) }
}
