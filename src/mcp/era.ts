import { Envelopes, isBare } from './envelope.ts'
import {
  discoverResult,
  initializeResult,
  LIST_CACHE,
  repairInitialize,
  type ServerBasics,
} from './handshake.ts'
import type { Notification, Params, Request } from './message.ts'
import { writeModern } from './serialize.ts'

/** The id of a handshake that is repeated for the SDK alone. Clients may not use it. */
export const REPLAY_ID = 'warrant:replay'
const DISCOVER = 'server/discover'

export type Era = 'legacy' | 'modern'

/**
 * What a message is by what it carries.
 * - `unenveloped`: no envelope, from a client that has used only envelopes so far
 * - `broken`: an envelope that the SDK's schema rejects; the SDK answers with the error
 */
type MessageClass = Era | 'unenveloped' | 'broken'

/**
 * Decides the protocol era of each message by what the message carries: an envelope makes it `modern`, whatever the
 * connection has seen before; `initialize` and requests without an envelope are `legacy`.
 */
export class EraNegotiation {
  readonly #handshake: ServerBasics
  readonly #envelopes = new Envelopes()
  #hasLegacy = false
  #hasModern = false
  #initialize: Params | undefined
  #negotiated: string | undefined

  constructor(handshake: ServerBasics) {
    this.#handshake = handshake
  }

  /** Whether the client has sent legacy messages, and so expects unrequested notifications. */
  get hasLegacy(): boolean {
    return this.#hasLegacy
  }

  /** The version of the newest `initialize`. */
  get negotiated(): string | undefined {
    return this.#negotiated
  }

  /** Hands over the SDK's schema check, which decides about unusual envelopes. */
  useSchema(isEnvelope: (params: Params) => boolean): void {
    this.#envelopes.check = isEnvelope
  }

  /** Undefined: only the SDK's schema can judge the envelope. */
  classify(message: Request | Notification): MessageClass | undefined {
    const { method, params } = message
    const envelope = this.#envelopes.judge(params)
    if (envelope === 'unsure') return undefined
    const isRequest = 'id' in message
    if (envelope === 'valid') {
      // A client of either era may probe with `server/discover`.
      if (isRequest && method !== DISCOVER) this.#hasModern = true
      return 'modern'
    }
    if (isRequest && method === 'initialize') {
      this.#negotiated = initializeResult(this.#handshake, params?.protocolVersion).protocolVersion
    } else if (envelope === 'broken') {
      return 'broken'
    } else if (this.#hasModern && !this.#hasLegacy) {
      return 'unenveloped'
    }
    this.#hasLegacy = true
    return 'legacy'
  }

  /** The result of `ping`, `initialize` or `server/discover` as JSON; undefined leaves the answer to the SDK. */
  answerHandshake({ method, params }: Request, era: Era, sdkLoaded: boolean): string | undefined {
    if (era === 'legacy') {
      if (method === 'ping' && isBare(params)) return '{}'
      if (method !== 'initialize' || sdkLoaded || params?._meta !== undefined) return undefined
      this.#initialize = repairInitialize(this.#handshake, params)
      return JSON.stringify(initializeResult(this.#handshake, params?.protocolVersion))
    }
    if (method !== DISCOVER || !isBare(params)) return undefined
    return writeModern(this.#handshake, discoverResult(this.#handshake), LIST_CACHE)
  }

  /** The `initialize` that was answered without the SDK, for an SDK loaded later; undefined when there was none. */
  replay(): object | undefined {
    if (this.#initialize === undefined) return undefined
    return { jsonrpc: '2.0', id: REPLAY_ID, method: 'initialize', params: this.#initialize }
  }
}
