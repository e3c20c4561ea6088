import type { ProgressUpdate } from '../../kernel/call.ts'
import type { ChangeEvent } from '../../kernel/change-events.ts'
import {
  CAPABILITIES_KEY,
  Envelopes,
  isBare,
  isPlainCall,
  type ProgressToken,
  progressToken,
  VERSION_KEY,
} from './envelope.ts'
import {
  type CompatOptions,
  discoverResult,
  type Host,
  initializeResult,
  MODERN,
  NO_COMPAT,
  repairInitialize,
} from './handshake.ts'
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
import { writeModern, writeOutcome } from './serialize.ts'
import type { ResolvedCall, Service } from './service.ts'

type Era = 'opening' | 'legacy' | 'modern'

/** The id of a handshake repeated for the SDK alone. No client may use it. */
const REPLAY = 'warrant:replay'

/** A line that has come in, and the place of its answer where answers keep their order. */
interface Line {
  readonly frame: Frame
  readonly slot: Slot | undefined
}

export interface ConnectionOptions {
  readonly direct?: boolean
  readonly decorate?: Decorate | undefined
  /** Ends the conversation as if the client had hung up. */
  readonly hangUp?: () => void
}

const LISTEN = 'subscriptions/listen'
const PROBE = 'server/discover'
const METHOD_NOT_FOUND = -32601

/**
 * One client on a line-based channel. Answers what is asked most (`initialize`, `ping`, `tools/*`,
 * `server/discover`) itself and hands the rest to the SDK, which is loaded when first needed. Both ways
 * give the same bytes.
 */
export class Connection {
  readonly #host: Host
  readonly #send: (line: string) => void
  readonly #decorate: Decorate | undefined
  readonly #hangUp: (() => void) | undefined
  readonly #direct: boolean
  readonly #envelopes: Envelopes
  readonly #order: ResponseOrder | undefined
  readonly #pending = new Pending()
  #era: Era = 'opening'
  #probed = false
  #opened: Params | undefined
  /** The tools, once they are loaded. */
  #service: Service | undefined
  #link: SdkLink | undefined
  #loading = false
  /** Frames that came while something was being loaded, in their order. */
  #held: Line[] = []
  #stopNews = () => {}
  #closed = false

