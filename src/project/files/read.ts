import { Fault } from '../../kernel/fault.ts'
import type { FileBytes, PathRules } from '../../kernel/jail.ts'
import { optional } from '../../kernel/optional.ts'
import { showName } from '../../kernel/text/escape-text.ts'
import { describeHidden } from '../../kernel/text/hidden-characters.ts'
import type { JobContext } from '../job-context.ts'
import { chooseLines, decodeFileText, fitLines, type LineChoice, type LineSlice } from './text.ts'

interface FileText extends LineSlice {
  readonly path: string
  readonly size: number
  readonly modified: string
  /** A byte order mark was removed. */
  readonly mark: boolean
  /** The lines of `text` that have hidden characters. The text itself stays exact, because edits need it. */
  readonly hidden?: string
  /** The file has several hard links, perhaps outside of the root. */
  readonly shared: boolean
}

export interface ReadArgs extends LineChoice {
  readonly path: string
  /** Maximum size of the text. */
  readonly bytes: number
}

const fileText = (file: FileBytes, asked: ReadArgs): FileText => {
  const { text, mark } = decodeFileText(file.bytes, asked.path)
  const slice = fitLines(chooseLines(text, asked), asked.bytes)
  const hidden = describeHidden(slice.text, slice.first)
  return {
    path: file.path,
    ...slice,
    ...optional({ hidden }),
    size: file.size,
    modified: new Date(file.modified).toISOString(),
    mark,
    shared: file.linkCount > 1,
  }
}

/** What is missing from the text of a file, and how to get it. */
export const missingText = ({ last, lines, cut }: FileText): readonly string[] => [
  ...(cut === 'long-line' ? [`line ${last} is too long for one answer and is cut`] : []),
  ...(cut !== undefined && last < lines ? [`continue with startLine ${last + 1}`] : []),
]

/** What is in a file and not seen in its text. */
export const unseenText = ({ mark, hidden }: FileText): readonly string[] => [
  ...(mark ? ['a byte order mark was removed'] : []),
  ...(hidden === undefined ? [] : [`hidden characters: ${hidden}`]),
]

const shownLines = ({ first, last, lines }: FileText): readonly string[] => {
  if (lines === 0) return ['the file is empty']
  if (last === 0) return [`no such lines: the file has ${lines}`]
  return first === 1 && last === lines ? [] : [`lines ${first} to ${last} of ${lines}`]
}

/** What a reader of the text has to know beside it. */
export const describeText = (file: FileText): readonly string[] => [
  ...shownLines(file),
  ...missingText(file),
  ...unseenText(file),
]

export const readText = (
  { jail, checkDeadline, fileBytes }: JobContext,
  rules: PathRules,
  args: ReadArgs,
): FileText => fileText(jail.read(args.path, rules, { bytes: fileBytes, checkDeadline }), args)

/** One of several files: its text, or the fault. */
export type FileResult =
  | FileText
  | { readonly path: string; readonly error: string; readonly message: string }

/** Characters of a path in an error. */
const MAX_SHOWN_PATH = 256

/** Reads files under one byte budget. A file that fails becomes an error entry; the others are still read. */
export const readMany = (
  context: JobContext,
  { paths, bytes }: { readonly paths: readonly string[]; readonly bytes: number },
): readonly FileResult[] => {
  let left = bytes
  return paths.map((path, at) => {
    context.checkDeadline()
    try {
      // Each file gets an even share of the remaining budget, so unused bytes go to later files.
      const file = readText(context, context.rules, { path, bytes: Math.floor(left / (paths.length - at)) })
      left -= Buffer.byteLength(file.text)
      return file
    } catch (thrown) {
      if (!(thrown instanceof Fault) || (thrown.kind === 'exhausted' && thrown.code.endsWith('timeout')))
        throw thrown
      const error = thrown.code.slice(thrown.code.indexOf('.') + 1)
      return { path: showName(path.slice(0, MAX_SHOWN_PATH)), error, message: thrown.message }
    }
  })
}
