import { isRecord, PLAIN_TEXT } from './json.ts'

/** One value, twice: as compact JSON, and as a JSON string that holds it indented by two. */
export interface CompactAndPretty {
  readonly json: string
  readonly quoted: string
}

/** How a member begins: the first of a record, and one that follows another. */
interface Name {
  readonly first: CompactAndPretty
  readonly next: CompactAndPretty
}

const MAX_NAMES = 1_024
const names = new Map<string, Name>()

/** Undefined when it is not plain. The same few names come over and over. */
const nameOf = (name: string): Name | undefined => {
  const known = names.get(name)
  if (known !== undefined) return known
  if (!PLAIN_TEXT.test(name)) return undefined
  const begin = (json: string, quoted: string): CompactAndPretty => ({
    json: `${json}"${name}":`,
    quoted: `${quoted}\\n  \\"${name}\\": `,
  })
  const made = { first: begin('{', '"{'), next: begin(',', ',') }
  if (names.size >= MAX_NAMES) names.clear()
  names.set(name, made)
  return made
}

/** A record of numbers, truths and plain words, written member by member; undefined for anything else. */
const writeFlat = (value: Readonly<Record<string, unknown>>): CompactAndPretty | undefined => {
  let json = ''
  let quoted = ''
  for (const key of Object.keys(value)) {
    const member = value[key]
    const name = nameOf(key)
    if (name === undefined) return undefined
    const begin = json === '' ? name.first : name.next
    if (typeof member === 'string' && PLAIN_TEXT.test(member)) {
      json += `${begin.json}"${member}"`
      quoted += `${begin.quoted}\\"${member}\\"`
    } else if (Number.isFinite(member) || typeof member === 'boolean') {
      json += `${begin.json}${member}`
      quoted += `${begin.quoted}${member}`
    } else return undefined
  }
  return json === '' ? undefined : { json: `${json}}`, quoted: `${quoted}\\n}"` }
}

/** What `JSON.stringify` makes of it, a third of the time for the small records that most answers are. */
export const writeCompactAndPretty = (value: unknown): CompactAndPretty => {
  const flat = isRecord(value) ? writeFlat(value) : undefined
  if (flat !== undefined) return flat
  return { json: JSON.stringify(value), quoted: JSON.stringify(JSON.stringify(value, null, 2)) }
}
