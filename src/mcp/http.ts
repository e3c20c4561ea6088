import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type HttpRequest, type Route, sendJson } from '../http/server.ts'
import { lazyAsync } from '../kernel/async/once.ts'
import { waitForDrain } from '../kernel/async/stream-drain.ts'
import type { Call } from '../kernel/call.ts'
import { isRecord } from '../kernel/encoding/json.ts'
import { type Outcome, stackOf } from '../kernel/invoke.ts'
import { Envelopes, isPlainCall, progressToken } from './envelope.ts'
import { BATCHING, MAX_BATCH_MESSAGES, MODERN, NO_COMPAT, repairInitialize } from './handshake.ts'
import {
  classifyMessage,
  exceedsDepth,
  type FrameFault,
  isRefusal,
  type Request as RpcRequest,
  writeError,
} from './message.ts'
import type { Decorate } from './sdk.ts'
import { writeOutcome } from './serialize.ts'
import type { Service } from './service.ts'

/** A Fetch API request without its body, which has been read already and is passed separately. */
export const webRequest = (request: IncomingMessage, signal: AbortSignal): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one)
  }
  const url = new URL('/mcp', 'http://localhost')
  return new Request(url, { method: request.method ?? 'GET', headers, signal })
}

/** Writes a Fetch API response with back-pressure. A disconnect aborts it. */
export const answerRequest = async (
  response: ServerResponse,
  ask: (signal: AbortSignal) => Promise<Response>,
): Promise<void> => {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  const answer = await ask(controller.signal)
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body === null) return void response.end()
  response.flushHeaders()
  const reader = answer.body.getReader()
  controller.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}))
  for (;;) {
    const { done, value } = await reader.read()
    if (done || response.destroyed) break
    if (!response.write(value)) await waitForDrain(response)
  }
  response.end()
}

interface HttpEndpoint {
  readonly route: Route
  /** Ends open streams with their final message. */
  close(): Promise<void>
}

interface EndpointOptions {
  /** False sends every call through the SDK, for comparison. */
  readonly direct?: boolean
  readonly decorate?: Decorate | undefined
}

const JSON_TYPE = /^application\/json\s*(;|$)/i

const rpcRefusal = (status: number, message: string) => ({
  jsonrpc: '2.0',
  error: { code: -32000, message: status === 413 ? `Payload Too Large: ${message}` : message },
  id: null,
})

const acceptsJson = ({ headers }: IncomingMessage): boolean =>
  headers.accept === undefined || /application\/json|\*\/\*/.test(headers.accept)

/** Whether the headers repeat the body, as revision 2026-07-28 requires. Encoded names are left to the SDK. */
const hasMirrorHeaders = ({ headers }: IncomingMessage, { method, params }: RpcRequest): boolean =>
  headers['mcp-protocol-version'] === MODERN &&
  headers['mcp-method'] === method &&
  headers['mcp-name'] === params?.name

/** Batches exist in revision 2025-03-26, which is that of a request without the header, and in no later one. */
const isBatchAllowed = ({ headers }: IncomingMessage, messages: readonly unknown[]): boolean =>
  String(headers['mcp-protocol-version'] ?? BATCHING) <= BATCHING && messages.length <= MAX_BATCH_MESSAGES

