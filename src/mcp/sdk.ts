import {
  classifyInboundRequest,
  isInitializeRequest,
  isJSONRPCRequest,
  Server,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'
import type { Call, ProgressUpdate } from '../kernel/call.ts'
import type { ChangeEvent } from '../kernel/change-events.ts'
import { isRecord } from '../kernel/encoding/json.ts'
import { Fault } from '../kernel/fault.ts'
import { type Outcome, stackOf } from '../kernel/invoke.ts'
import { optional } from '../kernel/optional.ts'
import { progressToken } from './envelope.ts'
import type { Era } from './era.ts'
import { type Capabilities, LIST_CACHE, MODERN } from './handshake.ts'
import { listPrompts, listResources, listTemplates } from './listing.ts'
import { isRefusal, type Params, type SdkMessage } from './message.ts'
import { resourceHandlers } from './resource-handlers.ts'
import { type Service, WireError } from './service.ts'

/** Lets tests add handlers to the SDK server. The product passes none. */
export type Decorate = (server: Server) => void

type Handler = (params: Params, ctx: ServerContext) => object | Promise<object>

// Our own checks answer with one sentence; the SDK's schema would answer with a dump of itself.
const ANY_PARAMS = { params: z.looseObject({}).optional() }

const rejectCursor = (service: Service, params: Params): void => {
  // Our lists have one page, so every cursor is unknown.
  if (params.cursor !== undefined)
    throw new WireError(service.parts.dialect.frame('params', 'unknown cursor'))
}

const reporter = (params: Params, ctx: ServerContext): ((progress: ProgressUpdate) => void) | undefined => {
  const token = progressToken(params)
  if (token === undefined) return undefined
  return ({ done, ...rest }) =>
    void ctx.mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken: token, progress: done, ...rest } })
      .catch(() => {})
}

const openCall = (service: Service, params: Params, ctx: ServerContext, tool?: string): Call => {
  const about = tool === undefined ? undefined : { request: ctx.mcpReq.id, tool }
  const call = service.openCall(reporter(params, ctx), about)
  const { signal } = ctx.mcpReq
  if (signal.aborted) call.cancel(signal.reason)
  else signal.addEventListener('abort', () => call.cancel(signal.reason), { once: true })
  return call
}

const callTool = async (service: Service, params: Params, ctx: ServerContext): Promise<object> => {
  const resolved = service.resolve(params)
  if (isRefusal(resolved)) {
    service.logRejected(ctx.mcpReq.id, resolved)
    throw new WireError(resolved.error)
  }
  const call = openCall(service, { ...params, _meta: ctx.mcpReq._meta }, ctx, resolved.tool.name)
  const outcome = await new Promise<Outcome>((done) =>
    service.parts.invoke(resolved.tool, resolved.args, call, done),
  )
  // The SDK drops the result of a cancelled request.
  if (outcome.kind === 'cancelled') return { content: [] }
  const result = service.resultOf(outcome)
  if (isRefusal(result)) throw new WireError(result.error)
  return result
}

interface SdkServerOptions {
  readonly decorate?: Decorate | undefined
  /** Default: those of the handshake. */
  readonly capabilities?: Capabilities
}

