import { Fault } from '../../kernel/fault.ts'
import type { FileBytes, PathRules } from '../../kernel/jail.ts'
import { showName } from '../access-rules.ts'
import type { JobContext } from '../job-context.ts'
import { chooseLines, decodeText, fitLines, type LineChoice } from './text.ts'

export interface FileText {
  readonly path: string
  readonly text: string
  readonly size: number
  readonly modified: string
  /** Number of lines in the file; `first` and `last` are the lines in `text`. */
  readonly lines: number
  readonly first: number
  readonly last: number
  readonly mark: boolean
  /** The file has several hard links, perhaps outside of the root. */
  readonly shared: boolean
}

export interface ReadArgs extends LineChoice {
  readonly path: string
  /** Maximum size of the text. */
  readonly bytes: number
}

const asText = (file: FileBytes, asked: ReadArgs): FileText => {
  const { text, mark } = decodeText(file.bytes, asked.path)
  return {
    path: file.path,
    ...fitLines(chooseLines(text, asked), asked.bytes),
    size: file.size,
    modified: new Date(file.modified).toISOString(),
    mark,
    shared: file.linkCount > 1,
  }
}

export const readText = (
  { jail, checkDeadline, fileBytes }: JobContext,
  rules: PathRules,
  args: ReadArgs,
): FileText => asText(jail.read(args.path, rules, { bytes: fileBytes, checkDeadline }), args)

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
