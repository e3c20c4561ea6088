import { escapeRegExp } from '../../kernel/text/escape-regexp.ts'

/** What `ls-files --stage -z` says, kept as it came: of a hundred thousand files a handful is ever asked for. */

/** A record is `<mode> <blob> <stage>\t<path>\0`; a path holds neither a NUL nor, here, anything but its bytes. */
const TAB = '\t'
const END = '\0'
/** Regular files have a mode that starts with 100, links 120, submodules 160. */
const FILE = '100'

const patternOf = (ends: readonly string[], starts: readonly string[]): RegExp => {
  const tails = `(?:${ends.map(escapeRegExp).join('|')})${END}`
  const heads = starts.length === 0 ? '' : `|${TAB}(?:${starts.map(escapeRegExp).join('|')})`
  const pattern = new RegExp(tails + heads, 'gi')
  // The engine interprets an expression the first time and compiles it the second: the long text is the second.
  pattern.test('')
  return pattern
}

// One letter a byte: places in the text are places in the bytes, and looking for ASCII finds nothing else in UTF-8.
const fromBytes = (text: string): string => Buffer.from(text, 'latin1').toString('utf8')
const toBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

export class GitIndex {
  readonly #text: string

  constructor(bytes: Buffer) {
    this.#text = bytes.toString('latin1')
  }

  *find(ends: readonly string[], starts: readonly string[] = []): Generator<string> {
    const text = this.#text
    const pattern = patternOf(ends, starts)
    for (let hit = pattern.exec(text); hit !== null; hit = pattern.exec(text)) {
      // What matched may end with the NUL of its own record.
      const start = text.lastIndexOf(END, pattern.lastIndex - 2) + 1
      const tab = text.indexOf(TAB, start)
      // A tab within a name is not where a path begins.
      if (hit[0].startsWith(TAB) && hit.index !== tab) continue
      const end = text.indexOf(END, pattern.lastIndex - 1)
      pattern.lastIndex = end
      if (text.startsWith(FILE, start)) yield fromBytes(text.slice(tab + 1, end))
    }
  }

  /** The blob of a path; undefined when it is not there, or not merged. */
  blob(path: string): string | undefined {
    const at = this.#text.indexOf(` 0${TAB}${toBytes(path)}${END}`)
    return at < 0 ? undefined : this.#text.slice(this.#text.lastIndexOf(' ', at - 1) + 1, at)
  }
}
