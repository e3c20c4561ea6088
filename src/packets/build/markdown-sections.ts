import { type Span, sourceLines } from './chunk.ts'

const FENCE = /^\s{0,3}(`{3,}|~{3,})/
const HEADING = /^(#{1,6})\s+(.+?)\s*#*\s*$/
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/
const FRONT_MATTER_END = /^(?:---|\.\.\.)\s*$/
/** Lines that begin a block other than a paragraph: list items, quotes, HTML, tables, indented code. */
const OTHER_BLOCK = /^(?:\s|[-*+>|<]|\d{1,9}[.)])/
/** A longer title is a paragraph over a thematic break. */
const MAX_TITLE = 200

/** The line after the YAML block at the start of a text; zero without one. */
const skipFrontMatter = (lines: readonly string[]): number => {
  if (lines[0]?.trimEnd() !== '---') return 0
  const end = lines.findIndex((line, i) => i > 0 && FRONT_MATTER_END.test(line))
  return end + 1
}

/** Titles of the sections that enclose a line, outermost first. */
class HeadingChain {
  #open: readonly { readonly level: number; readonly title: string }[] = []

  /** Opens a section and returns the titles from the outermost to its own. */
  enter(level: number, title: string): readonly string[] {
    const cut = title.length > MAX_TITLE ? [...title].slice(0, MAX_TITLE).join('') : title
    this.#open = [...this.#open.filter((one) => one.level < level), { level, title: cut }]
    return this.#open.map((one) => one.title)
  }
}

/**
 * The sections of a Markdown text: headings that begin with `#`, and lines underlined with `=` or `-`. Lines inside
 * a code fence are not headings.
 */
export const markdownSpans = (text: string): readonly Span[] => {
  const lines = sourceLines(text)
  const spans: Span[] = []
  const chain = new HeadingChain()
  let fence: string | undefined
  /** First line of the paragraph that may turn out to be a title; undefined inside other blocks. */
  let paragraph: number | undefined
  let inOtherBlock = false
  const endBlock = (): void => {
    paragraph = undefined
    inOtherBlock = false
  }
  const add = (line: number, level: number, symbol: string): void => {
    spans.push({ start: line + 1, symbol, headings: chain.enter(level, symbol) })
    endBlock()
  }
  for (let i = skipFrontMatter(lines); i < lines.length; i++) {
    const line = lines[i] ?? ''
    const mark = FENCE.exec(line)?.[1]
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined
      endBlock()
      continue
    }
    if (fence !== undefined) continue
    const [, signs, symbol] = HEADING.exec(line) ?? []
    if (signs !== undefined && symbol !== undefined) add(i, signs.length, symbol)
    else if (line.trim() === '') endBlock()
    else if (paragraph !== undefined && UNDERLINE.test(line)) {
      const title = lines.slice(paragraph, i).join(' ').trim()
      if (title.length <= MAX_TITLE) add(paragraph, line.includes('=') ? 1 : 2, title)
      else endBlock()
    } else if (paragraph === undefined) {
      inOtherBlock ||= OTHER_BLOCK.test(line)
      if (!inOtherBlock) paragraph = i
    } else if (/^(?:[-*+>]\s|\d{1,9}[.)]\s)/.test(line)) {
      paragraph = undefined
      inOtherBlock = true
    }
  }
  return spans
}
