import { findFlaw, type Message } from '../support/messages.ts'
import { LINE_BYTES, type Session } from './frames.ts'

/**
 * The expected answer to a line. Written from JSON-RPC 2.0 and the framing rules, on purpose without code of the
 * product.
 */
type Debt =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'error'; readonly id: string | number | null; readonly codes: readonly number[] }
  | { readonly kind: 'answer'; readonly id: string | number; readonly stays: boolean }
  | { readonly kind: 'cancel'; readonly id: unknown }

const NOTHING: Debt = { kind: 'nothing' }
const MAX_DEPTH = 500
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const judgeValue = (value: unknown, badParams: number): Debt => {
  const refuse = (code: number): Debt => ({ kind: 'error', id, codes: [code] })
  const own = (key: string) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined)
  const given = own('id')
  const id = typeof given === 'string' || Number.isSafeInteger(given) ? (given as string | number) : null
  if (!isObject(value)) return refuse(-32600)
  const hasId = Object.hasOwn(value, 'id')
  const method = own('method')
  // A response is never answered, however broken it is.
  if (method === undefined && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error')))
    return NOTHING
  if (own('jsonrpc') !== '2.0' || (hasId && id === null)) return refuse(-32600)
  if (typeof method !== 'string') return refuse(-32600)
  const params = own('params')
  if (params !== undefined && !isObject(params)) return hasId ? refuse(badParams) : NOTHING
  if (id !== null) return { kind: 'answer', id, stays: method === 'subscriptions/listen' }
  return method === 'notifications/cancelled' ? { kind: 'cancel', id: params?.requestId } : NOTHING
}

const isDeep = (text: string): boolean => {
  let depth = 0
  for (const [bracket] of text.replace(/"(?:[^"\\]|\\.)*"?/gs, '').matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    if (depth > MAX_DEPTH) return true
  }
  return false
}

const judgeLine = (line: Buffer, dialect: Session['dialect']): Debt => {
  const none = (...codes: readonly number[]): Debt => ({ kind: 'error', id: null, codes })
  if (line.length > LINE_BYTES) return none(dialect === 'scg' ? 2000 : -32600)
  let text: string
  try {
    text = decoder
      .decode(line)
      .replace(/\r$/, '')
      .replace(/^\ufeff/, '')
  } catch {
    return none(-32700)
  }
  if (/^\s*$/.test(text)) return NOTHING
  // Too deep nesting is refused before parsing, so the line need not be valid JSON.
  if (isDeep(text)) return none(-32600, -32700)
  try {
    return judgeValue(JSON.parse(text), dialect === 'scg' ? 2000 : -32602)
  } catch {
    return none(-32700)
  }
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** A message of a batch: a handshake and an envelope cannot be part of one. */
const judgeMember = (value: unknown, badParams: number): Debt => {
  const debt = judgeValue(value, badParams)
  const { method, params } = isObject(value) ? value : {}
  const meta = isObject(params) && isObject(params._meta) ? params._meta : {}
  const isExcluded = method === 'initialize' || Object.hasOwn(meta, VERSION_KEY)
  return debt.kind === 'answer' && isExcluded ? { kind: 'error', id: debt.id, codes: [-32600] } : debt
}

/** Batches are taken apart once a session has negotiated the revision that has them. */
const judgeLines = (lines: readonly Buffer[], dialect: Session['dialect']): readonly Debt[] => {
  const parse = (line: Buffer): unknown => {
    try {
      return JSON.parse(decoder.decode(line).replace(/^\ufeff/, ''))
    } catch {
      return undefined
    }
  }
  let batches = false
  return lines.flatMap((line): readonly Debt[] => {
    const whole = judgeLine(line, dialect)
    const value = parse(line)
    if (whole.kind === 'answer' && isObject(value) && value.method === 'initialize') {
      const { params } = value
      batches = isObject(params) && params.protocolVersion === '2025-03-26'
    }
    if (!batches || !Array.isArray(value) || value.length === 0 || whole.kind !== 'error') return [whole]
    if (whole.codes.length !== 1) return [whole]
    return value.map((member) => judgeMember(member, dialect === 'scg' ? 2000 : -32602))
  })
}

const splitLines = (bytes: Buffer): readonly Buffer[] => {
  const lines: Buffer[] = []
  for (let from = 0; from < bytes.length; ) {
    const at = bytes.indexOf(10, from)
    const end = at === -1 ? bytes.length : at
    lines.push(bytes.subarray(from, end))
    from = end + 1
  }
  return lines
}

const keyOf = (id: unknown): string => `${typeof id} ${Object.is(id, -0) ? 0 : id}`

const count = <K>(map: Map<K, number>, key: K): void => void map.set(key, (map.get(key) ?? 0) + 1)

const compareIds = (debts: readonly Debt[], messages: readonly Message[]): string | undefined => {
  const owed = new Map<string, number>()
  const paid = new Map<string, number>()
  const loose = new Set<string>()
  for (const debt of debts) {
    if (debt.kind === 'cancel' && (typeof debt.id === 'string' || typeof debt.id === 'number'))
      loose.add(keyOf(debt.id))
    if (debt.kind === 'answer' || debt.kind === 'error') count(owed, keyOf(debt.id))
  }
  for (const message of messages) if (message.method === undefined) count(paid, keyOf(message.id))
  for (const key of new Set([...owed.keys(), ...paid.keys()])) {
    const [want, have] = [owed.get(key) ?? 0, paid.get(key) ?? 0]
    // A cancelled request may still be answered: answer and cancellation may have crossed.
    if (have > want || (have < want && !loose.has(key)))
      return `id ${key}: ${want} answers owed, ${have} given`
  }
  return undefined
}

const compareCodes = (debts: readonly Debt[], messages: readonly Message[]): string | undefined => {
  const owed = new Map<string, number>()
  const paid = new Map<string, number>()
  for (const debt of debts) {
    if (debt.kind === 'error' && debt.codes.length === 1) count(owed, `${keyOf(debt.id)} ${debt.codes[0]}`)
  }
  for (const { id, error } of messages) if (error !== undefined) count(paid, `${keyOf(id)} ${error.code}`)
  for (const [key, want] of owed) {
    if ((paid.get(key) ?? 0) < want) return `${key}: ${want} errors owed, ${paid.get(key) ?? 0} given`
  }
  return undefined
}

export interface Verdict {
  /** Undefined when the session is correct. */
  readonly flaw: string | undefined
  readonly messages: readonly Message[]
}

/** Compares everything a server wrote in a session with the expected answers. */
export const judge = ({ dialect, frames }: Session, written: string, secret: string): Verdict => {
  const messages: Message[] = []
  const lines = written.split('\n')
  if (lines.pop() !== '') return { flaw: 'the last line has no newline', messages }
  if (written.includes(secret)) return { flaw: 'an internal detail was written', messages }
  for (const line of lines) {
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      return { flaw: `not JSON: ${line.slice(0, 200)}`, messages }
    }
    for (const message of Array.isArray(value) ? value : [value]) {
      const flaw = findFlaw(message)
      if (flaw !== undefined) return { flaw: `${flaw}: ${line.slice(0, 200)}`, messages }
      messages.push(message as Message)
    }
  }
  const debts = judgeLines(splitLines(Buffer.concat(frames.map(({ bytes }) => bytes))), dialect)
  return { flaw: compareIds(debts, messages) ?? compareCodes(debts, messages), messages }
}
