import type { ChangeEvent } from '../../kernel/change-events.ts'
import { isBare, isPlainCall } from './envelope.ts'
import { EraNegotiation, REPLAY_ID } from './era.ts'
import { type CompatOptions, type Host, NO_COMPAT, repairInitialize, translateMethod } from './handshake.ts'
import {
  exceedsDepth,
  type Frame,
  type FrameFault,
  isRefusal,
  type Notification,
  type Params,
  type Request,
  type RequestId,
  type RpcError,
  readFrame,
  writeError,
  writeResult,
} from './message.ts'
import { Pending } from './pending.ts'
import { ResponseOrder, type Slot } from './response-order.ts'
import type { Decorate, SdkLink } from './sdk.ts'
import { progressReporter, writeOutcome } from './serialize.ts'
import type { ResolvedCall, Service } from './service.ts'

/** A received line, and the slot of its response where responses keep the order of the requests. */
interface Line {
  readonly frame: Frame
  readonly slot: Slot | undefined
}

export interface ConnectionOptions {
  /** False sends every request through the SDK, for comparison. */
  readonly direct?: boolean
  readonly decorate?: Decorate | undefined
  /** Ends the connection as if the client had closed it. */
  readonly hangUp?: () => void
}

const LISTEN = 'subscriptions/listen'
const METHOD_NOT_FOUND = -32601

/**
 * One client on a line-based channel. Answers the most frequent requests (`initialize`, `ping`, `tools/*`,
 * `server/discover`) itself and hands the rest to the SDK, which is loaded when first needed. Both paths give the
 * same bytes.
 */
export class Connection {
  readonly #host: Host
  readonly #send: (line: string) => void
  readonly #options: ConnectionOptions
  readonly #direct: boolean
  readonly #compat: CompatOptions
  readonly #era: EraNegotiation
  readonly #order: ResponseOrder | undefined
  readonly #pending = new Pending()
  /** Undefined until the tools are loaded. */
  #service: Service | undefined
  #link: SdkLink | undefined
  #loading = false
  /** Lines received while something was being loaded, in their order. */
  #held: Line[] = []
  #stopListening = () => {}
  #closed = false

  constructor(host: Host, send: (line: string) => void, options: ConnectionOptions = {}) {
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
    const frame: Frame = exceedsDepth(line, maxDepth)
      ? { kind: 'reject', id: null, fault: 'depth' }
      : readFrame(line, nullParams)
    const answered = frame.kind === 'request' || frame.kind === 'reject'
    this.#take({ frame, slot: answered ? this.#order?.open() : undefined })
  }

  #respond(id: RequestId, text: string): void {
    if (this.#order === undefined) this.#send(text)
    else this.#order.answer(id, text)
  }

  /** Answers a frame that is no valid message. */
  reject(fault: FrameFault, id: RequestId | null = null, slot = this.#order?.open()): void {
    this.#sendError(id, this.#host.handshake.dialect.frame(fault), slot)
  }

