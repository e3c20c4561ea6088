import type { Embedder, TextWindow } from '../embed.ts'
import type { Doc } from '../format/docs.ts'

/** About the most that the models of embedding servers take; the rest of a longer text would be ignored. */
const LONG_TEXT = 3_000

/** Cuts a long text at the ends of lines. */
const cutLongText = (text: string): readonly TextWindow[] => {
  const windows: TextWindow[] = []
  for (let start = 0; start < text.length || windows.length === 0; ) {
    const whole = text.length - start <= LONG_TEXT
    const line = whole ? -1 : text.lastIndexOf('\n', start + LONG_TEXT)
    const end = whole ? text.length : line > start ? line + 1 : start + LONG_TEXT
    windows.push({ start, end, input: text.slice(start, end) })
    start = end
  }
  return windows
}

/** The texts that are embedded for a chunk. */
export const windowsOf = (embedder: Embedder, { text, metadata }: Doc): readonly TextWindow[] => {
  if (embedder.windows === undefined) return cutLongText(text)
  const { path, headings } = metadata
  return embedder.windows({
    path: typeof path === 'string' ? path : '',
    headings: Array.isArray(headings) ? headings.filter((one) => typeof one === 'string') : [],
    text,
  })
}
