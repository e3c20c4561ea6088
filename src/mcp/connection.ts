import type { ChangeEvent } from '../kernel/change-events.ts'
import { isRecord } from '../kernel/encoding/json.ts'
import { isBare, isPlainCall, VERSION_KEY } from './envelope.ts'
import { type Era, EraNegotiation, REPLAY_ID } from './era.ts'
import {
  BATCHING,
  type CompatOptions,
  type LazyServer,
  MAX_BATCH_MESSAGES,
  NO_COMPAT,
  repairInitialize,
  translateMethod,
} from './handshake.ts'
import {
  classifyMessage,
  exceedsDepth,
  type FrameFault,
  isRefusal,
  type LineFrame,
  type Notification,
  type Request,
  type RequestId,
  type RpcError,
  readFrame,
  readId,
  type SdkMessage,
  writeError,
  writeResult,
} from './message.ts'
import { BatchResponse, type LinkName, Pending, ResponseOrder, type Slot } from './pending.ts'
import type { Decorate, SdkLink } from './sdk.ts'
import { progressReporter, writeOutcome } from './serialize.ts'
import type { ResolvedCall, Service } from './service.ts'

/** A received message or batch, and the slot of its response where that is not sent at once. */
interface Line {
  readonly frame: LineFrame
  readonly slot: Slot | undefined
}

export interface ConnectionOptions {
  /** False sends every request through the SDK, for comparison. */
  readonly direct?: boolean
  readonly decorate?: Decorate | undefined
  /** Ends the connection as if the client had closed it. */
  readonly hangUp?: () => void
}

/** What a line needs before it can be taken. */
type Need = 'tools' | 'offer' | 'schema' | LinkName

const LISTEN = 'subscriptions/listen'
const METHOD_NOT_FOUND = -32601
const INTERNAL_ERROR = -32603
const NO_ENVELOPE = 'the request has no envelope in _meta, which revision 2026-07-28 requires'

/**
 * One client on a line-based channel. Answers the most frequent requests (`initialize`, `ping`, `tools/*`,
 * `server/discover`) itself and hands the rest to the SDK, which is loaded when first needed. Both paths give the
 * same bytes.
 */
export class Connection {
  readonly #host: LazyServer
  readonly #send: (line: string) => void
  readonly #options: ConnectionOptions
  readonly #direct: boolean
  readonly #compat: CompatOptions
  readonly #era: EraNegotiation
  readonly #order: ResponseOrder | undefined
  readonly #pending = new Pending()
  /** Slots of the requests whose responses are not sent at once. */
  readonly #slots = new Map<RequestId, Slot>()
  /** One SDK connection for each era, because the SDK keeps the era of its first message, and one for errors. */
  readonly #links = new Map<LinkName, SdkLink>()
  /** Undefined until the tools are loaded. */
  #service: Service | undefined
  #loading = false
  /** Lines received while something was being loaded, in their order. */
  #held: Line[] = []
  #stopListening = () => {}
  #closed = false

  constructor(host: LazyServer, send: (line: string) => void, options: ConnectionOptions = {}) {
    this.#host = host
    this.#send = send
    this.#direct = options.direct ?? true
    this.#options = options
    this.#compat = host.handshake.compat ?? NO_COMPAT
    this.#era = new EraNegotiation(host.handshake)
    this.#order = this.#compat.orderedResponses ? new ResponseOrder(send) : undefined
  }

  receive(line: string): void {
    const { maxDepth, nullParams } = this.#compat
    const frame: LineFrame = exceedsDepth(line, maxDepth)
      ? { kind: 'reject', id: null, fault: 'depth' }
      : readFrame(line, nullParams)
    this.#take({ frame, slot: isAnswered(frame) ? this.#order?.open() : undefined })
  }

