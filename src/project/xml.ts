import { projectFaults } from './faults.ts'

/** An element, its prefix dropped: build files differ in namespaces, not in meaning. */
export interface Element {
  readonly name: string
  readonly children: readonly Element[]
  /** Its own text, without that of its children, trimmed. */
  readonly text: string
}

interface Open {
  readonly name: string
  readonly children: Element[]
  text: string
}

const MAX_DEPTH = 200

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const decode = (text: string): string =>
  text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w{1,8});/gi, (whole, word: string) => {
    if (!word.startsWith('#')) return ENTITIES[word] ?? whole
    const code = /^#x/i.test(word) ? Number.parseInt(word.slice(2), 16) : Number(word.slice(1))
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })

const plainName = (name: string): string => name.slice(name.indexOf(':') + 1)

const broken = (why: string) => projectFaults.xml(`not well-formed XML: ${why}`)

/** What is skipped whole, by how it begins and ends. */
const SKIPPED: readonly (readonly [start: string, end: string])[] = [
  ['<!--', '-->'],
  ['<?', '?>'],
]

/**
 * Reads a document in one pass. Whoever sends a DOCTYPE wants entities expanded or files fetched; neither is done
 * here, so it is refused.
 */
export const readXml = (source: string): Element => {
  const top: Open = { name: '', children: [], text: '' }
  const open: Open[] = [top]
  const here = (): Open => open.at(-1) ?? top
  let at = 0
  const until = (end: string, from: number): number => {
    const found = source.indexOf(end, from)
    if (found === -1) throw broken(`no ${end}`)
    return found
  }

  const closeTag = (name: string) => {
    const done = open.pop()
    if (done === undefined || done === top || done.name !== name) throw broken('tags do not match')
    here().children.push({ ...done, text: done.text.trim() })
  }

  const readTag = () => {
    // A `>` inside of an attribute's quotes does not end the tag.
    const tag = /^<(\/?)([A-Za-z_][\w.:-]{0,127})((?:[^<>"']|"[^"]*"|'[^']*')*)>/.exec(
      source.slice(at, at + 65_536),
    )
    if (tag === null) throw broken('a bad tag')
    const [whole, slash, raw = '', rest = ''] = tag
    const name = plainName(raw)
    at += whole.length
    if (slash === '/') return closeTag(name)
    if (open.length > MAX_DEPTH) throw broken('too deep')
    open.push({ name, children: [], text: '' })
    if (rest.trimEnd().endsWith('/')) closeTag(name)
  }

  const step = () => {
    if (source[at] !== '<') {
      const next = source.indexOf('<', at)
      const end = next === -1 ? source.length : next
      here().text += decode(source.slice(at, end))
      at = end
      return
    }
    const skipped = SKIPPED.find(([start]) => source.startsWith(start, at))
    if (skipped !== undefined) {
      at = until(skipped[1], at) + skipped[1].length
    } else if (source.startsWith('<![CDATA[', at)) {
      const end = until(']]>', at)
      here().text += source.slice(at + 9, end)
      at = end + 3
    } else if (source.startsWith('<!', at)) {
      throw projectFaults.xml('a document type is not read')
    } else readTag()
  }

  while (at < source.length) step()
  if (open.length !== 1) throw broken('a tag is not closed')
  const root = top.children[0]
  if (root === undefined) throw broken('it is empty')
  return root
}

/** The first child of a name. Only a child: a parent's name must not pass for one's own. */
export const childOf = (element: Element | undefined, name: string): Element | undefined =>
  element?.children.find((child) => child.name === name)

export const childrenOf = (element: Element | undefined, name: string): readonly Element[] =>
  element?.children.filter((child) => child.name === name) ?? []
