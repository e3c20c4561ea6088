import { type About, Call, type Progress, shortId } from '../../kernel/call.ts'
import type { Catalog } from '../../kernel/catalog.ts'
import type { Changes } from '../../kernel/change-events.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import type { Invoke, Outcome } from '../../kernel/invoke.ts'
import type { Tool } from '../../kernel/tool.ts'
import type { Answer } from '../../kernel/tool-io.ts'
import { faultResult, type ToolResult } from './dialect.ts'
import type { Capabilities, Hello, Host } from './handshake.ts'
import { listTools } from './listing.ts'
import type { Params, Refusal, RequestId, RpcError } from './message.ts'
import { writeModern } from './serialize.ts'

export interface ServiceParts extends Omit<Hello, 'capabilities'> {
  /** What the handshake says we can do. Without it: what the catalog holds. */
  readonly capabilities?: Capabilities
  readonly catalog: Catalog
  readonly invoke: Invoke
  readonly changes: Changes
}

/** An error the wire carries as it is. */
export class WireError extends Error {
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: RpcError) {
    super(message)
    this.code = code
    this.data = data
  }
}

export interface CallPlan {
  readonly tool: Tool
  readonly args: Params
}

/** The MCP face of the kernel, the same for every transport, revision and path. Holds no connection. */
export class Service implements Host {
  readonly parts: ServiceParts
  readonly hello: Hello
  readonly #listJson: { modern?: string; legacy?: string } = {}
  #tools: { readonly tools: ReturnType<typeof listTools> } | undefined

  constructor(parts: ServiceParts) {
    this.parts = parts
    this.hello = { ...parts, capabilities: parts.capabilities ?? capabilitiesOf(parts.catalog) }
  }

  service(): this {
    return this
  }

  /** The list as JSON, written once: a client may ask for it a thousand times in one breath. */
  toolListJson(modern: boolean): string {
    const key = modern ? 'modern' : 'legacy'
    this.#listJson[key] ??= modern
      ? writeModern(this.hello, this.toolList, true)
      : JSON.stringify(this.toolList)
    return this.#listJson[key]
  }

  /** Computed when first asked for: turning schemas into JSON is most of what a start would cost. */
  get toolList() {
    this.#tools ??= { tools: listTools(this.parts.catalog, this.parts.manners?.listExtras) }
    return this.#tools
  }

  /** Which tool a `tools/call` means, or why it means none. */
  plan(params: Params | undefined): CallPlan | Refusal {
    const { dialect, catalog, manners } = this.parts
    const name = params?.name
    const args = params?.arguments === null && manners?.nullParams ? undefined : params?.arguments
    if (typeof name !== 'string') return { error: dialect.frame('params', 'name must be a string') }
    if (args !== undefined && !isRecord(args)) {
      return { error: dialect.frame('params', 'arguments must be an object') }
    }
    const tool = catalog.find(name)
    return tool === undefined ? { error: dialect.unknownTool(name) } : { tool, args: args ?? {} }
  }

  /** A word in the log about a call that is none. */
  noteRefusal(id: RequestId, { error }: Refusal): void {
    this.parts.log.write(this.parts.manners?.blame ?? 'debug', 'not a call', {
      request: shortId(id),
      code: error.code,
      words: error.message,
    })
  }

  openCall(report?: (progress: Progress) => void, about?: About): Call {
    const { clock, log } = this.parts
    return new Call(clock, log, report, about)
  }

  /** What the wire says of an outcome. A cancelled call says nothing, so it must not come here. */
  resultOf(outcome: Exclude<Outcome, { kind: 'cancelled' }>): ToolResult | Refusal {
    if (outcome.kind === 'answer') return answerResult(outcome)
    const { dialect } = this.parts
    if (outcome.kind === 'bug') return { error: dialect.bug() }
    const error = dialect.fault(outcome.fault)
    return error === undefined ? faultResult(outcome.fault) : { error }
  }
}

const answerResult = ({ value, json, content, quoted }: Answer): ToolResult => ({
  content: content ?? [{ type: 'text', text: quoted === undefined ? (json ?? '') : JSON.parse(quoted) }],
  ...(json !== undefined && { structuredContent: value }),
})

const capabilitiesOf = (catalog: Catalog): Capabilities => {
  const completes = [...catalog.prompts, ...catalog.resources].some(({ complete }) => complete !== undefined)
  return {
    tools: { listChanged: true },
    ...(catalog.resources.length > 0 && { resources: { subscribe: true, listChanged: true } }),
    ...(catalog.prompts.length > 0 && { prompts: { listChanged: true } }),
    ...(completes && { completions: {} }),
  }
}