  get #manners(): CompatOptions {
    return this.#host.handshake.compat ?? NO_COMPAT
  }

  constructor(host: Host, send: (line: string) => void, options: ConnectionOptions = {}) {
    this.#host = host
    this.#send = send
    this.#direct = options.direct ?? true
    this.#decorate = options.decorate
    this.#hangUp = options.hangUp
    this.#envelopes = new Envelopes()
    this.#order = this.#manners.orderedResponses ? new ResponseOrder(send) : undefined
  }

  receive(line: string): void {
    const { maxDepth, nullParams } = this.#manners
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

  /** Answers a frame that could not even be read. */
  reject(fault: FrameFault, id: RequestId | null = null, slot = this.#order?.open()): void {
    const text = writeError(id, this.#host.handshake.dialect.frame(fault))
    if (slot === undefined) this.#send(text)
    else this.#order?.fill(slot, text)
  }

  /** Resolves when every request has been answered, open subscriptions apart. */
  async settled(): Promise<void> {
    await this.#pending.settled(() => this.#loading)
  }

  /** Ends the subscriptions with their final word and lets go of everything. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#stopNews()
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

  /** Decides the era from the opening exchange, by the SDK's rules. False: ask again once the SDK is here. */
  #settleEra(message: Request | Notification): boolean {
    if (this.#era !== 'opening') return true
    const claim = this.#envelopes.judge(message.params)
    if (claim === 'unsure') return false
    if (claim === 'none') this.#era = 'legacy'
    // An envelope that does not hold decides nothing, nor does a probe: the client may still turn out to be an
    // older one, until it makes a request.
    else if (claim === 'valid') {
      const request = 'id' in message
      if (request && message.method === PROBE) this.#probed = true
      else if (request || !this.#probed) this.#era = 'modern'
    }
    // The SDK may be here already, and does not see what we answer ourselves.
    if (this.#link !== undefined) this.#catchUp()
    return true
  }

  #notified(message: Notification, line: Line): void {
    if (!this.#settleEra(message)) return this.#load(line, 'sdk')
    if (!message.method.startsWith('notifications/')) {
      // Where a method is a call, somebody may think it happened.
      const level = this.#manners.methodCalls ? 'warn' : 'debug'
      const fields = { method: message.method.slice(0, 64) }
      this.#host.handshake.log.write(
        level,
        'ignored: without an id there is no answer, and so no effect',
        fields,
      )
    }
    if (message.method === 'notifications/cancelled') {
      const id = message.params?.requestId as RequestId
      this.#pending.cancel(id, message.params?.reason)
      this.#order?.dropId(id)
    }
    // With no SDK there is nobody a notification could matter to.
    if (this.#link !== undefined) this.#deliver(message)
  }

  #requested(asked: Request, line: Line): void {
    const { id } = asked
    const message = this.#interpret(asked)
    const { method } = message
    if (this.#pending.has(id) || id === REPLAY) return this.reject('duplicate', id, line.slot)
    if (!this.#settleEra(message)) return this.#load(line, 'sdk')
    if (line.slot !== undefined) this.#order?.bind(id, line.slot)
    if (this.#direct && this.#greet(message)) return
    const service = this.#service
    if (service === undefined) return this.#load(line, 'tools')
    const plan = method === 'tools/call' ? service.resolve(message.params) : undefined
    if (plan !== undefined && isRefusal(plan)) {
      service.logRejected(id, plan)
      return this.#respond(id, writeError(id, plan.error))
    }
    if (this.#direct && this.#answer(service, message, plan)) return
    if (this.#link === undefined) return this.#load(line, 'sdk')
    const { handshake } = this.#host
    const repaired =
      method === 'initialize' ? { ...message, params: repairInitialize(handshake, message.params) } : message
    if (!this.#link.accepts(repaired)) return this.reject('params', id, line.slot)
    this.#pending.add(id, { method, listens: method === LISTEN })
    if (method === LISTEN) this.#order?.dropId(id)
    this.#deliver(repaired)
  }

  /** What a client that counts on older ways means in today's. */
  #interpret(message: Request): Request {
    const { methodCalls, aliases } = this.#manners
    const method = aliases.get(message.method) ?? message.method
    if (methodCalls && this.#service?.parts.catalog.find(method) !== undefined) {
      return { ...message, method: 'tools/call', params: { name: method, arguments: message.params ?? {} } }
    }
    return method === message.method ? message : { ...message, method }
  }

  /** Answers the handshake, before there are tools. True when it did. */
  #greet({ id, method, params }: Request): boolean {
    const { handshake } = this.#host
    if (this.#era === 'legacy' && method === 'ping' && isBare(params)) return this.#result(id, '{}')
    if (method === 'shutdown' && this.#manners.shutdown) {
      this.#hangUp?.()
      return this.#result(id, '{}')
    }
    if (this.#era === 'legacy' && method === 'initialize') {
      if (this.#link !== undefined || params?._meta !== undefined) return false
      this.#opened = repairInitialize(handshake, params)
      this.#fetchTools()
      return this.#result(id, JSON.stringify(initializeResult(handshake, params?.protocolVersion)))
    }
    if (this.#era !== 'legacy' && method === PROBE && isBare(params)) {
      if (this.#envelopes.judge(params) !== 'valid') return false
      this.#fetchTools()
      return this.#result(id, writeModern(handshake, discoverResult(handshake), true))
    }
    return false
  }

  /** True when the request has been, or will be, answered without the SDK. */
  #answer(service: Service, { id, method, params }: Request, plan: ResolvedCall | undefined): boolean {
    const modern = this.#era !== 'legacy'
    if (modern && this.#envelopes.judge(params) !== 'valid') return false
    if (method === 'tools/list' && isBare(params)) {
      return this.#result(id, service.toolListJson(modern))
    }
    return plan !== undefined && isPlainCall(params) && this.#call(service, id, plan, params, modern)
  }

  #result(id: RequestId, json: string): true {
    this.#respond(id, writeResult(id, json))
    return true
  }

  #reporter(progressToken: ProgressToken): (progress: ProgressUpdate) => void {
    return ({ done, ...rest }) =>
      this.#send(
        JSON.stringify({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken, progress: done, ...rest },
        }),
      )
  }

  #call(
    service: Service,
    id: RequestId,
    plan: ResolvedCall,
    params: Params | undefined,
    modern: boolean,
  ): true {
    const token = progressToken(params)
    const report = token === undefined ? undefined : this.#reporter(token)
    const call = service.openCall(report, { request: id, tool: plan.tool.name })
    let over = false
    service.parts.invoke(plan.tool, plan.args, call, (outcome) => {
      over = true
      if (outcome.kind !== 'cancelled' && !this.#closed)
        this.#respond(id, writeOutcome(service, id, outcome, modern ? 'modern' : 'legacy'))
      this.#pending.remove(id, call)
    })
    if (!over) this.#pending.add(id, call)
    return true
  }

  /** The client is greeted; what it will ask next is made ready while it thinks. */
  #fetchTools(): void {
    if (this.#service !== undefined) return
    // If this fails, the request that needs them will tell.
    setImmediate(() => void Promise.resolve(this.#host.service()).catch(() => {}))
  }

  /** Loads what a frame needs and goes on with it, and with all that came meanwhile, in order. */
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

  /** Our own files are gone or broken, as when they are replaced under a running server: say so and live on. */
  #abandon(cause: unknown): void {
    const { log, dialect } = this.#host.handshake
    log.write('error', 'cannot load', { cause: String(cause) })
    this.#resume(({ frame, slot }) => {
      if (frame.kind === 'reject') return this.reject(frame.fault, frame.id, slot)
      if (frame.kind !== 'request') return
      const text = writeError(frame.message.id, dialect.bug())
      if (slot === undefined) this.#send(text)
      else this.#order?.fill(slot, text)
    })
  }

  async #fetch(what: 'tools' | 'sdk'): Promise<void> {
    if (this.#service === undefined) {
      this.#service = await this.#host.service()
      // Closed meanwhile: nobody would ever stop the listening.
      if (this.#closed) return
      this.#stopNews = this.#service.parts.changes.listen((change) => this.#announce(change))
    }
    if (what === 'tools' || this.#link !== undefined) return
    const { joinSdk, isEnvelope } = await import('./sdk.ts')
    this.#envelopes.check = isEnvelope
    this.#link = joinSdk(this.#service, (message) => this.#fromSdk(message), this.#decorate)
    this.#catchUp()
  }

  /** An older client hears of changed lists unasked; everything else was asked for, and the SDK knows it. */
  #announce(change: ChangeEvent): void {
    if (this.#link !== undefined) return this.#link.announce(change)
    if (this.#era !== 'legacy' || change.kind === 'resource') return
    this.#send(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${change.kind}/list_changed` }))
  }

  /** Tells the SDK what has been agreed without it. */
  #catchUp(): void {
    const _meta = { [VERSION_KEY]: MODERN, [CAPABILITIES_KEY]: {} }
    const replay = { jsonrpc: '2.0', id: REPLAY }
    if (this.#era === 'opening') {
      if (this.#probed) this.#deliver({ ...replay, method: PROBE, params: { _meta } })
    } else if (this.#opened !== undefined) {
      this.#deliver({ ...replay, method: 'initialize', params: this.#opened })
    } else {
      const params = { requestId: REPLAY, ...(this.#era === 'modern' && { _meta }) }
      this.#deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    }
  }

  #deliver(message: object): void {
    this.#link?.deliver(message)
  }

  #fromSdk(message: object): void {
    const { id } = message as { id?: RequestId }
    if (id === REPLAY) return
    if (id === undefined || 'method' in message) return this.#send(JSON.stringify(message))
    const method = this.#pending.delegated(id)
    // Cancelled in the meantime: the client no longer wants to hear of it.
    if (method === undefined) return
    const unknown = 'error' in message && (message.error as RpcError).code === METHOD_NOT_FOUND
    const { dialect } = this.#host.handshake
    // The SDK knows the code; how the rest of it looks is the dialect's to say.
    this.#respond(
      id,
      unknown ? writeError(id, dialect.frame('method', method.slice(0, 128))) : JSON.stringify(message),
    )
    this.#pending.remove(id)
  }
}
