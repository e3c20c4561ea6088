import { isRecord } from '../../kernel/encoding/json.ts'
import { decodeStrict } from '../../kernel/text/decode.ts'
import { storeFaults } from '../../lineage/faults.ts'
import type { NodeRef, Row, TreeNode } from '../../lineage/store.ts'

/** Argument checks and text encoding that all log stores share. */

const NAME = /^[A-Za-z0-9._-]{1,64}$/
const HASH = /^[0-9a-f]{64}$/
const HASH_BYTES = 32

export const checkLogName = (name: string): void => {
  if (!NAME.test(name)) throw storeFaults.name('the name of the log is invalid')
}

const parseGenesis = (genesis: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(genesis)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

/** The settings that differ from the stored genesis. Stored values are truncated, because they are not trusted. */
const describeDifferences = (stored: string, asked: string): string => {
  const there = parseGenesis(stored)
  const words = Object.entries(parseGenesis(asked))
    .filter(([key, value]) => Object.hasOwn(there, key) && there[key] !== value)
    .map(([key]) => `${key} is ${JSON.stringify(there[key]).slice(0, 40)} there`)
  return words.length === 0 ? '' : `: ${words.join(', ')}`
}

export const checkGenesis = (name: string, stored: string, asked: string): void => {
  if (stored === asked) return
  throw storeFaults.genesis(
    `the log ${name} was created with other settings${describeDifferences(stored, asked)}`,
  )
}

// Wrong values below are bugs of our own code: they throw a RangeError and not a fault.

const checkCount = (value: number, what: string): void => {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${what} cannot be ${value}`)
}

const checkText = (text: string, what: string, seq?: number): void => {
  if (!text.isWellFormed()) throw new RangeError(`${what}${seq ?? ''} has a lone surrogate`)
}

export const checkRange = (from: number, limit: number): void => {
  checkCount(from, 'the first entry to read')
  checkCount(limit, 'the number of entries to read')
}

export const checkAppend = (expected: number, rows: readonly Row[], nodes: readonly TreeNode[]): void => {
  checkCount(expected, 'the expected size')
  rows.forEach(({ seq, entry, payload }, place) => {
    if (seq !== expected + place) throw new RangeError(`expected entry ${expected + place}, got ${seq}`)
    checkText(entry, 'entry ', seq)
    checkText(payload ?? '', 'payload ', seq)
  })
  for (const { level, index, hash } of nodes) {
    checkCount(level, 'the level of a node')
    checkCount(index, 'the index of a node')
    if (!HASH.test(hash)) throw new RangeError(`node ${level}/${index} has no hash`)
  }
}

export const encodeText = (text: string): Buffer => {
  checkText(text, 'a text')
  return Buffer.from(text, 'utf8')
}

export const decodeStored = (bytes: unknown, what: string): string => {
  try {
    if (bytes instanceof Uint8Array) return decodeStrict(bytes)
  } catch {
    // Invalid UTF-8: the fault below.
  }
  throw storeFaults.damaged(`${what} is not text`)
}

export const encodeHash = (hash: string): Buffer => Buffer.from(hash, 'hex')

export const decodeHash = (bytes: unknown, { level, index }: NodeRef): string => {
  if (!(bytes instanceof Uint8Array) || bytes.length !== HASH_BYTES) {
    throw storeFaults.damaged(`tree node ${level}/${index} is not a hash`)
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

export const missingNode = ({ level, index }: NodeRef) =>
  storeFaults.absent(`the tree has no node ${level}/${index}`, { detail: { level, index } })

export const missingEntry = (seq: number) =>
  storeFaults.absent(`the log has no entry ${seq}`, { detail: { seq } })

/** A gap: later entries exist, so this is damage and not the end of the log. */
export const lostEntry = (seq: number) => storeFaults.damaged(`entry ${seq} is missing`, { detail: { seq } })

/** Returns rows that were read from a store, after checking that none is missing. */
export const checkOrder = (rows: readonly Row[], from: number): readonly Row[] => {
  rows.forEach(({ seq }, place) => {
    if (seq !== from + place) throw lostEntry(from + place)
  })
  return rows
}
