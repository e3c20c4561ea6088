import { isRecord } from '../../../kernel/encoding/json.ts'
import { decodeLenient, markedEncoding } from '../../../kernel/text/decode.ts'
import { CheckUnreadable } from './reader.ts'

export type JsonRecord = Readonly<Record<string, unknown>>

/** A member of an object, whatever its author named it: inherited members do not count. */
export const member = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined

export const objectAt = (value: unknown, name: string): JsonRecord | undefined => {
  const found = member(value, name)
  return isRecord(found) ? found : undefined
}

export const textAt = (value: unknown, name: string): string | undefined => {
  const found = member(value, name)
  return typeof found === 'string' && found !== '' ? found : undefined
}

export const listAt = (value: unknown, name: string): readonly unknown[] => {
  const found = member(value, name)
  return Array.isArray(found) ? found : []
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58]
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [91, 93, 123, 125]

const broken = (): CheckUnreadable => new CheckUnreadable('the output is not JSON, or it is cut')

const isSpace = (byte: number | undefined): boolean => byte === 32 || byte === 10 || byte === 13 || byte === 9

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(decodeLenient(bytes))
  } catch {
    throw broken()
  }
}

/** A list that was left out of the rest. */
export interface JsonList {
  /** Where the list was: the keys and indexes on the way to it. */
  readonly path: readonly (string | number)[]
  readonly elements: Iterable<unknown>
}

/** Finds lists in a JSON text without building its tree. What it leaves out or keeps is parsed by `JSON.parse` later. */
class Splitter {
  readonly #bytes: Uint8Array
  readonly lists: { path: (string | number)[]; start: number; end: number }[] = []

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  #skipSpace(from: number): number {
    let at = from
    while (isSpace(this.#bytes[at])) at += 1
    return at
  }

  #stringEnd(from: number): number {
    for (let at = from + 1; ; ) {
      const quote = this.#bytes.indexOf(QUOTE, at)
      if (quote < 0) throw broken()
      let slashes = 0
      while (this.#bytes[quote - 1 - slashes] === BACKSLASH) slashes += 1
      at = quote + 1
      if (slashes % 2 === 0) return at
    }
  }

  /** The position after the value that starts here. */
  skipValue(from: number): number {
    let depth = 0
    for (let at = this.#skipSpace(from); at < this.#bytes.length; ) {
      const byte = this.#bytes[at]
      if (byte === QUOTE) at = this.#stringEnd(at)
      else {
        if (byte === ARRAY || byte === OBJECT) depth += 1
        else if (byte === ARRAY_END || byte === OBJECT_END) depth -= 1
        else if (depth === 0 && (byte === COMMA || isSpace(byte))) return at
        // The bracket of the enclosing list ends a number or a word.
        if (depth < 0) return at
        at += 1
      }
      if (depth === 0 && (byte === QUOTE || byte === ARRAY_END || byte === OBJECT_END)) return at
    }
    if (depth > 0) throw broken()
    return this.#bytes.length
  }

  /** Calls `visit` at the start of each element or member; it returns the position after the value. */
  #each(from: number, end: number, visit: (at: number, index: number) => number): number {
    let at = this.#skipSpace(from + 1)
    if (this.#bytes[at] === end) return at + 1
    for (let index = 0; ; index += 1) {
      const after = this.#skipSpace(visit(at, index))
      if (after <= at) throw broken()
      if (this.#bytes[after] === end) return after + 1
      if (this.#bytes[after] !== COMMA) throw broken()
      at = this.#skipSpace(after + 1)
    }
  }

  /** Follows `way`, whose last part is the list; `*` is every element of a list. */
  walk(from: number, way: readonly string[], path: readonly (string | number)[] = []): number {
    const at = this.#skipSpace(from)
    const [step, ...rest] = way
    if (step === undefined) {
      if (this.#bytes[at] !== ARRAY) return this.skipValue(at)
      const end = this.skipValue(at)
      this.lists.push({ path: [...path], start: at, end })
      return end
    }
    if (step === '*' && this.#bytes[at] === ARRAY)
      return this.#each(at, ARRAY_END, (element, index) => this.walk(element, rest, [...path, index]))
    if (step !== '*' && this.#bytes[at] === OBJECT)
      return this.#each(at, OBJECT_END, (member) => {
        if (this.#bytes[member] !== QUOTE) throw broken()
        const end = this.#stringEnd(member)
        const colon = this.#skipSpace(end)
        if (this.#bytes[colon] !== COLON) throw broken()
        const isStep =
          end - member === step.length + 2 &&
          decodeLenient(this.#bytes.subarray(member + 1, end - 1)) === step
        return isStep ? this.walk(colon + 1, rest, [...path, step]) : this.skipValue(colon + 1)
      })
    return this.skipValue(at)
  }

  *elements(start: number): Generator<unknown> {
    let at = this.#skipSpace(start + 1)
    while (this.#bytes[at] !== ARRAY_END) {
      const end = this.skipValue(at)
      yield parse(this.#bytes.subarray(at, end))
      const next = this.#skipSpace(end)
      if (this.#bytes[next] === ARRAY_END) return
      if (this.#bytes[next] !== COMMA) throw broken()
      at = this.#skipSpace(next + 1)
    }
  }
}

const EMPTY_LIST = new Uint8Array([ARRAY, ARRAY_END])

/**
 * Splits a large JSON text: the lists at `way` (such as `runs`, `*`, `results`) are parsed one element at a time, and
 * the rest at once, with empty lists in their place. A report of 100 MB then costs little more memory than its bytes.
 */
export const splitJson = (
  bytes: Uint8Array,
  way: readonly string[],
): { rest: unknown; lists: readonly JsonList[] } => {
  const encoding = markedEncoding(bytes)
  const source =
    encoding === undefined
      ? bytes
      : encoding === 'utf-8'
        ? bytes.subarray(3)
        : new TextEncoder().encode(decodeLenient(bytes))
  const splitter = new Splitter(source)
  splitter.walk(0, way)
  const pieces: Uint8Array[] = []
  let kept = 0
  for (const { start, end } of splitter.lists) {
    pieces.push(source.subarray(kept, start), EMPTY_LIST)
    kept = end
  }
  pieces.push(source.subarray(kept))
  const rest = parse(Buffer.concat(pieces))
  const lists = splitter.lists.map(({ path, start }) => ({ path, elements: splitter.elements(start) }))
  return { rest, lists }
}
