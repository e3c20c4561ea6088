/** What a part of a file is called. */
interface PartName {
  readonly symbol?: string
  /** Titles of the enclosing sections, outermost first, and its own. */
  readonly headings?: readonly string[]
}

/** A piece of a file, with its line numbers, counted from one. */
interface Chunk extends PartName {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** The start of a function, class or section. Lines count from one. */
export interface Span extends PartName {
  readonly start: number
}

export interface ChunkSizes {
  readonly lines: number
  readonly overlap: number
}

export const CHUNK_SIZES: ChunkSizes = { lines: 80, overlap: 10 }

/** Parts shorter than SMALL are joined with their neighbours, up to TOGETHER lines. */
const SMALL = 12
const TOGETHER = 40

/**
 * Lines as editors and git count them. A lone carriage return is a line break only in a text without line
 * feeds.
 */
export const sourceLines = (text: string): readonly string[] =>
  text.split(text.includes('\n') ? /\r?\n/ : '\r')

/** The lines from `start` to `end` without blank lines around them; empty when all are blank. */
const cut = (lines: readonly string[], { start, end, ...name }: Part): readonly Chunk[] => {
  let [first, last] = [start, end]
  while (first <= last && (lines[first - 1] ?? '').trim() === '') first++
  while (last >= first && (lines[last - 1] ?? '').trim() === '') last--
  if (first > last) return []
  const text = lines
    .slice(first - 1, last)
    .join('\n')
    .trim()
  return [{ text, start: first, end: last, ...name }]
}

/** Overlapping windows, so that every passage is complete in at least one of them. */
const windows = (
  lines: readonly string[],
  part: Part,
  { lines: size, overlap }: ChunkSizes,
): readonly Chunk[] => {
  const { start, end } = part
  const step = Math.max(size - Math.min(Math.max(overlap, 0), size - 1), 1)
  const chunks: Chunk[] = []
  for (let first = start; ; first += step) {
    const last = Math.min(first + size - 1, end)
    chunks.push(...cut(lines, { ...part, start: first, end: last }))
    if (last >= end) return chunks
  }
}

interface Part extends Span {
  readonly end: number
}

/** Turns spans into parts that cover all lines, with a part for the lines before the first span. */
const cover = (spans: readonly Span[], lines: number): readonly Part[] => {
  const sorted = [...spans]
    .sort((a, b) => a.start - b.start)
    .filter(({ start }) => start >= 1 && start <= lines)
  const starts: readonly Span[] = sorted[0]?.start === 1 ? sorted : [{ start: 1 }, ...sorted]
  return starts.flatMap((span, i) => {
    const end = (starts[i + 1]?.start ?? lines + 1) - 1
    return end < span.start ? [] : [{ ...span, end }]
  })
}

const span = ({ start, end }: Part): number => end - start + 1

const together = (parts: readonly Part[]): readonly Part[] => {
  const joined: Part[] = []
  for (const part of parts) {
    const before = joined.at(-1)
    const fits = before !== undefined && span(before) + span(part) <= TOGETHER
    if (before === undefined || !fits || (span(before) >= SMALL && span(part) >= SMALL)) joined.push(part)
    else
      joined[joined.length - 1] = {
        ...(before.symbol === undefined && part),
        ...before,
        end: part.end,
      }
  }
  return joined
}

/** Splits a text into chunks along its spans; without spans, into windows of lines. */
export const chunkText = (text: string, spans: readonly Span[], sizes: ChunkSizes): readonly Chunk[] => {
  const lines = sourceLines(text)
  if (spans.length === 0 || sizes.lines <= 0) {
    const all = { start: 1, end: lines.length }
    return sizes.lines <= 0 ? cut(lines, all) : windows(lines, all, sizes)
  }
  return together(cover(spans, lines.length)).flatMap((part) => windows(lines, part, sizes))
}
