import { optional } from '../../kernel/optional.ts'
import { type DetectionContext, type Framework, inboundAt, outboundAt } from '../connections/framework.ts'
import type { KnownText } from '../source/text-resolver.ts'
import type { TypeScope } from '../source/type-scope.ts'

export type MessageDirection = 'in' | 'out'

/** A topic or queue that a file sends to or listens on. Names that are known only at run time are left out. */
export interface FoundMessage extends KnownText {
  readonly protocol: string
  /** The library. */
  readonly type: string
  readonly line: number
  /** The type or function in which it stands. */
  readonly owner: string
  readonly routingKey?: string
}

type FindMessages = (
  direction: MessageDirection,
  scope: TypeScope,
  context: DetectionContext,
) => readonly FoundMessage[]

/** The detectors of messages, from what finds them in a file. */
export const messageDetectors = (find: FindMessages): Required<Pick<Framework, 'inbound' | 'outbound'>> => ({
  inbound: (scope, context) =>
    find('in', scope, context).map(({ protocol, line, owner, ...known }) =>
      inboundAt(scope, line, known, { protocol, handler: owner }),
    ),
  outbound: (scope, context) =>
    find('out', scope, context).map(({ protocol, type, line, owner, routingKey, ...known }) =>
      outboundAt(scope, line, known, {
        protocol,
        type,
        caller: owner,
        ...optional({ routing_key: routingKey }),
      }),
    ),
})