  #respond(id: RequestId, text: string): void {
    const slot = this.#slots.size === 0 ? undefined : this.#slots.get(id)
    if (slot === undefined) return this.#send(text)
    this.#slots.delete(id)
    slot.fill(text)
  }

  /** There will be no response to this request. */
  #dropResponse(id: RequestId): void {
    const slot = this.#slots.get(id)
    this.#slots.delete(id)
    slot?.drop()
  }

  /** Answers a frame that is no valid message. */
  reject(fault: FrameFault, id: RequestId | null = null, slot = this.#order?.open()): void {
    this.#sendError(id, this.#host.handshake.dialect.frame(fault), slot)
  }

  #sendError(id: RequestId | null, error: RpcError, slot: Slot | undefined): void {
    const text = writeError(id, error)
    if (slot === undefined) this.#send(text)
    else slot.fill(text)
  }

  /** Resolves when every request has been answered, except for open subscriptions. */
  async settled(): Promise<void> {
    await this.#pending.settled(() => this.#loading)
  }

  /** Ends the subscriptions with their final message, and cancels all calls: their answer is an error. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#stopListening()
    await Promise.all([...this.#links.values()].map((link) => link.close()))
    const error = this.#host.handshake.dialect.frame('stopping')
    for (const id of this.#pending.unanswered()) this.#respond(id, writeError(id, error))
    this.#refuseHeld(error)
    this.#closed = true
    this.#pending.clear('closed')
  }

  #take(line: Line): void {
    const { frame, slot } = line
    if (this.#closed) return
    if (this.#loading) {
      this.#held.push(line)
      return
    }
    switch (frame.kind) {
      case 'blank':
        return
      case 'reject':
        return this.reject(frame.fault, frame.id, slot)
      case 'batch':
        return this.#takeBatch(frame.messages, slot)
      case 'response':
        return this.#links.get('legacy')?.deliver(frame.message)
      case 'notification':
        return this.#notified(frame.message, line)
      case 'request':
        return this.#requested(frame.message, line)
    }
  }

  /** Batches exist in revision 2025-03-26 alone, after its handshake. */
  #takeBatch(
    messages: readonly unknown[],
    slot: Slot | undefined,
    take = (line: Line) => this.#take(line),
  ): void {
    const isAllowed = this.#era.negotiated === BATCHING && messages.length > 0
    if (!isAllowed) return this.reject('request', null, slot)
    if (messages.length > MAX_BATCH_MESSAGES) return this.reject('oversize', null, slot)
    const batch = new BatchResponse(slot ?? { fill: this.#send, drop: () => {} })
    const lines = messages.map((value): Line => {
      const frame = readBatchMessage(value, this.#compat.nullParams)
      return { frame, slot: isAnswered(frame) ? batch.open() : undefined }
    })
    batch.complete()
    for (const line of lines) take(line)
  }

  #notified(message: Notification, line: Line): void {
    const era = this.#era.classify(message)
    if (era === undefined) return this.#load(line, 'schema')
    if (!message.method.startsWith('notifications/')) {
      // With `methodCalls` a notification may be a failed tool call: log it as a warning.
      const level = this.#compat.methodCalls ? 'warn' : 'debug'
      const method = message.method.slice(0, 64)
      this.#host.handshake.log.write(level, 'ignored: a request needs an id', { method })
    }
    if (message.method === 'notifications/cancelled') return this.#cancelled(message)
    if (era === 'legacy' || era === 'modern') this.#links.get(era)?.deliver(message)
  }

  #cancelled(message: Notification): void {
    const id = readId(message.params?.requestId)
    if (id === null) return
    const link = this.#pending.delegated(id)?.link
    this.#pending.cancel(id, message.params?.reason)
    this.#dropResponse(id)
    if (link !== undefined) this.#links.get(link)?.deliver(message)
  }

  #requested(asked: Request, line: Line): void {
    const { id } = asked
    const message = translateMethod(asked, this.#compat, this.#service?.parts.catalog)
    const { method } = message
    if (this.#pending.has(id) || id === REPLAY_ID) return this.reject('duplicate', id, line.slot)
    const era = this.#era.classify(message)
    if (era === undefined) return this.#load(line, 'schema')
    if (line.slot !== undefined) this.#slots.set(id, line.slot)
    if (era === 'unenveloped') {
      return this.#respond(id, writeError(id, this.#host.handshake.dialect.frame('params', NO_ENVELOPE)))
    }
    if (this.#direct && era !== 'broken' && this.#answerHandshake(message, era)) return
    const service = this.#service
    if (service === undefined) return this.#load(line, 'tools')
    if (method === 'tools/list' && service.parts.offer?.refresh() !== undefined)
      return this.#load(line, 'offer')
    const resolved = method === 'tools/call' ? service.resolve(message.params) : undefined
    if (resolved !== undefined && isRefusal(resolved)) {
      service.logRejected(id, resolved)
      return this.#respond(id, writeError(id, resolved.error))
    }
    if (this.#direct && era !== 'broken' && this.#answer(service, message, era, resolved)) return
    const link = this.#links.get(era)
    if (link === undefined) return this.#load(line, era)
    const params = method === 'initialize' && repairInitialize(this.#host.handshake, message.params)
    const repaired = params ? { ...message, params } : message
    if (!link.accepts(repaired)) {
      return this.#respond(id, writeError(id, this.#host.handshake.dialect.frame('params')))
    }
    this.#pending.add(id, { method, link: era, listens: method === LISTEN })
    if (method === LISTEN && era === 'modern') this.#dropResponse(id)
    link.deliver(repaired)
  }

  /** Answers a handshake request, which needs no tools. False when it is none. */
  #answerHandshake(request: Request, era: Era): boolean {
    const { id, method } = request
    if (method === 'shutdown' && this.#compat.shutdown) {
      this.#options.hangUp?.()
      return this.#result(id, '{}')
    }
    const json = this.#era.answerHandshake(request, era, this.#links.has('legacy'))
    if (json === undefined) return false
    if (method !== 'ping') this.#preloadTools()
    return this.#result(id, json)
  }

  /** True when the request has been, or will be, answered without the SDK. */
  #answer(service: Service, request: Request, era: Era, resolved: ResolvedCall | undefined): boolean {
    const { id, method, params } = request
    if (method === 'tools/list' && isBare(params)) {
      return this.#result(id, service.toolListJson(era === 'modern'))
    }
    return resolved !== undefined && isPlainCall(params) && this.#call(service, request, era, resolved)
  }

  #result(id: RequestId, json: string): true {
    this.#respond(id, writeResult(id, json))
    return true
  }

  #call(service: Service, { id, params }: Request, era: Era, { tool, args }: ResolvedCall): true {
    const call = service.openCall(progressReporter(params, this.#send), { request: id, tool: tool.name })
    let over = false
    service.parts.invoke(tool, args, call, (outcome) => {
      over = true
      if (outcome.kind !== 'cancelled' && !this.#closed)
        this.#respond(id, writeOutcome(service, id, outcome, era))
      this.#pending.remove(id, call)
    })
    if (!over) this.#pending.add(id, call)
    return true
  }

  /** Loads the tools after the handshake response, before the client asks for them. */
  #preloadTools(): void {
    if (this.#service !== undefined) return
    // A failure is reported by the request that needs the tools.
    setImmediate(() => void Promise.resolve(this.#host.service()).catch(() => {}))
  }

  /** Loads what a line needs, then takes it and all lines received meanwhile, in order. */
  #load(line: Line, what: Need): void {
    this.#loading = true
    this.#held.push(line)
    void this.#fetch(what)
      .then(() => this.#resume((held) => this.#take(held)))
      .catch((cause: unknown) => this.#abandon(cause))
  }

  #resume(go: (held: Line) => void): void {
    this.#loading = false
    for (const held of this.#held.splice(0)) go(held)
    this.#pending.wake()
  }

  /** Our own files cannot be loaded, as during an upgrade: answers with an error and keeps the connection. */
  #abandon(cause: unknown): void {
    const { log, dialect } = this.#host.handshake
    log.write('error', 'cannot load', { cause: String(cause) })
    this.#refuseHeld(dialect.bug())
  }

  #refuseHeld(error: RpcError): void {
    const refuse = ({ frame, slot }: Line): void => {
      if (frame.kind === 'reject') return this.reject(frame.fault, frame.id, slot)
      if (frame.kind === 'batch') return this.#takeBatch(frame.messages, slot, refuse)
      if (frame.kind !== 'request') return
      this.#slots.delete(frame.message.id)
      this.#sendError(frame.message.id, error, slot)
    }
    this.#resume(refuse)
  }

  async #fetch(what: Need): Promise<void> {
    if (this.#service === undefined) {
      this.#service = await this.#host.service()
      // Closed meanwhile: a listener added now would never be removed.
      if (this.#closed) return
      this.#stopListening = this.#service.parts.changes.listen((change) => this.#announce(change))
    }
    if (what === 'tools') return
    if (what === 'offer') return this.#service.parts.offer?.refresh()
    const { joinSdk, isEnvelope } = await import('./sdk.ts')
    this.#era.useSchema(isEnvelope)
    if (what === 'schema') return
    const link = joinSdk(this.#service, (message) => this.#fromSdk(message), this.#options.decorate)
    this.#links.set(what, link)
    // The SDK has not seen what was agreed without it.
    const handshake = what === 'legacy' ? this.#era.replay() : undefined
    if (handshake !== undefined) link.deliver(handshake)
  }

  /**
   * Legacy clients get `list_changed` without a subscription, once they have sent `initialize`; the SDK, once loaded,
   * knows all subscriptions.
   */
  #announce(change: ChangeEvent): void {
    const isReady = change.kind === 'resource' || this.#era.negotiated !== undefined
    for (const [name, link] of this.#links) if (name !== 'legacy' || isReady) link.announce(change)
    if (this.#links.has('legacy') || !isReady || change.kind === 'resource') return
    this.#send(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${change.kind}/list_changed` }))
  }

  #fromSdk(message: SdkMessage): void {
    const { id } = message
    if (id === REPLAY_ID) return
    if (id === undefined || 'method' in message) return this.#send(JSON.stringify(message))
    const method = this.#pending.delegated(id)?.method
    // Cancelled in the meantime: the client expects no response.
    if (method === undefined) return
    const error = message.error && this.#translate(message.error, method)
    this.#respond(id, error === undefined ? JSON.stringify(message) : writeError(id, error))
    this.#pending.remove(id)
  }

  /** The dialect decides how errors of the SDK itself look; undefined leaves an error as it is. */
  #translate({ code, data }: RpcError, method: string): RpcError | undefined {
    const { dialect } = this.#host.handshake
    if (code === METHOD_NOT_FOUND) return dialect.frame('method', method.slice(0, 128))
    return code === INTERNAL_ERROR && data === undefined ? dialect.bug() : undefined
  }
}

const isAnswered = ({ kind }: LineFrame): boolean =>
  kind === 'request' || kind === 'reject' || kind === 'batch'

/** A message of a batch. Handshakes and requests of revision 2026-07-28 cannot be part of one. */
const readBatchMessage = (value: unknown, nullParams: boolean): LineFrame => {
  const frame = classifyMessage(value, nullParams)
  if (frame.kind !== 'request') return frame
  const { id, method, params } = frame.message
  const isExcluded =
    method === 'initialize' || (isRecord(params?._meta) && Object.hasOwn(params._meta, VERSION_KEY))
  return isExcluded ? { kind: 'reject', id, fault: 'request' } : frame
}
