import type { ProgressUpdate } from '../../kernel/call.ts'
import type { Outcome } from '../../kernel/invoke.ts'
import type { Content } from '../../kernel/tool.ts'
import { progressToken, SERVER_KEY } from './envelope.ts'
import { LIST_CACHE, type ServerBasics } from './handshake.ts'
import { isRefusal, type Params, type RequestId, writeError, writeResult } from './message.ts'
import type { Service } from './service.ts'

type Result = { readonly _meta?: Readonly<Record<string, unknown>>; readonly [member: string]: unknown }

/** A result in the format of revision 2026-07-28, with the members in the SDK's order. */
export const writeModern = ({ identity }: ServerBasics, result: Result, cached = false): string =>
  JSON.stringify({
    ...result,
    resultType: 'complete',
    ...(cached && LIST_CACHE),
    _meta: { ...result._meta, [SERVER_KEY]: identity },
  })

const writeText = (quoted: string): string => `{"type":"text","text":${quoted}}`

const writeBlock = (block: Content): string =>
  block.type === 'text' ? writeText(JSON.stringify(block.text)) : JSON.stringify(block)

/** Sends progress notifications for a request; undefined when it asks for none. */
export const progressReporter = (
  params: Params | undefined,
  send: (line: string) => void,
): ((progress: ProgressUpdate) => void) | undefined => {
  const token = progressToken(params)
  if (token === undefined) return undefined
  return ({ done, ...rest }) => {
    const notification = { progressToken: token, progress: done, ...rest }
    send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: notification }))
  }
}

/** The response line of a finished call. */
export const writeOutcome = (
  service: Service,
  id: RequestId,
  outcome: Exclude<Outcome, { kind: 'cancelled' }>,
  era: 'legacy' | 'modern',
): string => {
  // `invoke` has already written the JSON of the answer; it is inserted as text.
  if (outcome.kind === 'answer' && outcome.json !== undefined) {
    const { json, content, quoted } = outcome
    const blocks =
      content === undefined ? writeText(quoted ?? JSON.stringify(json)) : content.map(writeBlock).join()
    const body = `{"content":[${blocks}],"structuredContent":${json}`
    return writeResult(id, era === 'legacy' ? `${body}}` : `${body}${modernTail(service)}`)
  }
  const result = service.resultOf(outcome)
  if (isRefusal(result)) return writeError(id, result.error)
  return writeResult(
    id,
    era === 'legacy' ? JSON.stringify(result) : writeModern(service.handshake, { ...result }),
  )
}

const tails = new WeakMap<Service, string>()

const modernTail = (service: Service): string => {
  const known = tails.get(service)
  if (known !== undefined) return known
  const tail = `,${writeModern(service.handshake, {}).slice(1)}`
  tails.set(service, tail)
  return tail
}
