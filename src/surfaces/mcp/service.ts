import { Call, type CallLabel, type ProgressUpdate, shortId } from '../../kernel/call.ts'
import type { Catalog } from '../../kernel/catalog.ts'
import type { ChangeEmitter } from '../../kernel/change-events.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import type { Invoke, Outcome } from '../../kernel/invoke.ts'
import type { Tool } from '../../kernel/tool.ts'
import type { ToolAnswer } from '../../kernel/tool-io.ts'
import { faultResult, type ToolResult } from './dialect.ts'
import type { Capabilities, Handshake, Host } from './handshake.ts'
import { listTools } from './listing.ts'
import type { Params, RequestId, RpcError, RpcRefusal } from './message.ts'
import { writeModern } from './serialize.ts'

export interface ServiceParts extends Omit<Handshake, 'capabilities'> {
  /** What the handshake says we can do. Without it: what the catalog holds. */
  readonly capabilities?: Capabilities
  readonly catalog: Catalog
  readonly invoke: Invoke
  readonly changes: ChangeEmitter
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

export interface ResolvedCall {
  readonly tool: Tool
  readonly args: Params
}

/** The MCP face of the kernel, the same for every transport, revision and path. Holds no connection. */
export class Service implements Host {
  readonly parts: ServiceParts
  readonly handshake: Handshake
  readonly #listJson: { modern?: string; legacy?: string } = {}
  #tools: { readonly tools: ReturnType<typeof listTools> } | undefined

  constructor(parts: ServiceParts) {
    this.parts = parts
    this.handshake = { ...parts, capabilities: parts.capabilities ?? capabilitiesOf(parts.catalog) }
  }

  service(): this {
    return this
  }

  /** The list as JSON, written once: a client may ask for it a thousand times in one breath. */
  toolListJson(modern: boolean): string {
    const key = modern ? 'modern' : 'legacy'
    this.#listJson[key] ??= modern
      ? writeModern(this.handshake, this.toolList, true)
      : JSON.stringify(this.toolList)
    return this.#listJson[key]
  }

  /** Computed when first asked for: turning schemas into JSON is most of what a start would cost. */
  get toolList() {
    this.#tools ??= { tools: listTools(this.parts.catalog, this.parts.compat?.listingMeta) }
    return this.#tools
  }

  /** Which tool a `tools/call` means, or why it means none. */
  resolve(params: Params | undefined): ResolvedCall | RpcRefusal {
    const { dialect, catalog, compat } = this.parts
    const name = params?.name
    const args = params?.arguments === null && compat?.nullParams ? undefined : params?.arguments
    if (typeof name !== 'string') return { error: dialect.frame('params', 'name must be a string') }
    if (args !== undefined && !isRecord(args)) {
      return { error: dialect.frame('params', 'arguments must be an object') }
    }
    const tool = catalog.find(name)
    return tool === undefined ? { error: dialect.unknownTool(name) } : { tool, args: args ?? {} }
  }

  /** A word in the log about a call that is none. */
  logRejected(id: RequestId, { error }: RpcRefusal): void {
    this.parts.log.write(this.parts.compat?.badArgumentsLevel ?? 'debug', 'not a call', {
      request: shortId(id),
      code: error.code,
      words: error.message,
    })
  }

  openCall(report?: (progress: ProgressUpdate) => void, about?: CallLabel): Call {
    const { clock, log } = this.parts
    return new Call(clock, log, report, about)
  }

  /** What the wire says of an outcome. A cancelled call says nothing, so it must not come here. */
  resultOf(outcome: Exclude<Outcome, { kind: 'cancelled' }>): ToolResult | RpcRefusal {
    if (outcome.kind === 'answer') return answerResult(outcome)
    const { dialect } = this.parts
    if (outcome.kind === 'bug') return { error: dialect.bug() }
    const error = dialect.fault(outcome.fault)
    return error === undefined ? faultResult(outcome.fault) : { error }
  }
}

const answerResult = ({ value, json, content, quoted }: ToolAnswer): ToolResult => ({
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
