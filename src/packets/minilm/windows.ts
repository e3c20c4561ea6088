import type { TextWindow, WindowSource } from '../embed.ts'
import type { TokenizedText, Tokenizer } from './tokenizer.ts'

/** Tokens of a window, with the two that frame every input. */
export const WINDOW_TOKENS = 128
const FRAME = 2
/** Most of a window is the text itself: path and headings get at most a third of it. */
const FRONT_SHARE = 1 / 3
/** How far from the even share a cut may move to reach the end of a line or of a sentence. */
const SLACK = 1 / 4

const LETTER = /[\p{L}\p{N}]/u

/** A cut is best at the end of a paragraph, line or sentence, then between words, and worst inside a word. */
const cutQuality = (text: string, { starts, ends }: TokenizedText, at: number): number => {
  const [before, after] = [ends[at - 1] as number, starts[at] as number]
  if (after <= before) return LETTER.test(text[before - 1] ?? '') && LETTER.test(text[after] ?? '') ? 0 : 1
  const gap = text.slice(before, after)
  if (/\n\s*\n/.test(gap)) return 5
  if (gap.includes('\n')) return 4
  return /[.!?;:。！？]$/.test(text.slice(before - 1, before)) ? 3 : 2
}

/** The index of the token that begins the next window. */
const nextCut = (text: string, tokens: TokenizedText, from: number, most: number): number => {
  const left = tokens.ids.length - from
  if (left <= most) return tokens.ids.length
  // Windows of about the same size: a last window of a few words would say little.
  const share = Math.ceil(left / Math.ceil(left / most))
  const slack = Math.floor(share * SLACK)
  let [best, quality] = [from + share, -1]
  for (let at = from + Math.min(share + slack, most); at >= from + share - slack && at > from; at--) {
    const found = cutQuality(text, tokens, at)
    const isNearer = Math.abs(at - from - share) < Math.abs(best - from - share)
    if (found > quality || (found === quality && isNearer)) [best, quality] = [at, found]
  }
  return best
}

/** The end of a text that has at most so many tokens, from the beginning of a word. */
const lastTokens = (tokenizer: Tokenizer, text: string, most: number): string => {
  const { ids, starts, ends } = tokenizer.encode(text)
  if (ids.length <= most) return text
  for (let at = ids.length - most; at < ids.length; at++)
    if (
      at === 0 ||
      (starts[at] as number) > (ends[at - 1] as number) ||
      /[/\\._-]/.test(text[starts[at] as number] ?? '')
    )
      return text.slice(starts[at]).replace(/^[/\\._-]+/, '')
  return ''
}

/** Path and headings in at most so many tokens: the file name and the innermost headings say most. */
const frontText = (tokenizer: Tokenizer, { path, headings }: WindowSource, most: number): string => {
  const count = (text: string) => tokenizer.encode(text).ids.length
  const named = lastTokens(tokenizer, path, Math.floor(most / 2))
  const kept: string[] = []
  let left = most - count(named)
  for (const heading of [...headings].reverse()) {
    // One token for the mark between two headings.
    const cost = count(heading) + 1
    if (cost > left) break
    kept.unshift(heading)
    left -= cost
  }
  return [named, kept.join(' > ')].filter((part) => part !== '').join('\n')
}

/**
 * Splits a passage into windows that the model can take whole, each with path and headings in front. The windows cover
 * all tokens of the text in order, and do not overlap. There is at least one, also for a text without words.
 */
export const splitWindows = (
  tokenizer: Tokenizer,
  source: WindowSource,
  size = WINDOW_TOKENS,
): readonly TextWindow[] => {
  const { text } = source
  const front = frontText(tokenizer, source, Math.floor((size - FRAME) * FRONT_SHARE))
  const input = (start: number, end: number) => (front === '' ? '' : `${front}\n`) + text.slice(start, end)
  const tokens = tokenizer.encode(text)
  const most = Math.max(size - FRAME - tokenizer.encode(front).ids.length, 1)
  if (tokens.ids.length <= most) return [{ start: 0, end: text.length, input: input(0, text.length) }]
  const windows: TextWindow[] = []
  for (let from = 0; from < tokens.ids.length; ) {
    const next = nextCut(text, tokens, from, most)
    const [start, end] = [tokens.starts[from] as number, tokens.ends[next - 1] as number]
    windows.push({ start, end, input: input(start, end) })
    from = next
  }
  return windows
}
