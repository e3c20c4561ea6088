import type { ProgressUpdate } from '../kernel/call.ts'
import type { Outcome } from '../kernel/invoke.ts'
import type { Content } from '../kernel/tool.ts'
import { FRESHNESS_META } from './dialect.ts'
import { progressToken, SERVER_KEY } from './envelope.ts'
import type { CacheHint, ServerBasics } from './handshake.ts'
import { isRefusal, type Params, type RequestId, writeError, writeResult } from './message.ts'
import type { Service } from './service.ts'

type Result = { readonly _meta?: Readonly<Record<string, unknown>>; readonly [member: string]: unknown }

/** A result in the format of revision 2026-07-28, with the members in the SDK's order. */
export const writeModern = ({ identity }: ServerBasics, result: Result, cache?: CacheHint): string =>
  JSON.stringify({
    ...result,
    resultType: 'complete',
    ...cache,
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
    const body = `"content":[${blocks}],"structuredContent":${json}`
    return writeResult(id, wrapBody(service, body, era))
  }
  const result = service.resultOf(outcome)
  if (isRefusal(result)) return writeError(id, result.error)
  return writeResult(
    id,
    era === 'legacy' ? JSON.stringify(result) : writeModern(service.handshake, { ...result }),
  )
}

/** The result around its body, with the members in the order in which the SDK writes them. */
const wrapBody = (service: Service, body: string, era: 'legacy' | 'modern'): string => {
  const freshness = service.parts.freshness?.()
  const meta = freshness === undefined ? undefined : `"${FRESHNESS_META}":${freshness}`
  if (era === 'legacy') return meta === undefined ? `{${body}}` : `{"_meta":{${meta}},${body}}`
  const server = `"${SERVER_KEY}":${identityJson(service)}`
  return meta === undefined
    ? `{${body},"resultType":"complete","_meta":{${server}}}`
    : `{"_meta":{${meta},${server}},${body},"resultType":"complete"}`
}

const identities = new WeakMap<Service, string>()

const identityJson = (service: Service): string => {
  const known = identities.get(service)
  if (known !== undefined) return known
  const json = JSON.stringify(service.handshake.identity)
  identities.set(service, json)
  return json
}
