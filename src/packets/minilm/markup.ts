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
