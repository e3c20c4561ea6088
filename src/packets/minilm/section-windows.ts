import { markdownSpans } from '../build/markdown-sections.ts'
import type { TextWindow, WindowSource } from '../embed.ts'
import { blankMarkup } from './markup.ts'
import type { Tokenizer } from './tokenizer.ts'
import { splitWindows } from './windows.ts'

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

const LETTER = /[\p{L}\p{N}]/u
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
  for (let i = 1; i < lines.length; i++)
    offsets[i] = (offsets[i - 1] as number) + (lines[i - 1] as string).length + 1
  const above = headings.slice(0, -1)
  const firstLevel = levelOf(lines[first.start - 1] as string)
  const sections = spans.map((span): PassageSection => {
    const up = Math.max(firstLevel - levelOf(lines[span.start - 1] as string), 0)
    const outer = span.headings?.[0] === first.symbol ? above : above.slice(0, Math.max(above.length - up, 0))
    return {
      start: offsets[span.start - 1] as number,
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