/** The Streamable HTTP endpoint, stateless, for both eras. */
export const mcpEndpoint = (service: Service, options: EndpointOptions = {}): HttpEndpoint => {
  const { direct = true, decorate } = options
  const { limits, changes, log, dialect } = service.parts
  const envelopes = new Envelopes()
  const calls = new Set<Call>()

  const sdk = lazyAsync(async () => {
    const { createHandler, isEnvelope } = await import('./sdk-http.ts')
    envelopes.check = isEnvelope
    return createHandler(service, decorate)
  })
  // Changes are sent to open streams; without the SDK there are none.
  const stopListening = changes.listen(
    (change) =>
      void sdk
        .peek()
        .then((handler) => handler?.announce(change))
        .catch(() => {}),
  )

  /** A call that we can answer without the SDK; undefined leaves it to the SDK. */
  const plainCall = ({ raw, method }: HttpRequest, value: unknown): RpcRequest | undefined => {
    if (!direct || method !== 'POST' || !JSON_TYPE.test(raw.headers['content-type'] ?? '')) return undefined
    const frame = classifyMessage(value)
    if (frame.kind !== 'request' || frame.message.method !== 'tools/call') return undefined
    const { message } = frame
    if (!isRecord(value) || Object.keys(value).length !== Object.keys(message).length) return undefined
    if (!hasMirrorHeaders(raw, message) || !acceptsJson(raw)) return undefined
    if (!isPlainCall(message.params) || progressToken(message.params) !== undefined) return undefined
    return envelopes.judge(message.params) === 'valid' ? message : undefined
  }

  /** The error of a legacy call without a tool name. The SDK would answer with a dump of its schema. */
  const nameError = ({ raw, method }: HttpRequest, value: unknown): string | undefined => {
    if (method !== 'POST' || !JSON_TYPE.test(raw.headers['content-type'] ?? '') || !acceptsJson(raw))
      return undefined
    const frame = classifyMessage(value)
    if (frame.kind !== 'request' || frame.message.method !== 'tools/call') return undefined
    const { id, params } = frame.message
    if (envelopes.judge(params) !== 'none') return undefined
    const resolved = service.resolve(params)
    return isRefusal(resolved) && typeof params?.name !== 'string'
      ? writeError(id, resolved.error)
      : undefined
  }

  const answerCall = async ({ id, params }: RpcRequest, response: ServerResponse): Promise<void> => {
    const resolved = service.resolve(params)
    if (isRefusal(resolved)) {
      service.logRejected(id, resolved)
      return sendLine(response, writeError(id, resolved.error))
    }
    const call = service.openCall(undefined, { request: id, tool: resolved.tool.name })
    const onClose = () => call.cancel('the client disconnected')
    const outcome = await new Promise<Outcome>((done) => {
      let over = false
      service.parts.invoke(resolved.tool, resolved.args, call, (ended) => {
        over = true
        done(ended)
      })
      // A synchronous call has ended before the client can disconnect.
      if (over) return
      response.once('close', onClose)
      calls.add(call)
    })
    if (calls.delete(call)) response.off('close', onClose)
    if (outcome.kind !== 'cancelled') sendLine(response, writeOutcome(service, id, outcome, 'modern'))
  }

  const handle: Route['handle'] = async (request, response) => {
    const [value, fault] = readJson(request.body)
    if (fault !== undefined) {
      return sendJson(response, 400, { jsonrpc: '2.0', error: dialect.frame(fault), id: null })
    }
    if (Array.isArray(value) && !isBatchAllowed(request.raw, value)) {
      return sendJson(response, 400, { jsonrpc: '2.0', error: dialect.frame('request'), id: null })
    }
    const call = plainCall(request, value)
    if (call !== undefined) return answerCall(call, response)
    const refusal = nameError(request, value)
    if (refusal !== undefined) return sendLine(response, refusal)
    const { fetch } = await sdk.get()
    await answerRequest(response, (signal) =>
      fetch(webRequest(request.raw, signal), repairBody(service, value)),
    )
  }

  const route: Route = {
    path: '/mcp',
    summary: 'MCP over Streamable HTTP, stateless, revisions 2024-11-05 to 2026-07-28.',
    methods: ['POST'],
    bodyBytes: limits.bodyBytes,
    refuse: rpcRefusal,
    async handle(request, response) {
      try {
        await handle(request, response)
      } catch (thrown) {
        if (response.headersSent || response.destroyed) throw thrown
        log.write('error', 'bug in /mcp', { stack: stackOf(thrown) })
        sendJson(response, 500, { jsonrpc: '2.0', error: dialect.bug(), id: null })
      }
    },
  }
  return {
    route,
    async close() {
      stopListening()
      for (const call of calls) call.cancel('the server is stopping')
      const handler = await sdk.peek()
      await handler?.close().catch((cause: unknown) => log.write('warn', String(cause)))
    },
  }
}

/** The JSON of a body, or its fault. An empty body is left to the SDK, which refuses it. */
const readJson = (body: Buffer): readonly [value: unknown, fault?: FrameFault] => {
  if (body.length === 0) return [undefined]
  if (!isUtf8(body)) return [undefined, 'parse']
  const text = body.toString('utf8')
  if (exceedsDepth(text, NO_COMPAT.maxDepth)) return [undefined, 'depth']
  try {
    return [JSON.parse(text)]
  } catch {
    return [undefined, 'parse']
  }
}

const repairBody = (service: Service, value: unknown): unknown =>
  isRecord(value) && value.method === 'initialize' && (value.params === undefined || isRecord(value.params))
    ? { ...value, params: repairInitialize(service.handshake, value.params) }
    : value

const sendLine = (response: ServerResponse, line: string): void => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(line) })
  response.end(line)
}
