import type { Call, Progress } from '../../kernel/call.ts'
import type { Change } from '../../kernel/changes.ts'
import type { Outcome } from '../../kernel/invoke.ts'
import { CAPABILITIES_KEY, Envelopes, isBare, isPlainCall, progressToken, VERSION_KEY } from './envelope.ts'
import { discoverResult, type Host, initializeResult, MODERN, repairInitialize } from './hello.ts'
import {
  type Frame,
  type FrameFault,
  isRefusal,
  type Notification,
  type Params,
  type Request,
  type RequestId,
  readFrame,
  writeError,
  writeResult,
} from './message.ts'
import type { Decorate, SdkLink } from './sdk.ts'
import type { CallPlan, Service } from './service.ts'
import { writeModern, writeOutcome } from './writing.ts'

type Era = 'opening' | 'legacy' | 'modern'

// No client can send it: the bytes of a private replay are never mistaken for an answer it waits for.
const REPLAY = 'warrant:replay\u0000'

/** Requests that stay open for as long as the client likes. */
const LISTEN = 'subscriptions/listen'

/**
 * One client on a line-based channel. Answers what is asked most (`initialize`, `ping`, `tools/*`,
 * `server/discover`) itself and hands the rest to the SDK, which is loaded when first needed. Both ways
 * give the same bytes.
 */
export class Connection {
  readonly #host: Host
  readonly #send: (line: string) => void
  readonly #decorate: Decorate | undefined
  readonly #direct: boolean
  readonly #envelopes: Envelopes
  /** Requests not answered yet. A direct call is its own handle; the SDK keeps its own. */
  readonly #pending = new Map<RequestId, Call | 'sdk' | 'listen'>()
  #era: Era = 'opening'
  #opened: Params | undefined
  /** The tools, once they are loaded. */
  #service: Service | undefined
  #link: SdkLink | undefined
  #loading = false
  /** Frames that came while something was being loaded, in their order. */
  #held: Frame[] = []
  #idle: (() => void)[] = []
  #stopNews = () => {}
  #closed = false

  constructor(
    host: Host,
    send: (line: string) => void,
    options: { readonly direct?: boolean; readonly decorate?: Decorate | undefined } = {},
  ) {
    this.#host = host
    this.#send = send
    this.#direct = options.direct ?? true
    this.#decorate = options.decorate
    this.#envelopes = new Envelopes()
  }

  receive(line: string): void {
    this.#take(readFrame(line))
  }

  /** Answers a frame that could not even be read. */
  reject(fault: FrameFault, id: RequestId | null = null): void {
    this.#send(writeError(id, this.#host.hello.dialect.frame(fault)))
  }

