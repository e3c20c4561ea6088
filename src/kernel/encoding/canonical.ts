import { defineFaults } from '../fault.ts'
import { isRecord, PLAIN_TEXT } from './json.ts'

export const canonicalFaults = defineFaults('canonical', {
  not_json: { kind: 'invalid', fix: 'Send finite numbers, whole Unicode strings, plain objects and arrays.' },
})

const refuse = (what: string): never => {
  throw canonicalFaults.not_json(`${what} has no canonical JSON form`)
}

const writeString = (text: string): string => {
  if (PLAIN_TEXT.test(text)) return `"${text}"`
  return text.isWellFormed() ? JSON.stringify(text) : refuse('a lone surrogate')
}

// JavaScript compares strings by UTF-16 code units, which is the order RFC 8785 asks for.
const sortedKeys = (value: object): string[] => {
  const keys = Object.keys(value)
  for (let at = 1; at < keys.length; at += 1) {
    if ((keys[at] ?? '') < (keys[at - 1] ?? '')) return keys.sort()
  }
  return keys
}

const writeObject = (value: Readonly<Record<string, unknown>>): string => {
  const proto = Object.getPrototypeOf(value)
  if (proto !== Object.prototype && proto !== null) refuse('an object that is not plain')
  let text = '{'
  for (const key of sortedKeys(value)) {
    const member = value[key]
    if (member === undefined) continue
    if (text.length > 1) text += ','
    text += `${writeString(key)}:${canonicalJson(member)}`
  }
  return `${text}}`
}

/** The one RFC 8785 text of a value: the bytes we hash, sign and compare. Undefined members are left out. */
export const canonicalJson = (value: unknown): string => {
  switch (typeof value) {
    case 'string':
      return writeString(value)
    case 'number':
      return Number.isFinite(value) ? String(value) : refuse(String(value))
    case 'boolean':
      return String(value)
    case 'object':
      if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
      return isRecord(value) ? writeObject(value) : 'null'
    default:
      return refuse(`a value of type ${typeof value}`)
  }
}