  #sendError(id: RequestId | null, error: RpcError, slot: Slot | undefined): void {
    const text = writeError(id, error)
    if (slot === undefined) this.#send(text)
    else this.#order?.fill(slot, text)
  }

  /** Resolves when every request has been answered, except for open subscriptions. */
  async settled(): Promise<void> {
    await this.#pending.settled(() => this.#loading)
  }

  /** Ends the subscriptions with their final message and cancels all calls. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#stopListening()
    await this.#link?.close()
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
      case 'response':
        return this.#deliver(frame.message)
      case 'notification':
        return this.#notified(frame.message, line)
      case 'request':
        return this.#requested(frame.message, line)
    }
  }

  /** False when only the SDK can tell the era: load it and take the line again. */
  #settleEra(message: Request | Notification): boolean {
    if (this.#era.isSettled) return true
    const settled = this.#era.settle(message)
    if (settled) this.#deliver(this.#era.replay())
    return settled
  }

  #notified(message: Notification, line: Line): void {
    if (!this.#settleEra(message)) return this.#load(line, 'sdk')
    if (!message.method.startsWith('notifications/')) {
      // With `methodCalls` a notification may be a failed tool call: log it as a warning.
      const level = this.#compat.methodCalls ? 'warn' : 'debug'
      const method = message.method.slice(0, 64)
      this.#host.handshake.log.write(level, 'ignored: a request needs an id', { method })
    }
    if (message.method === 'notifications/cancelled') {
      const id = message.params?.requestId as RequestId
      this.#pending.cancel(id, message.params?.reason)
      this.#order?.dropId(id)
    }
    this.#deliver(message)
  }

  #requested(asked: Request, line: Line): void {
    const { id } = asked
    const message = translateMethod(asked, this.#compat, this.#service?.parts.catalog)
    const { method } = message
    if (this.#pending.has(id) || id === REPLAY_ID) return this.reject('duplicate', id, line.slot)
    if (!this.#settleEra(message)) return this.#load(line, 'sdk')
    if (line.slot !== undefined) this.#order?.bind(id, line.slot)
    if (this.#direct && this.#answerHandshake(message)) return
    const service = this.#service
    if (service === undefined) return this.#load(line, 'tools')
    const resolved = method === 'tools/call' ? service.resolve(message.params) : undefined
    if (resolved !== undefined && isRefusal(resolved)) {
      service.logRejected(id, resolved)
      return this.#respond(id, writeError(id, resolved.error))
    }
    if (this.#direct && this.#answer(service, message, resolved)) return
    if (this.#link === undefined) return this.#load(line, 'sdk')
    const params = method === 'initialize' && repairInitialize(this.#host.handshake, message.params)
    const repaired = params ? { ...message, params } : message
    if (!this.#link.accepts(repaired)) return this.reject('params', id, line.slot)
    this.#pending.add(id, { method, listens: method === LISTEN })
    if (method === LISTEN) this.#order?.dropId(id)
    this.#deliver(repaired)
  }

  /** Answers a handshake request, which needs no tools. False when it is none. */
  #answerHandshake(request: Request): boolean {
    const { id, method } = request
    if (method === 'shutdown' && this.#compat.shutdown) {
      this.#options.hangUp?.()
      return this.#result(id, '{}')
    }
    const json = this.#era.answerHandshake(request, this.#link !== undefined)
    if (json === undefined) return false
    if (method !== 'ping') this.#preloadTools()
    return this.#result(id, json)
  }

  /** True when the request has been, or will be, answered without the SDK. */
  #answer(service: Service, { id, method, params }: Request, resolved: ResolvedCall | undefined): boolean {
    const modern = !this.#era.isLegacy
    if (modern && !this.#era.hasEnvelope(params)) return false
    if (method === 'tools/list' && isBare(params)) return this.#result(id, service.toolListJson(modern))
    return resolved !== undefined && isPlainCall(params) && this.#call(service, id, resolved, params)
  }

  #result(id: RequestId, json: string): true {
    this.#respond(id, writeResult(id, json))
    return true
  }

  #call(service: Service, id: RequestId, { tool, args }: ResolvedCall, params: Params | undefined): true {
    const era = this.#era.isLegacy ? 'legacy' : 'modern'
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
  #load(line: Line, what: 'tools' | 'sdk'): void {
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
    this.#resume(({ frame, slot }) => {
      if (frame.kind === 'reject') return this.reject(frame.fault, frame.id, slot)
      if (frame.kind !== 'request') return
      this.#sendError(frame.message.id, dialect.bug(), slot)
    })
  }

  async #fetch(what: 'tools' | 'sdk'): Promise<void> {
    if (this.#service === undefined) {
      this.#service = await this.#host.service()
      // Closed meanwhile: a listener added now would never be removed.
      if (this.#closed) return
      this.#stopListening = this.#service.parts.changes.listen((change) => this.#announce(change))
    }
    if (what === 'tools' || this.#link !== undefined) return
    const { joinSdk, isEnvelope } = await import('./sdk.ts')
    this.#era.useSchema(isEnvelope)
    this.#link = joinSdk(this.#service, (message) => this.#fromSdk(message), this.#options.decorate)
    // The SDK has not seen what was agreed without it.
    this.#deliver(this.#era.replay())
  }

  /** Legacy clients get `list_changed` without a subscription; the SDK, once loaded, knows all subscriptions. */
  #announce(change: ChangeEvent): void {
    if (this.#link !== undefined) return this.#link.announce(change)
    if (!this.#era.isLegacy || change.kind === 'resource') return
    this.#send(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${change.kind}/list_changed` }))
  }

  #deliver(message: object | undefined): void {
    if (message !== undefined) this.#link?.deliver(message)
  }

  #fromSdk(message: object): void {
    const { id } = message as { id?: RequestId }
    if (id === REPLAY_ID) return
    if (id === undefined || 'method' in message) return this.#send(JSON.stringify(message))
    const method = this.#pending.delegated(id)
    // Cancelled in the meantime: the client expects no response.
    if (method === undefined) return
    const unknown = 'error' in message && (message.error as RpcError).code === METHOD_NOT_FOUND
    const { dialect } = this.#host.handshake
    // The dialect decides how "method not found" looks.
    this.#respond(
      id,
      unknown ? writeError(id, dialect.frame('method', method.slice(0, 128))) : JSON.stringify(message),
    )
    this.#pending.remove(id)
  }
}
