import { createHash } from 'node:crypto'
import type * as z from 'zod'
import { type CooperativeTask, runSync } from '../kernel/async/cooperative.ts'
import { digestBytes } from '../kernel/encoding/hash.ts'
import { isRecord } from '../kernel/encoding/json.ts'
import { parseDocument } from './document.ts'
import { FORBIDDEN_KEY } from './finding.ts'
import { Evidence, Finding, LedgerEntry, Suppressed, ViolationEntry } from './schema.ts'
import type { EvidenceReading } from './store.ts'

/** Largest file that is read: far more than any gate run writes. */
export const MAX_BYTES = 64 * 1024 * 1024

/** Deeper than any evidence, and far below the depth at which recursion exhausts the stack. */
const MAX_DEPTH = 64

type Invalid = Extract<EvidenceReading, { kind: 'invalid' }>

const invalid = (reason: string, more: Omit<Invalid, 'kind' | 'reason'> = {}): Invalid => ({
  kind: 'invalid',
  reason,
  ...more,
})

/** Items of a list that are checked or written in one step: a few milliseconds of work. */
const ITEMS_PER_STEP = 2_000
/** Characters that are hashed in one step. */
const HASHED_PER_STEP = 256 * 1024

/** Path of a value that is nested too deep or of a forbidden key; undefined when there is none. */
const findUnsafePath = <T>(value: T, left: number): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  if (left === 0) return ''
  for (const key in value) {
    const below = key === FORBIDDEN_KEY ? '' : findUnsafePath<unknown>(value[key], left - 1)
    if (below !== undefined) return below === '' ? key : `${key}.${below}`
  }
  return undefined
}

/** The lists of an evidence file that grow with the repository, by their schemas. */
const LISTS: readonly {
  readonly of: (evidence: Record<string, unknown>) => unknown
  readonly item: z.ZodType
}[] = [
  { of: ({ snapshot }) => isRecord(snapshot) && snapshot.findings, item: Finding },
  { of: ({ ledger }) => ledger, item: LedgerEntry },
  { of: ({ ai_gate: gate }) => isRecord(gate) && gate.violations, item: ViolationEntry },
  { of: ({ consolidation }) => isRecord(consolidation) && consolidation.suppressed, item: Suppressed },
]

/** The same value with these lists empty. */
const withoutLists = (value: unknown, lists: ReadonlySet<unknown>): unknown => {
  if (lists.has(value)) return []
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutLists(member, lists)]))
}

/** Whether the schema accepts the value: first all but the long lists, then these item by item. */
function* isEvidence(value: Record<string, unknown>): CooperativeTask<boolean> {
  const lists = LISTS.map(({ of, item }) => ({ list: of(value), item }))
  const long = lists.flatMap(({ list, item }) =>
    Array.isArray(list) && list.length > ITEMS_PER_STEP ? [{ list, item }] : [],
  )
  if (!Evidence.safeParse(withoutLists(value, new Set(long.map(({ list }) => list)))).success) return false
  for (const { list, item } of long) {
    for (const [at, one] of list.entries()) {
      if (at % ITEMS_PER_STEP === 0) yield
      if (!item.safeParse(one).success) return false
    }
  }
  return true
}

/** The compact JSON of a parsed value in parts, long lists in many. */
function* jsonParts(value: unknown): Generator<string> {
  if (Array.isArray(value) && value.length > ITEMS_PER_STEP) {
    for (let from = 0; from < value.length; from += ITEMS_PER_STEP) {
      const items = JSON.stringify(value.slice(from, from + ITEMS_PER_STEP)).slice(1, -1)
      yield `${from === 0 ? '[' : ','}${items}`
    }
    yield ']'
  } else if (isRecord(value)) {
    let mark = '{'
    for (const [key, member] of Object.entries(value)) {
      yield `${mark}${JSON.stringify(key)}:`
      yield* jsonParts(member)
      mark = ','
    }
    yield mark === '{' ? '{}' : '}'
  } else {
    yield JSON.stringify(value)
  }
}

/** `payloadHash` of `document.ts` in steps. */
function* hashPayload({ evidence_chain: _, ...rest }: Evidence): CooperativeTask<string> {
  const hash = createHash('sha256')
  let size = 0
  for (const part of jsonParts(rest)) {
    hash.update(part)
    size += part.length
    if (size < HASHED_PER_STEP) continue
    size = 0
    yield
  }
  return `sha256:${hash.digest('hex')}`
}

const MAX_PATH = 256

/** `readDocument` in steps. Only to parse the JSON takes longer than a few milliseconds. */
export function* readDocumentSteps(bytes: Uint8Array): CooperativeTask<EvidenceReading> {
  if (bytes.length > MAX_BYTES) return invalid('too-large')
  const value = parseDocument(bytes)
  if (!isRecord(value)) return invalid('not-json')
  const version = typeof value.version === 'string' ? { version: value.version } : {}
  if (value.version !== '2.1') return invalid('wrong-version', version)
  yield
  const unsafe = findUnsafePath(value, MAX_DEPTH)
  if (unsafe !== undefined) return invalid('schema', { ...version, at: unsafe.slice(0, MAX_PATH) })
  yield
  if (!(yield* isEvidence(value))) {
    const path = (Evidence.safeParse(value).error?.issues[0]?.path ?? []).map(String)
    const reason = path[0] === 'evidence_chain' ? 'evidence-chain-invalid' : 'schema'
    return invalid(reason, { ...version, at: path.join('.').slice(0, MAX_PATH) })
  }
  // Not the copy that zod made: the hash depends on the order of the keys in the file.
  const evidence = value as Evidence
  const chain = evidence.evidence_chain
  if (chain !== undefined && chain.payload_hash !== (yield* hashPayload(evidence))) {
    return invalid('evidence-chain-invalid', { ...version, at: 'evidence_chain.payload_hash' })
  }
  yield
  return { kind: 'valid', evidence, digest: digestBytes(bytes) }
}

/** Parses and validates the bytes of an evidence file. Never throws: invalid input is an answer too. */
export const readDocument = (bytes: Uint8Array): EvidenceReading => runSync(readDocumentSteps(bytes))