/** An SDK server over the kernel, for one connection or one HTTP request. */
export const createSdkServer = (
  service: Service,
  era: Era,
  { decorate, capabilities = service.handshake.capabilities }: SdkServerOptions,
): Server => {
  const { catalog, identity, instructions, dialect, log } = service.parts
  const server = new Server(identity, {
    capabilities,
    ...optional({ instructions }),
    cacheHints: {
      'tools/list': service.toolListCache,
      'prompts/list': LIST_CACHE,
      'resources/list': LIST_CACHE,
      'resources/templates/list': LIST_CACHE,
      'server/discover': LIST_CACHE,
    },
  })
  const subscribed = new Set<string>()
  const read = resourceHandlers(service, era)
  const handle = (method: string, handler: Handler) =>
    server.setRequestHandler(method, ANY_PARAMS, async (params, ctx) => {
      try {
        return { ...(await handler(params ?? {}, ctx)) }
      } catch (thrown) {
        if (thrown instanceof WireError) throw thrown
        if (thrown instanceof Fault) throw new WireError(dialect.fault(thrown) ?? read.refuse(thrown))
        log.write('error', `bug in ${method}`, { stack: stackOf(thrown) })
        throw new WireError(dialect.bug())
      }
    })
  const list = (method: string, answer: () => object | Promise<object>) =>
    handle(method, (params) => {
      rejectCursor(service, params)
      return answer()
    })

  list('tools/list', async () => {
    await service.parts.offer?.refresh()
    return service.toolList
  })
  handle('tools/call', (params, ctx) => callTool(service, params, ctx))
  if (capabilities.resources !== undefined) {
    list('resources/list', () => ({ resources: listResources(catalog) }))
    list('resources/templates/list', () => ({ resourceTemplates: listTemplates(catalog) }))
    handle('resources/read', (params, ctx) => read.resource(params, openCall(service, params, ctx)))
  }
  if (capabilities.resources?.subscribe) {
    handle('resources/subscribe', (params) => {
      subscribed.add(read.known(params))
      return {}
    })
    handle('resources/unsubscribe', (params) => {
      subscribed.delete(read.known(params))
      return {}
    })
  }
  if (capabilities.prompts !== undefined) {
    list('prompts/list', () => ({ prompts: listPrompts(catalog) }))
    handle('prompts/get', (params, ctx) => read.prompt(params, openCall(service, params, ctx)))
  }
  if (capabilities.completions !== undefined) handle('completion/complete', read.completion)
  decorate?.(server)
  wantsUpdate.set(server, (uri) => subscribed.has(uri))
  return server
}

/** The resource subscriptions of legacy clients; the SDK keeps those of modern ones. */
const wantsUpdate = new WeakMap<Server, (uri: string) => boolean>()

const announce = async (server: Server, era: Era, change: ChangeEvent): Promise<void> => {
  switch (change.kind) {
    case 'tools':
      return server.sendToolListChanged()
    case 'prompts':
      return server.sendPromptListChanged()
    case 'resources':
      return server.sendResourceListChanged()
    case 'resource':
      if (era === 'modern' || wantsUpdate.get(server)?.(change.uri)) {
        return server.sendResourceUpdated({ uri: change.uri })
      }
  }
}

export interface SdkLink {
  /** Whether the SDK accepts this as a request. It drops other messages silently. */
  accepts(message: object): boolean
  deliver(message: object): void
  announce(change: ChangeEvent): void
  close(): Promise<void>
}

/**
 * A repaired `initialize` that the SDK's schema accepts. The SDK would answer others with an internal error, so the
 * members that the handshake does not need are left out.
 */
export const fitInitialize = (message: unknown): unknown => {
  if (!isRecord(message) || message.method !== 'initialize' || !isRecord(message.params)) return message
  const { method, params } = message
  if (isInitializeRequest({ method, params })) return message
  const client = isRecord(params.clientInfo) ? params.clientInfo : {}
  const clientInfo = { name: client.name, version: client.version }
  const { protocolVersion } = params
  return { ...message, params: { protocolVersion, capabilities: {}, clientInfo } }
}

/** Connects the SDK to a connection that reads and writes the frames itself. */
export const joinSdk = (
  service: Service,
  send: (message: SdkMessage) => void,
  decorate?: Decorate,
): SdkLink => {
  const { log } = service.parts
  const wire: Transport = {
    start: async () => {},
    send: async (message) => send(message),
    close: async () => wire.onclose?.(),
  }
  let current: { readonly server: Server; readonly era: Era } | undefined
  const served = serveStdio(
    ({ era }) => {
      const server = createSdkServer(service, era, { decorate })
      current = { server, era }
      return server
    },
    { transport: wire, onerror: (error) => log.write('debug', 'protocol', { error: error.message }) },
  )
  return {
    accepts: (message) => isJSONRPCRequest(message),
    deliver: (message) => wire.onmessage?.(fitInitialize(message) as never),
    announce: (change) => {
      if (current !== undefined) void announce(current.server, current.era, change).catch(() => {})
    },
    close: () => served.close(),
  }
}

/** Whether the SDK's schema accepts this `_meta` as a modern envelope. */
export const isEnvelope = (params: Params | undefined): boolean => {
  const body = { jsonrpc: '2.0', id: 0, method: 'tools/list', params: { _meta: params?._meta } }
  const outcome = classifyInboundRequest({ httpMethod: 'POST', body })
  return outcome.kind === 'modern' && outcome.classification.revision === MODERN
}
