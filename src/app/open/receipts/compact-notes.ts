/**
 * Which checkpoints a note keeps. Each push adds one, and a note has a largest size. What is left out is in the history
 * of the notes.
 */

/** The newest of a log, and of a witness, that are kept in any case: clones fetch late. */
export const KEPT_CHECKPOINTS = 64

/** A line of the note of a log, and the size of its checkpoint. */
interface PublishedSize {
  readonly line: string
  readonly size: number
}

interface CompactedLog {
  readonly dropped: readonly string[]
  /** Sizes that need a proof to the next checkpoint, because the lines that connected them are dropped. */
  readonly relinked: readonly number[]
}

const UNCHANGED: CompactedLog = { dropped: [], relinked: [] }

/**
 * Keeps the newest checkpoints of a log; older ones that a witness signed are connected with the next one directly. Waits
 * until there is twice as much as would be kept, so that most pushes only add a line.
 */
export const compactPublished = (
  published: readonly PublishedSize[],
  witnessed: readonly number[],
): CompactedLog => {
  const sizes = [...new Set(published.map(({ size }) => size))].sort((a, b) => b - a)
  const oldest = sizes[KEPT_CHECKPOINTS - 1] ?? 0
  const relinked = [...new Set(witnessed)].filter((size) => size > 0 && size < oldest)
  if (published.length <= 2 * (KEPT_CHECKPOINTS + relinked.length)) return UNCHANGED
  return { dropped: published.flatMap(({ line, size }) => (size < oldest ? [line] : [])), relinked }
}

/** A line of the note of witnesses: who signed, which size, and when, in seconds. */
interface WitnessedSize {
  readonly line: string
  readonly size: number
  readonly cosigned: readonly { readonly key: string; readonly time: number }[]
}

const MAX_WITNESSED = 4 * KEPT_CHECKPOINTS
const DAY_SECONDS = 86_400

/** Keeps the newest of each witness, and the last of each day before: what was there when a key was revoked. */
export const compactWitnessed = (witnessed: readonly WitnessedSize[]): readonly string[] => {
  if (witnessed.length <= MAX_WITNESSED) return []
  const newestFirst = witnessed.toSorted((a, b) => b.size - a.size)
  const kept = new Set<string>()
  const counts = new Map<string, number>()
  const days = new Set<string>()
  for (const { line, cosigned } of newestFirst)
    for (const { key, time } of cosigned) {
      const count = counts.get(key) ?? 0
      counts.set(key, count + 1)
      const day = `${key} ${Math.floor(time / DAY_SECONDS)}`
      if (count < KEPT_CHECKPOINTS || !days.has(day)) kept.add(line)
      days.add(day)
    }
  return newestFirst.flatMap(({ line }) => (kept.has(line) ? [] : [line]))
}
