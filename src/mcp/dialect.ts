import { isRecord, type JsonObject } from '../kernel/encoding/json.ts'
import { defineFaults, type Fault, type FaultKind, viewFault } from '../kernel/fault.ts'
import { keysOf } from '../kernel/keys-of.ts'
import type { Content } from '../kernel/tool.ts'
import type { FrameFault, RpcError } from './message.ts'

/** The result of `tools/call`, its members in the order the SDK writes them. */
export interface ToolResult {
  readonly _meta?: Readonly<Record<string, unknown>>
  readonly content: readonly Content[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

/** How failures look on the wire. The tools are the same in every dialect. */
export interface Dialect {
  readonly name: string
  /** The protocol version for an `initialize` that names none. */
  readonly defaultVersion: string
  frame(fault: FrameFault, detail?: string): RpcError
  unknownTool(name: string): RpcError
  /** An unknown resource or prompt. */
  absent(what: string, detail: JsonObject): RpcError
  /** The JSON-RPC error of a fault; undefined when it travels as a tool execution error. */
  fault(fault: Fault): RpcError | undefined
  /** A defect of ours. The details are in the log. */
  bug(): RpcError
}

export const serverFaults = defineFaults('server', {
  internal: {
    kind: 'unavailable',
    fix: 'This is a defect of the server: its log on stderr has the details, please report them. Other requests still work.',
  },
})

/** The `_meta` key under which a tool error carries its fault as data. */
export const FAULT_META = 'warrant/fault'

const INTERNAL_ERROR = { code: -32603, message: 'Internal error' } as const

const FRAMES: Readonly<Record<FrameFault, { readonly code: number; readonly text: string }>> = {
  parse: { code: -32700, text: 'Parse error' },
  oversize: { code: -32600, text: 'Invalid Request: the message is too long' },
  depth: { code: -32600, text: 'Invalid Request: the message nests too deep' },
  request: { code: -32600, text: 'Invalid Request' },
  duplicate: { code: -32600, text: 'Invalid Request: a request with this id is still being answered' },
  params: { code: -32602, text: 'Invalid params' },
  method: { code: -32601, text: 'Method not found' },
  stopping: { code: -32000, text: 'The server stopped before it had an answer' },
}

// Quoted input of the caller is escaped and shortened.
const quote = (text: string): string => JSON.stringify(text.slice(0, 128))

const withDetail = (text: string, detail: string | undefined): string =>
  detail === undefined ? text : `${text}: ${detail}`

/** MCP as specified: faults are tool errors that the model reads; protocol errors go to the client. */
const standard: Dialect = {
  name: 'standard',
  defaultVersion: '2025-11-25',
  frame: (fault, detail) => ({ code: FRAMES[fault].code, message: withDetail(FRAMES[fault].text, detail) }),
  unknownTool: (name) => ({ code: -32602, message: `Unknown tool: ${quote(name)}` }),
  absent: (what, data) => ({ code: -32602, message: `${what} not found`, data }),
  fault: () => undefined,
  bug: () => ({
    ...INTERNAL_ERROR,
    data: { [FAULT_META]: viewFault(serverFaults.internal(INTERNAL_ERROR.message)) },
  }),
}

const SENTINEL: Readonly<Record<FaultKind, { readonly code: number; readonly text: string }>> = {
  invalid: { code: -32602, text: 'Invalid params' },
  missing: { code: -32602, text: 'Invalid params' },
  refused: { code: -32000, text: 'Security violation' },
  exhausted: { code: -32000, text: 'Limit exceeded' },
  conflict: { code: -32000, text: 'Conflict' },
  corrupt: { code: -32603, text: 'Internal error' },
  unavailable: { code: -32603, text: 'Internal error' },
}

const SENTINEL_REASONS: Readonly<Record<FrameFault, string>> = {
  parse: 'parse_error',
  oversize: 'invalid_request',
  depth: 'invalid_request',
  request: 'invalid_request',
  duplicate: 'invalid_request',
  params: 'invalid_params',
  method: 'method_not_found',
  stopping: 'timeout',
}

/** The `name` of a fault's code `room.name`, unless its detail gives a finer `reason`. */
const reasonOf = ({ code, detail }: Fault): string =>
  typeof detail?.reason === 'string' ? detail.reason : code.slice(code.indexOf('.') + 1)

/** The `reason` values that Sentinel clients know for faults of `invoke`. */
const CALL_REASONS: Readonly<Record<string, string>> = {
  'call.deadline': 'timeout',
  'call.answer_bytes': 'file_too_large',
}

const missingParameter = ({ detail }: Fault): string | undefined => {
  const [issue] = Array.isArray(detail?.issues) ? detail.issues : []
  if (detail?.reason !== 'missing_param' || !isRecord(issue)) return undefined
  return `Missing parameter: ${String(issue.path)}`
}

/** JSON-RPC errors with `data.details` and a stable `data.reason`. */
const sentinel: Dialect = {
  name: 'sentinel',
  defaultVersion: '2024-11-05',
  frame(fault, detail) {
    const { code, message } = standard.frame(fault, detail)
    return { code, message, data: { details: message, reason: SENTINEL_REASONS[fault] } }
  },
  unknownTool(name) {
    const message = `Tool not found: ${quote(name)}`
    return { code: -32601, message, data: { details: message, reason: 'tool_not_found' } }
  },
  absent(what, detail) {
    const message = `${what} not found`
    return { code: -32602, message, data: { ...detail, details: message, reason: 'not_found' } }
  },
  fault(fault) {
    const { code, text } = SENTINEL[fault.kind]
    const details = missingParameter(fault) ?? fault.message
    const reason = CALL_REASONS[fault.code] ?? reasonOf(fault)
    const data = { ...fault.detail, details, reason, fix: fault.fix }
    return { code, message: code === -32603 ? text : `${text}: ${details}`, data }
  },
  bug: () => ({
    ...INTERNAL_ERROR,
    data: { details: INTERNAL_ERROR.message, reason: 'internal', fix: serverFaults.internal.fix },
  }),
}

const SCG: Readonly<Record<FaultKind, readonly [code: number, name: string]>> = {
  invalid: [2000, 'BAD_REQUEST'],
  missing: [4000, 'NOT_FOUND'],
  refused: [5000, 'INVARIANT_VIOLATION'],
  conflict: [5000, 'INVARIANT_VIOLATION'],
  exhausted: [5000, 'INVARIANT_VIOLATION'],
  corrupt: [5000, 'INVARIANT_VIOLATION'],
  unavailable: [1000, 'INTERNAL_ERROR'],
}

const scgError = ([code, name]: readonly [number, string], message: string): RpcError => ({
  code,
  message,
  data: { code_string: name },
})

/** Numeric codes from 1000 to 5000, each with its name in `data.code_string`. */
const scg: Dialect = {
  name: 'scg',
  defaultVersion: '2024-11-05',
  frame(fault, detail) {
    if (fault === 'oversize' || fault === 'depth' || fault === 'params') {
      return scgError(SCG.invalid, standard.frame(fault, detail).message)
    }
    if (fault === 'stopping') return scgError(SCG.unavailable, standard.frame(fault).message)
    // The message never repeats the caller's input: refused text may be forbidden text.
    return standard.frame(fault)
  },
  absent: (what) => scgError(SCG.missing, `${what} not found`),
  unknownTool: () => scgError([3000, 'INVALID_TOOL'], 'Unknown tool'),
  fault(fault) {
    const node = fault.kind === 'missing' && reasonOf(fault) === 'node_unknown'
    return scgError(node ? [4004, 'NODE_NOT_FOUND'] : SCG[fault.kind], fault.message)
  },
  bug() {
    const [code, name] = SCG.unavailable
    return {
      code,
      message: INTERNAL_ERROR.message,
      data: { code_string: name, fix: serverFaults.internal.fix },
    }
  },
}

export const DIALECTS = { standard, sentinel, scg } as const
export type DialectName = keyof typeof DIALECTS
export const DIALECT_NAMES = keysOf(DIALECTS)

/** The `_meta` key under which an answer says how fresh its sources are. */
export const FRESHNESS_META = 'warrant/freshness'

/** The `_meta` key under which a text carries the facts about it. */
export const FACTS_META = 'warrant/facts'

/**
 * A fault as a tool error: text for the model, and the same as data for programs. The data is not
 * `structuredContent`, because version 1 clients validate even an error's against the output schema.
 */
export const faultResult = (fault: Fault): ToolResult => {
  const view = viewFault(fault)
  return {
    _meta: { [FAULT_META]: view },
    content: [{ type: 'text', text: `${view.message}\nFix: ${view.fix}\nCode: ${view.code}` }],
    isError: true,
  }
}
