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
  /** Lines in the file, and the numbers of those in `text`. */
  readonly lines: number
  readonly first: number
  readonly last: number
  readonly mark: boolean
  /** The file has other names, perhaps outside. */
  readonly shared: boolean
}

export interface ReadArgs extends LineChoice {
  readonly path: string
  /** Most bytes of text to give back. */
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

/** One of several files: its text, or why there is none. */
export type FileResult =
  | FileText
  | { readonly path: string; readonly error: string; readonly message: string }

/** As much of a path that could not be read as it takes to know it again. */
const MAX_SHOWN = 256

/** Many files under one budget; each that fails says why and spoils nothing for the others. */
export const readMany = (
  context: JobContext,
  { paths, bytes }: { readonly paths: readonly string[]; readonly bytes: number },
): readonly FileResult[] => {
  let left = bytes
  return paths.map((path, at) => {
    context.checkDeadline()
    try {
      // What the first ones leave goes to the next: an even share, and all that was not used before.
      const file = readText(context, context.rules, { path, bytes: Math.floor(left / (paths.length - at)) })
      left -= Buffer.byteLength(file.text)
      return file
    } catch (thrown) {
      if (!(thrown instanceof Fault) || (thrown.kind === 'exhausted' && thrown.code.endsWith('timeout')))
        throw thrown
      const error = thrown.code.slice(thrown.code.indexOf('.') + 1)
      return { path: showName(path.slice(0, MAX_SHOWN)), error, message: thrown.message }
    }
  })
}
