/** A longer note is not read to its end. */
export const MAX_NOTE_BYTES = 8 * 1024 * 1024

/** The lines of a note, one character for each byte, so that a note comes back as it was. */
export const splitNote = (bytes: Uint8Array): string[] =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '')

export const encodeLine = (line: string): string[] => splitNote(Buffer.from(line, 'utf8'))

/** The line as text; undefined when it is not UTF-8. */
export const decodeLine = (line: string): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(line, 'latin1'))
  } catch {
    return undefined
  }
}

/** All lines, each once, in the order of their bytes: the `cat_sort_uniq` of git notes. */
export const unionLines = (...lists: readonly (readonly string[])[]): string[] =>
  [...new Set(lists.flat())].sort()

export const joinLines = (lines: readonly string[]): Buffer =>
  Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1')
