import { escapeRegExp } from '../../kernel/text/escape-regexp.ts'

/** The output of `ls-files --stage -z`, searched as text and not parsed: of 100,000 files only a handful is needed. */

/** A record is `<mode> <blob> <stage>\t<path>\0`; with `-z` the path is not quoted. */
const TAB = '\t'
const END = '\0'
/** Mode of regular files; symlinks have 120, submodules 160. */
const REGULAR_FILE = '100'

const pathPattern = (ends: readonly string[], starts: readonly string[]): RegExp => {
  const alternatives = (words: readonly string[]) => `(?:${words.map(escapeRegExp).join('|')})`
  const tails = ends.length === 0 ? [] : [alternatives(ends) + END]
  const heads = starts.length === 0 ? [] : [TAB + alternatives(starts)]
  const pattern = new RegExp([...tails, ...heads].join('|'), 'gi')
  // V8 interprets an expression at its first use and compiles it at the second, which is then the long text.
  pattern.test('')
  return pattern
}

// The text is Latin-1, one character per byte: ASCII patterns match correctly inside UTF-8, without decoding.
const fromBytes = (text: string): string => Buffer.from(text, 'latin1').toString('utf8')
const toBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

export class GitIndex {
  readonly #text: string

  constructor(bytes: Buffer) {
    this.#text = bytes.toString('latin1')
  }

  *find(ends: readonly string[], starts: readonly string[] = []): Generator<string> {
    const text = this.#text
    const pattern = pathPattern(ends, starts)
    for (let hit = pattern.exec(text); hit !== null; hit = pattern.exec(text)) {
      // The match may include the NUL at the end of its record.
      const start = text.lastIndexOf(END, pattern.lastIndex - 2) + 1
      const tab = text.indexOf(TAB, start)
      // A tab inside a file name does not start a path.
      if (hit[0].startsWith(TAB) && hit.index !== tab) continue
      const end = text.indexOf(END, pattern.lastIndex - 1)
      pattern.lastIndex = end
      if (text.startsWith(REGULAR_FILE, start)) yield fromBytes(text.slice(tab + 1, end))
    }
  }

  *entries(): Generator<{ readonly path: string; readonly id: string }> {
    for (const record of this.#text.split(END)) {
      const tab = record.indexOf(TAB)
      const [, id] = record.slice(0, Math.max(0, tab)).split(' ')
      if (id !== undefined) yield { path: fromBytes(record.slice(tab + 1)), id }
    }
  }

  /** The blob of a path; undefined for an unknown or unmerged path. */
  blob(path: string): string | undefined {
    const at = this.#text.indexOf(` 0${TAB}${toBytes(path)}${END}`)
    return at < 0 ? undefined : this.#text.slice(this.#text.lastIndexOf(' ', at - 1) + 1, at)
  }
}

/** The output of `ls-tree -z` in the form of the index: `<mode> <type> <hash>\t<path>` has no stage. */
export const toIndexRecords = (bytes: Buffer): Buffer =>
  Buffer.from(
    bytes.toString('latin1').replace(/(^|\0)(\d{6}) \w+ ([0-9a-f]+)\t/g, `$1$2 $3 0${TAB}`),
    'latin1',
  )
