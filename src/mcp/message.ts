import { isRecord } from '../kernel/encoding/json.ts'

export type RequestId = string | number
export type Params = Readonly<Record<string, unknown>>

export interface Request {
  readonly jsonrpc: '2.0'
  readonly id: RequestId
  readonly method: string
  readonly params?: Params
}

export interface Notification {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params?: Params
}

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** What the SDK sends: a response, or a message of its own. */
export type SdkMessage = Readonly<{ id?: RequestId | undefined; method?: string; error?: RpcError }>

export type RpcRefusal = { readonly error: RpcError }
export const isRefusal = (value: object): value is RpcRefusal => 'error' in value

/** Why a frame is no valid message, or has no answer. The dialect maps it to a code and a text. */
export type FrameFault =
  | 'parse'
  | 'oversize'
  | 'depth'
  | 'request'
  | 'params'
  | 'duplicate'
  | 'method'
  | 'stopping'

export type Frame =
  /** Nothing to answer: an empty line, or a message that expects no response. */
  | { readonly kind: 'blank' }
  | { readonly kind: 'request'; readonly message: Request }
  | { readonly kind: 'notification'; readonly message: Notification }
  | { readonly kind: 'response'; readonly message: Readonly<Record<string, unknown>> }
  | { readonly kind: 'reject'; readonly id: RequestId | null; readonly fault: FrameFault }

/** A line: one message, or a batch of them. */
export type LineFrame = Frame | { readonly kind: 'batch'; readonly messages: readonly unknown[] }

const jsonrpc = '2.0'
const BYTE_ORDER_MARK = 0xfeff

export const readId = (id: unknown): RequestId | null =>
  typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id : null

/** Classifies a JSON value as a JSON-RPC message. Unknown top-level members are dropped. */
export const classifyMessage = (value: unknown, nullParams = false): Frame => {
  if (!isRecord(value)) return { kind: 'reject', id: null, fault: 'request' }
  const hasId = Object.hasOwn(value, 'id')
  const id = readId(value.id)
  const { method } = value
  const params = nullParams && value.params === null ? undefined : value.params
  const reject = (fault: FrameFault): Frame => ({ kind: 'reject', id, fault })
  if (method === undefined && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'))) {
    // A response is never answered, not even an invalid one: two servers could answer each other without end.
    return value.jsonrpc === jsonrpc && id !== null ? { kind: 'response', message: value } : { kind: 'blank' }
  }
  if (value.jsonrpc !== jsonrpc || (hasId && id === null) || typeof method !== 'string') {
    return reject('request')
  }
  if (params !== undefined && !isRecord(params)) return hasId ? reject('params') : { kind: 'blank' }
  if (!hasId || id === null) {
    const message: Notification = params === undefined ? { jsonrpc, method } : { jsonrpc, method, params }
    return { kind: 'notification', message }
  }
  const message: Request = params === undefined ? { jsonrpc, method, id } : { jsonrpc, method, params, id }
  return { kind: 'request', message }
}

/** Parses one line of stdio. */
export const readFrame = (line: string, nullParams = false): LineFrame => {
  const text = line.charCodeAt(0) === BYTE_ORDER_MARK ? line.slice(1) : line
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text.trim() === '' ? { kind: 'blank' } : { kind: 'reject', id: null, fault: 'parse' }
  }
  return Array.isArray(value) ? { kind: 'batch', messages: value } : classifyMessage(value, nullParams)
}

export const writeError = (id: RequestId | null, error: RpcError): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error })

/** Members in the SDK's order, so that both paths give the same bytes. */
export const writeResult = (id: RequestId, json: string): string =>
  `{"result":${json},"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)}}`

/** Whether brackets outside strings nest deeper than `limit`. */
export const exceedsDepth = (text: string, limit: number): boolean => {
  if (text.length <= limit) return false
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') {
      for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1
    } else if (char === '{' || char === '[') {
      depth += 1
      if (depth > limit) return true
    } else if (char === '}' || char === ']') {
      depth -= 1
    }
  }
  return false
}
