/** A JSON-RPC 2.0 message that was checked, with the members tests look at. */
export interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isId = (value: unknown): boolean => typeof value === 'string' || Number.isSafeInteger(value)

const RESPONSE = new Set(['jsonrpc', 'id', 'result', 'error'])
const CALL = new Set(['jsonrpc', 'id', 'method', 'params'])

const badError = (error: unknown): string | undefined => {
  if (!isObject(error)) return 'error is not an object'
  if (!Number.isSafeInteger(error.code)) return 'error.code is not an integer'
  if (typeof error.message !== 'string') return 'error.message is not a string'
  const stranger = Object.keys(error).find((key) => !['code', 'message', 'data'].includes(key))
  return stranger === undefined ? undefined : `error has the member ${stranger}`
}

const badResponse = (value: Record<string, unknown>): string | undefined => {
  const answers = ['result', 'error'].filter((key) => Object.hasOwn(value, key))
  if (answers.length !== 1) return `has ${answers.length} of result and error`
  if (!Object.hasOwn(value, 'id')) return 'a response without id'
  if (answers[0] === 'error') return value.id === null || isId(value.id) ? badError(value.error) : 'bad id'
  if (!isId(value.id)) return 'a result whose id is no string or integer'
  return isObject(value.result) ? undefined : 'result is not an object'
}

const badCall = (value: Record<string, unknown>): string | undefined => {
  if (typeof value.method !== 'string') return 'method is not a string'
  if (Object.hasOwn(value, 'params') && !isObject(value.params)) return 'params is not an object'
  return Object.hasOwn(value, 'id') && !isId(value.id) ? 'bad id' : undefined
}

/**
 * What is wrong with a value as a JSON-RPC 2.0 message of MCP. Written from the two specifications, and on
 * purpose without a line of the code it judges.
 */
export const findFlaw = (value: unknown): string | undefined => {
  if (!isObject(value)) return 'not an object'
  if (value.jsonrpc !== '2.0') return 'jsonrpc is not 2.0'
  const isCall = Object.hasOwn(value, 'method')
  const stranger = Object.keys(value).find((key) => !(isCall ? CALL : RESPONSE).has(key))
  if (stranger !== undefined) return `has the member ${stranger}`
  return isCall ? badCall(value) : badResponse(value)
}

/** One line of output as a message. Anything else throws. */
export const readMessage = (line: string): Message => {
  const value: unknown = JSON.parse(line)
  const flaw = findFlaw(value)
  if (flaw !== undefined) throw new Error(`${flaw}: ${line.slice(0, 500)}`)
  return value as Message
}

const PREFIX = 'io.modelcontextprotocol/'
export const MODERN = '2026-07-28'

/** The `_meta` a request of revision 2026-07-28 carries. */
export const envelope = (extra: object = {}): object => ({
  [`${PREFIX}protocolVersion`]: MODERN,
  [`${PREFIX}clientCapabilities`]: {},
  ...extra,
})

export const VERSION_KEY = `${PREFIX}protocolVersion`
export const CAPABILITIES_KEY = `${PREFIX}clientCapabilities`

/** A request line. */
export const request = (id: string | number, method: string, params?: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) })

/** A request line of revision 2026-07-28. */
export const modern = (id: string | number, method: string, params: object = {}, meta: object = envelope()) =>
  request(id, method, { ...params, _meta: meta })

export const notification = (method: string, params?: object): string =>
  JSON.stringify({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) })

export const initialize = (id: string | number = 0, params: object = {}): string =>
  request(id, 'initialize', params)

/** The facts about the text of an answer. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into facts of every shape
export const factsOf = ({ result }: Pick<Message, 'result'>): any => result?._meta?.['warrant/facts']
