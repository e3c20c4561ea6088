import { isUtf8 } from 'node:buffer'

/** A path of git is bytes. As text, a name that is no UTF-8 has escapes for these bytes, so that no two become one. */

const ESCAPE = /\\x([0-9a-f]{2})/g

/** Whether a path has escapes: no file can be opened by it. A name that looks so is escaped as well. */
export const isEscapedPath = (path: string): boolean => path.search(ESCAPE) >= 0

const escapeByte = (char: string): string => `\\x${char.charCodeAt(0).toString(16)}`

/** One path, or one record of a list, from Latin-1: one character for each byte. */
export const decodePath = (latin1: string): string => {
  const bytes = Buffer.from(latin1, 'latin1')
  const text = bytes.toString('utf8')
  return isUtf8(bytes) && !isEscapedPath(text) ? text : latin1.replace(/[\\\x80-\xff]/g, escapeByte)
}

/** The bytes of a path, in Latin-1. */
export const encodePath = (path: string): string =>
  isEscapedPath(path)
    ? path.replace(ESCAPE, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    : Buffer.from(path, 'utf8').toString('latin1')

/** A list of git, of records that end with NUL. */
export const decodeRecords = (bytes: Buffer): string => {
  const text = bytes.toString('utf8')
  if (isUtf8(bytes) && !isEscapedPath(text)) return text
  return bytes.toString('latin1').split('\0').map(decodePath).join('\0')
}
