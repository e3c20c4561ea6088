import { markdownSpans } from '../build/markdown-sections.ts'
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
  const [before, after] = [ends[at - 1] ?? 0, starts[at] ?? 0]
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
    if (at === 0 || (starts[at] ?? 0) > (ends[at - 1] ?? 0) || /[/\\._-]/.test(text[starts[at] ?? 0] ?? ''))
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
    const [start, end] = [tokens.starts[from] ?? 0, tokens.ends[next - 1] ?? 0]
    windows.push({ start, end, input: input(start, end) })
    from = next
  }
  return windows
}

/**
 * Markup of Markdown that says nothing about the subject. Lengths are bounded, so that a line without an end mark is
 * not searched again from each of its characters.
 */
const MARKUP: readonly RegExp[] = [
  // Code fences, definitions of links, marks of headings.
  /^[ \t]*(?:`{3,}|~{3,}).*$/gm,
  /^\[[^\]\n]+\]:[ \t]+\S.*$/gm,
  /^#{1,6}[ \t]+/gm,
  /<\/?(?:a|b|br|center|code|details|div|em|h[1-6]|i|img|kbd|li|ol|p|pre|span|strong|su[bp]|summary|table|t[dhr]|ul)(?:[\s/][^>\n]{0,300})?>/gi,
  /`/g,
  // Lines without a word: rules, borders of tables, closing brackets.
  /^[^\p{L}\p{N}\n]+$/gmu,
]
const LINK = /(!?\[)([^\]\n]{0,300})(\]\([^)\s]{0,500}(?: "[^"\n]{0,300}")?\)|\]\[[^\]\n]{0,100}\])/g

const spaces = (text: string): string => ' '.repeat(text.length)

/** Replaces markup by spaces: the words keep their places. */
export const blankMarkup = (text: string): string =>
  MARKUP.reduce(
    (rest, markup) => rest.replace(markup, spaces),
    text.replace(
      LINK,
      (_, open: string, words: string, close: string) => spaces(open) + words + spaces(close),
    ),
  )

/**
 * Length of the vector of a window that continues a section. The beginning of a section says what it is about; what
 * follows is often code or detail that resembles many questions. Tuned on half of the questions of bench/quality.
 */
const CONTINUED_LENGTH = 0.85

/** A section of a passage, or the part of one that the passage begins with. */
interface PassageSection {
  readonly start: number
  readonly headings: readonly string[]
  /** Whether the section began before the passage. */
  readonly continued: boolean
}

const levelOf = (line: string): number => /^#*/.exec(line)?.[0].length || 2

/** The sections of a passage. Only passages of Markdown files have headings. */
const sectionsOf = ({ headings, text }: WindowSource): readonly PassageSection[] => {
  const spans = headings.length === 0 ? [] : markdownSpans(text)
  const [first] = spans
  const whole = { start: 0, headings, continued: headings.length > 0 }
  // Lines of code that look like headings are found where a passage begins inside a fence.
  if (first === undefined || text.includes('\r') || first.headings?.at(-1) !== headings.at(-1)) return [whole]
  const lines = text.split('\n')
  const offsets = lines.map(() => 0)
  for (let i = 1; i < lines.length; i++) offsets[i] = (offsets[i - 1] ?? 0) + (lines[i - 1] ?? '').length + 1
  const above = headings.slice(0, -1)
  const firstLevel = levelOf(lines[first.start - 1] ?? '')
  const sections = spans.map((span): PassageSection => {
    const up = Math.max(firstLevel - levelOf(lines[span.start - 1] ?? ''), 0)
    const outer = span.headings?.[0] === first.symbol ? above : above.slice(0, Math.max(above.length - up, 0))
    return {
      start: offsets[span.start - 1] ?? 0,
      headings: [...outer, ...(span.headings ?? [])],
      continued: false,
    }
  })
  return first.start === 1 ? sections : [{ start: 0, headings: above, continued: false }, ...sections]
}

/** A heading without text belongs to the section below it. */
const hasBody = (section: string): boolean => LETTER.test(section.replace(/^.*(?:\n|$)/, ''))

/**
 * Splits a passage into windows, none of which has parts of two sections: each has path and headings of its own
 * section in front. Markup is left out. The windows are in the order of the text and do not overlap.
 */
export const splitSections = (tokenizer: Tokenizer, source: WindowSource): readonly TextWindow[] => {
  const { path, text } = source
  if (source.headings.length === 0) return splitWindows(tokenizer, source)
  const plain = blankMarkup(text)
  const windows: TextWindow[] = []
  const sections = sectionsOf(source)
  let start = 0
  sections.forEach(({ start: own, headings, continued }, i) => {
    const end = sections[i + 1]?.start ?? text.length
    if (i < sections.length - 1 && !hasBody(plain.slice(own, end))) return
    const front = headings.map((heading) => blankMarkup(heading).trim())
    const parts = splitWindows(tokenizer, { path, headings: front, text: plain.slice(start, end) })
    parts.forEach((part, at) => {
      const isLater = continued || at > 0
      windows.push({
        start: start + part.start,
        end: start + part.end,
        input: part.input,
        ...(isLater && { length: CONTINUED_LENGTH }),
      })
    })
    start = end
  })
  return windows
}
