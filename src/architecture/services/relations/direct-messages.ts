import type { Inbound, Outbound } from '../../connections/connections.ts'
import type { Deployable } from '../service-draft.ts'
import { serviceOf } from '../service-files.ts'

/** Messages that go from one service to the other without a broker: the TCP transport of Nest. */
const DIRECT = 'Messaging-TCP'

export const isDirectMessage = ({ protocol }: Pick<Inbound, 'protocol'>): boolean => protocol === DIRECT

/** Finds the receiver of a direct message by its pattern. */
export class DirectMessages {
  /** Undefined for a pattern that several services handle. */
  readonly #receivers = new Map<string, Deployable | undefined>()

  constructor(inbound: readonly Inbound[], services: readonly Deployable[]) {
    for (const one of inbound) {
      const service = isDirectMessage(one) ? serviceOf(one.source_file, services) : undefined
      if (service === undefined) continue
      const isOnly = !this.#receivers.has(one.endpoint) || this.#receivers.get(one.endpoint) === service
      this.#receivers.set(one.endpoint, isOnly ? service : undefined)
    }
  }

  /** The transport of a sender may be unknown; that of the receiver decides. */
  receiverOf(one: Outbound): Deployable | undefined {
    return isDirectMessage(one) || one.protocol === 'Messaging-Nest'
      ? this.#receivers.get(one.target_service)
      : undefined
  }
}