  /** Resolves when every request has been answered, open subscriptions apart. */
  async settled(): Promise<void> {
    while (this.#loading || this.#busy()) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  /** Ends the subscriptions with their final word and lets go of everything. */
  async close(): Promise<void> {
    if (this.#closed) return
    for (const call of this.#pending.values()) if (typeof call === 'object') call.cancel('closed')
    this.#stopNews()
    await this.#link?.close()
    this.#closed = true
    this.#pending.clear()
    this.#wake()
  }

  #busy(): boolean {
    for (const call of this.#pending.values()) if (call !== 'listen') return true
    return false
  }

  #wake(): void {
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  #take(frame: Frame): void {
    if (this.#closed) return
    if (this.#loading) {
      this.#held.push(frame)
      return
    }
    switch (frame.kind) {
      case 'blank':
        return
      case 'reject':
        return this.reject(frame.fault, frame.id)
      case 'response':
        return this.#deliver(frame.message)
      case 'notification':
        return this.#notified(frame.message, frame)
      case 'request':
        return this.#requested(frame.message, frame)
    }
  }

  /** Decides the era from the opening exchange, by the SDK's rules. False: ask again once the SDK is here. */
  #settleEra(message: Request | Notification): boolean {
    if (this.#era !== 'opening') return true
    const claim = this.#envelopes.judge(message.params)
    if (claim === 'unsure') return false
    if (claim === 'none') this.#era = 'legacy'
    // A probe decides nothing: the client may still turn out to be an older one. An envelope that
    // does not hold decides nothing either.
    else if (claim === 'valid' && message.method !== 'server/discover') this.#era = 'modern'
    return true
  }

  #notified(message: Notification, frame: Frame): void {
    if (!this.#settleEra(message)) return this.#load(frame, 'sdk')
    if (message.method === 'notifications/cancelled') {
      const id = message.params?.requestId as RequestId
      const call = this.#pending.get(id)
      if (call !== undefined) {
        this.#pending.delete(id)
        if (typeof call === 'object') call.cancel(message.params?.reason)
        this.#wake()
      }
    }
    // With no SDK there is nobody a notification could matter to.
    if (this.#link !== undefined) this.#deliver(message)
  }

  #requested(message: Request, frame: Frame): void {
    const { id, method } = message
    if (this.#pending.has(id)) return this.reject('duplicate', id)
    if (!this.#settleEra(message)) return this.#load(frame, 'sdk')
    if (this.#direct && this.#greet(message)) return
    const service = this.#service
    if (service === undefined) return this.#load(frame, 'tools')
    const plan = method === 'tools/call' ? service.plan(message.params) : undefined
    if (plan !== undefined && isRefusal(plan)) return this.#send(writeError(id, plan.error))
    if (this.#direct && this.#answer(service, message, plan)) return
    if (this.#link === undefined) return this.#load(frame, 'sdk')
    const { hello } = this.#host
    const repaired =
      method === 'initialize' ? { ...message, params: repairInitialize(hello, message.params) } : message
    this.#pending.set(id, method === LISTEN ? 'listen' : 'sdk')
    this.#deliver(repaired)
  }

  /** Answers the handshake, before there are tools. True when it did. */
  #greet({ id, method, params }: Request): boolean {
    const { hello } = this.#host
    if (this.#era === 'legacy' && method === 'ping' && isBare(params)) return this.#result(id, '{}')
    if (this.#era === 'legacy' && method === 'initialize') {
      if (this.#link !== undefined || params?._meta !== undefined) return false
      this.#opened = repairInitialize(hello, params)
      this.#fetchTools()
      return this.#result(id, JSON.stringify(initializeResult(hello, params?.protocolVersion)))
    }
    if (this.#era !== 'legacy' && method === 'server/discover' && isBare(params)) {
      if (this.#envelopes.judge(params) !== 'valid') return false
      this.#fetchTools()
      return this.#result(id, writeModern(hello, discoverResult(hello), true))
    }
    return false
  }

  /** True when the request has been, or will be, answered without the SDK. */
  #answer(service: Service, { id, method, params }: Request, plan: CallPlan | undefined): boolean {
    const modern = this.#era !== 'legacy'
    if (modern && this.#envelopes.judge(params) !== 'valid') return false
    if (method === 'tools/list' && isBare(params)) {
      const { toolList } = service
      return this.#result(id, modern ? writeModern(service.hello, toolList, true) : JSON.stringify(toolList))
    }
    return plan !== undefined && isPlainCall(params) && this.#call(service, id, plan, params, modern)
  }

  #result(id: RequestId, json: string): true {
    this.#send(writeResult(id, json))
    return true
  }

  #call(service: Service, id: RequestId, plan: CallPlan, params: Params | undefined, modern: boolean): true {
    const token = progressToken(params)
    const report = ({ done, ...rest }: Progress) =>
      this.#send(
        JSON.stringify({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken: token, progress: done, ...rest },
        }),
      )
    const call = service.openCall(token === undefined ? undefined : report)
    const answer = (outcome: Outcome) => {
      if (outcome.kind !== 'cancelled')
        this.#send(writeOutcome(service, id, outcome, modern ? 'modern' : 'legacy'))
    }
    const outcome = service.parts.invoke(plan.tool, plan.args, call)
    if (!(outcome instanceof Promise)) {
      answer(outcome)
      return true
    }
    this.#pending.set(id, call)
    void outcome.then((ended) => {
      if (this.#pending.get(id) === call) this.#pending.delete(id)
      if (!this.#closed) answer(ended)
      this.#wake()
    })
    return true
  }

  /** The client is greeted; what it will ask next is made ready while it thinks. */
  #fetchTools(): void {
    if (this.#service !== undefined) return
    // If this fails, the request that needs them will tell.
    setImmediate(() => void Promise.resolve(this.#host.service()).catch(() => {}))
  }

  /** Loads what a frame needs and goes on with it, and with all that came meanwhile, in order. */
  #load(frame: Frame, what: 'tools' | 'sdk'): void {
    this.#loading = true
    this.#held.push(frame)
    void this.#fetch(what)
      .then(() => this.#resume((held) => this.#take(held)))
      .catch((cause: unknown) => this.#abandon(cause))
  }

  #resume(go: (held: Frame) => void): void {
    this.#loading = false
    for (const held of this.#held.splice(0)) go(held)
    this.#wake()
  }

  /** Our own files are gone or broken, as when they are replaced under a running server: say so and live on. */
  #abandon(cause: unknown): void {
    const { log, dialect } = this.#host.hello
    log.write('error', 'cannot load', { cause: String(cause) })
    this.#resume((held) => {
      if (held.kind === 'request') this.#send(writeError(held.message.id, dialect.bug()))
    })
  }

  async #fetch(what: 'tools' | 'sdk'): Promise<void> {
    if (this.#service === undefined) {
      this.#service = await this.#host.service()
      this.#stopNews = this.#service.parts.changes.listen((change) => this.#announce(change))
    }
    if (what === 'tools' || this.#link !== undefined) return
    const { joinSdk, isEnvelope } = await import('./sdk.ts')
    this.#envelopes.check = isEnvelope
    this.#link = joinSdk(this.#service, (message) => this.#fromSdk(message), this.#decorate)
    this.#catchUp()
  }

  /** An older client hears of changed lists unasked; everything else was asked for, and the SDK knows it. */
  #announce(change: Change): void {
    if (this.#link !== undefined) return this.#link.announce(change)
    if (this.#era !== 'legacy' || change.kind === 'resource') return
    this.#send(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${change.kind}/list_changed` }))
  }

  /** Tells the SDK what has been agreed without it. */
  #catchUp(): void {
    if (this.#era === 'opening') return
    if (this.#opened !== undefined) {
      this.#deliver({ jsonrpc: '2.0', id: REPLAY, method: 'initialize', params: this.#opened })
      return
    }
    const _meta = { [VERSION_KEY]: MODERN, [CAPABILITIES_KEY]: {} }
    const params = { requestId: REPLAY, ...(this.#era === 'modern' && { _meta }) }
    this.#deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
  }

  #deliver(message: object): void {
    this.#link?.deliver(message)
  }

  #fromSdk(message: object): void {
    const { id } = message as { id?: RequestId }
    if (id === REPLAY) return
    if (id !== undefined && !('method' in message)) {
      // Cancelled in the meantime: the client no longer wants to hear of it.
      if (!this.#pending.delete(id)) return
    }
    this.#send(JSON.stringify(message))
    this.#wake()
  }
}
