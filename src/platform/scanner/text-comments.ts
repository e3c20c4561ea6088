import type { Comment } from '../../gate/ports.ts'
import { extensionOf } from '../../kernel/text/languages.ts'
import type { TextLines } from './text-lines.ts'

const COMMENT_START = /(?:(?<!\S)(?:#+|\/\/+|\/\*+|--+|;+|%+)|<!--)(?=\s*warrant-ignore)/
/** Prose quotes the comments of programs, so only its own comments count. */
const PROSE = new Set(['md', 'mdx', 'markdown', 'rst', 'adoc', 'txt'])

/** Suppression comments in a text that no grammar reads: a comment sign, then the word, up to the end of the line. */
export const findTextComments = (lines: TextLines, path: string, word: string): Comment[] => {
  const comments: Comment[] = []
  let from = lines.text.indexOf(word)
  while (from >= 0) {
    const number = lines.lineAt(from)
    const line = lines.line(number)
    const start = COMMENT_START.exec(line)
    if (start !== null && (start[0] === '<!--' || !PROSE.has(extensionOf(path))))
      comments.push({
        text: line.slice(start.index),
        line: number + 1,
        column: start.index + 1,
        endLine: number + 1,
        alone: line.slice(0, start.index).trim() === '',
      })
    from = lines.text.indexOf(word, lines.startOf(number + 1))
  }
  return comments
}
