import { CAPABILITIES_KEY, Envelopes, isBare, VERSION_KEY } from './envelope.ts'
import { discoverResult, type Handshake, initializeResult, MODERN, repairInitialize } from './handshake.ts'
import type { Notification, Params, Request } from './message.ts'
import { writeModern } from './serialize.ts'

/** The id of a handshake that is repeated for the SDK alone. Clients may not use it. */
export const REPLAY_ID = 'warrant:replay'
const DISCOVER = 'server/discover'
const MODERN_META = { [VERSION_KEY]: MODERN, [CAPABILITIES_KEY]: {} }

/**
 * Decides the protocol era of a connection, by the SDK's rules: `legacy` clients begin with `initialize`, `modern`
 * ones put an envelope into each request. The era is `opening` until a message decides it.
 */
export class EraNegotiation {
  readonly #handshake: Handshake
  readonly #envelopes = new Envelopes()
  #era: 'opening' | 'legacy' | 'modern' = 'opening'
  #discovered = false
  #initialize: Params | undefined

  constructor(handshake: Handshake) {
    this.#handshake = handshake
  }

  get isSettled(): boolean {
    return this.#era !== 'opening'
  }

  get isLegacy(): boolean {
    return this.#era === 'legacy'
  }

  /** Hands over the SDK's schema check, which decides about unusual envelopes. */
  useSchema(isEnvelope: (params: Params) => boolean): void {
    this.#envelopes.check = isEnvelope
  }

  hasEnvelope(params: Params | undefined): boolean {
    return this.#envelopes.judge(params) === 'valid'
  }

  /** Learns from a message of the opening exchange. False: only the SDK's schema can judge it. */
  settle(message: Request | Notification): boolean {
    const envelope = this.#envelopes.judge(message.params)
    if (envelope === 'unsure') return false
    if (envelope === 'none') this.#era = 'legacy'
    // Neither a broken envelope nor `server/discover` decides: the client may still turn out to be a legacy one.
    else if (envelope === 'valid') {
      const isRequest = 'id' in message
      if (isRequest && message.method === DISCOVER) this.#discovered = true
      else if (isRequest || !this.#discovered) this.#era = 'modern'
    }
    return true
  }

  /** The result of `ping`, `initialize` or `server/discover` as JSON; undefined leaves the answer to the SDK. */
  answerHandshake({ method, params }: Request, sdkLoaded: boolean): string | undefined {
    if (this.#era === 'legacy') {
      if (method === 'ping' && isBare(params)) return '{}'
      if (method !== 'initialize' || sdkLoaded || params?._meta !== undefined) return undefined
      this.#initialize = repairInitialize(this.#handshake, params)
      return JSON.stringify(initializeResult(this.#handshake, params?.protocolVersion))
    }
    if (method !== DISCOVER || !isBare(params) || !this.hasEnvelope(params)) return undefined
    return writeModern(this.#handshake, discoverResult(this.#handshake), true)
  }

  /** The message that brings an SDK loaded later to the era agreed so far; undefined when there is none yet. */
  replay(): object | undefined {
    const request = { jsonrpc: '2.0', id: REPLAY_ID }
    if (this.#era === 'opening') {
      return this.#discovered ? { ...request, method: DISCOVER, params: { _meta: MODERN_META } } : undefined
    }
    if (this.#initialize !== undefined) return { ...request, method: 'initialize', params: this.#initialize }
    const params = { requestId: REPLAY_ID, ...(this.#era === 'modern' && { _meta: MODERN_META }) }
    return { jsonrpc: '2.0', method: 'notifications/cancelled', params }
  }
}
