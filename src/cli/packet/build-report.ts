import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import { plural } from '../../kernel/text/plural.ts'
import type { PackedSource } from '../../packets/build/build-records.ts'
import { EMPTY_FILE } from '../../platform/packets/source.ts'
import type { Invocation } from '../command/command.ts'

/** A file that is not in the packet. */
export interface SkippedFile {
  readonly path: string
  readonly why: string
}

/** What a file of the folder became. */
type PackedFile = Pick<PackedSource, 'path' | 'chunks' | 'split'>

const MAX_REPORTED = 10

const SPLITS = { structure: 'by sections or declarations', lines: 'by lines' }

/** One line: how the files were split, and how many were left out. Undefined when all of them became the same. */
export const packedSummary = (
  files: readonly PackedFile[],
  skipped: readonly SkippedFile[],
): string | undefined => {
  const parts = (['structure', 'lines'] as const).flatMap((split) => {
    const some = files.filter((one) => one.split === split)
    return some.length === 0 ? [] : [`${plural(some.length, 'file')} split ${SPLITS[split]}`]
  })
  const rest = skipped.length > 0 ? [`${skipped.length} left out`] : []
  return parts.length + rest.length > 1 ? [...parts, ...rest].join(', ') : undefined
}

/** A line for each file: its chunks, or why it is not in the packet. */
export const packedLines = (
  files: readonly PackedFile[],
  skipped: readonly SkippedFile[],
): readonly string[] =>
  [
    ...files.map(({ path, chunks, split }) => ({
      path,
      what: `${plural(chunks, 'chunk')} ${SPLITS[split]}`,
    })),
    ...skipped.map(({ path, why }) => ({ path, what: `left out: ${why}` })),
  ]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, what }) => `${escapeLineBreaks(path)}  ${escapeLineBreaks(what)}`)

/**
 * Reports skipped files on stderr: a packet that lacks files of its folder is no error, but the user should
 * know.
 */
export const reportSkipped = (
  { json, terminal, flags }: Invocation,
  skipped: readonly SkippedFile[],
): void => {
  if (json || flags.verbose) return
  // Empty files are common in some languages, and would take the place of those that a reader misses.
  const missed = skipped.filter(({ why }) => why !== EMPTY_FILE)
  for (const { path, why } of missed.slice(0, MAX_REPORTED))
    terminal.printError(`left out: ${escapeLineBreaks(path)} ${why}`)
  const more = missed.length - MAX_REPORTED
  if (more > 0) terminal.printError(`left out: ${more} more; --verbose and --json list them`)
}
