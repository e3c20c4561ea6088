import { digestBytes } from '../kernel/encoding/hash.ts'
import { applyInsertions, type InsertedSpan, insertedSpans, UneditableFile } from './editors/insertion.ts'
import type { SetupPlaces } from './ports.ts'
import { decodeTarget, encodeTarget, showTarget, type TargetFile } from './target-file.ts'

/** A change of one file that was not made yet. */
export interface PlannedFile {
  readonly target: TargetFile
  /** The text that is there; undefined for a new file. */
  readonly before: string | undefined
  readonly after: string
  /** What each entry inserts, in order. */
  readonly steps: readonly (readonly InsertedSpan[])[]
}

/** A file that is left alone, and what to add to it by hand. */
interface SkippedFile {
  readonly path: string
  readonly why: string
  readonly byHand: string
}

export interface SetupPlan {
  readonly files: readonly PlannedFile[]
  readonly skipped: readonly SkippedFile[]
  /** Files that hold the entries already. */
  readonly kept: readonly string[]
}

type Planned = PlannedFile | SkippedFile | { readonly kept: string } | undefined

const planFile = async (target: TargetFile, places: SetupPlaces): Promise<Planned> => {
  const path = showTarget(target)
  try {
    const file = await places[target.place].read(target.path)
    if (file === undefined && !target.creates) return undefined
    const before = file && decodeTarget(file, target)
    let after = before ?? target.empty
    const steps: InsertedSpan[][] = []
    for (const entry of target.entries) {
      after = entry.withoutOutdated?.(after) ?? after
      const insertions = await entry.insert(after)
      if (insertions.length === 0) continue
      after = applyInsertions(after, insertions)
      steps.push(insertedSpans(insertions))
    }
    return steps.length === 0 ? { kept: path } : { target, before, after, steps }
  } catch (thrown) {
    if (!(thrown instanceof UneditableFile)) throw thrown
    return { path, why: thrown.message, byHand: target.entries.map(({ shown }) => shown).join('\n') }
  }
}

/** What would be written. Reads, and writes nothing. */
export const planSetup = async (targets: readonly TargetFile[], places: SetupPlaces): Promise<SetupPlan> => {
  const files: PlannedFile[] = []
  const skipped: SkippedFile[] = []
  const kept: string[] = []
  for (const target of targets) {
    const planned = await planFile(target, places)
    if (planned === undefined) continue
    if ('why' in planned) skipped.push(planned)
    else if ('kept' in planned) kept.push(planned.kept)
    else files.push(planned)
  }
  return { files, skipped, kept }
}

/** What was written to one file, so that it can be taken back. */
export interface WrittenFile {
  readonly created: boolean
  /** New folders, the outermost first. */
  readonly folders: readonly string[]
  readonly before?: string
  readonly after: string
  readonly steps: readonly (readonly InsertedSpan[])[]
}

/** A planned change that was not made, because the file is not the one that was shown. */
export interface LeftFile {
  readonly path: string
  readonly why: string
}

/** Why the change of a file is not the one that was shown any more. */
const whyChanged = async (
  { target, before }: PlannedFile,
  port: SetupPlaces[TargetFile['place']],
): Promise<string | undefined> => {
  const file = await port.read(target.path)
  if (before === undefined) return file === undefined ? undefined : 'it was created meanwhile'
  if (file === undefined) return 'it was removed meanwhile'
  return file.bytes.equals(encodeTarget(before, target)) ? undefined : 'it was changed meanwhile'
}

/**
 * Makes the planned changes, and no other. `written` gets each of them, by the path that is shown, also when a later
 * one fails. Returns the files that changed since the plan: they are left alone.
 */
export const applyPlan = async (
  files: readonly PlannedFile[],
  places: SetupPlaces,
  written: Map<string, WrittenFile>,
): Promise<readonly LeftFile[]> => {
  const left: LeftFile[] = []
  for (const file of files) {
    const { target, before, after, steps } = file
    const path = showTarget(target)
    const bytes = encodeTarget(after, target)
    const port = places[target.place]
    try {
      const why = await whyChanged(file, port)
      if (why !== undefined) {
        left.push({ path, why })
        continue
      }
      const folders = before === undefined ? await port.create(target.path, bytes, target.mode) : []
      if (before !== undefined) await port.replace(target.path, bytes)
      written.set(path, {
        created: before === undefined,
        folders,
        ...(before !== undefined && { before: digestBytes(encodeTarget(before, target)) }),
        after: digestBytes(bytes),
        steps,
      })
    } catch (thrown) {
      if (!(thrown instanceof UneditableFile)) throw thrown
      left.push({ path, why: thrown.message })
    }
  }
  return left
}
