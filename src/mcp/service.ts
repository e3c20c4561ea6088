import { Call, type CallLabel, type ProgressUpdate, shortId } from '../kernel/call.ts'
import type { Catalog } from '../kernel/catalog.ts'
import type { ChangeEmitter } from '../kernel/change-events.ts'
import { isRecord } from '../kernel/encoding/json.ts'
import type { Invoke, Outcome } from '../kernel/invoke.ts'
import { optional } from '../kernel/optional.ts'
import type { Tool } from '../kernel/tool.ts'
import type { ToolAnswer } from '../kernel/tool-io.ts'
import type { ToolOffer } from '../kernel/tool-offer.ts'
import { FACTS_META, FRESHNESS_META, faultResult, type ToolResult } from './dialect.ts'
import {
  type CacheHint,
  type Capabilities,
  type LazyServer,
  LIST_CACHE,
  type ServerBasics,
  STATE_CACHE,
} from './handshake.ts'
import { type ListingOptions, listTools } from './listing.ts'
import type { Params, RequestId, RpcError, RpcRefusal } from './message.ts'
import { writeModern } from './serialize.ts'

interface ServiceParts extends Omit<ServerBasics, 'capabilities'> {
  /** The announced capabilities. Default: those of the catalog. */
  readonly capabilities?: Capabilities
  readonly catalog: Catalog
  readonly invoke: Invoke
  readonly changes: ChangeEmitter
  /** What entries of the tool list have. Default: output schemas, and what `compat` says. */
  readonly listing?: ListingOptions
  /** Which of the listed tools are offered now. Default: all of them, always. */
  readonly offer?: ToolOffer
  /** The freshness that answers carry in `_meta`, as JSON. Default: they carry none. */
  readonly freshness?: () => string
}

/** A JSON-RPC error, sent unchanged. */
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

/** The kernel as an MCP service, the same for all transports and revisions. Holds no connection. */
export class Service implements LazyServer {
  readonly parts: ServiceParts
  readonly handshake: ServerBasics
  readonly #listJson = new Map<string, string>()
  readonly #lists = new Map<string, { readonly tools: ReturnType<typeof listTools> }>()

  constructor(parts: ServiceParts) {
    this.parts = parts
    this.handshake = { ...parts, capabilities: parts.capabilities ?? catalogCapabilities(parts.catalog) }
  }

  service(): this {
    return this
  }

  /** The tool list as JSON, cached: a client may ask for it thousands of times. */
  toolListJson(modern: boolean): string {
    const key = `${modern ? 'modern' : 'legacy'} ${this.#offerKey}`
    const known = this.#listJson.get(key)
    if (known !== undefined) return known
    const json = modern
      ? writeModern(this.handshake, this.toolList, this.toolListCache)
      : JSON.stringify(this.toolList)
    this.#listJson.set(key, json)
    return json
  }

  /** Created on first use: converting the schemas would take most of the start-up time. */
  get toolList() {
    const { catalog, compat, listing, offer } = this.parts
    const key = this.#offerKey
    const known = this.#lists.get(key)
    if (known !== undefined) return known
    const options = { listingMeta: compat?.listingMeta ?? false, ...listing }
    const list = { tools: listTools(catalog, options, offer?.isOffered) }
    this.#lists.set(key, list)
    return list
  }

  /** A list that depends on the state of the gate is stale soon. */
  get toolListCache(): CacheHint {
    return this.parts.offer === undefined ? LIST_CACHE : STATE_CACHE
  }

  get #offerKey(): string {
    return this.parts.offer?.key() ?? ''
  }

  /** Resolves the tool and arguments of a `tools/call`, or says what is wrong with them. */
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

  /** Logs a `tools/call` that could not be resolved. */
  logRejected(id: RequestId, { error }: RpcRefusal): void {
    this.parts.log.write(this.parts.compat?.badArgumentsLevel ?? 'debug', 'not a call', {
      request: shortId(id),
      code: error.code,
      words: error.message,
    })
  }

  openCall(report?: (progress: ProgressUpdate) => void, label?: CallLabel): Call {
    const { clock, log } = this.parts
    return new Call(clock, log, report, label)
  }

  /** The wire format of an outcome. A cancelled call has no response. */
  resultOf(outcome: Exclude<Outcome, { kind: 'cancelled' }>): ToolResult | RpcRefusal {
    if (outcome.kind === 'answer') return this.#withFreshness(answerResult(outcome))
    const { dialect } = this.parts
    if (outcome.kind === 'bug') return { error: dialect.bug() }
    const error = dialect.fault(outcome.fault)
    return error === undefined ? this.#withFreshness(faultResult(outcome.fault)) : { error }
  }

  #withFreshness(result: ToolResult): ToolResult {
    const json = this.parts.freshness?.()
    if (json === undefined) return result
    const { _meta, ...rest } = result
    return { _meta: { ..._meta, [FRESHNESS_META]: JSON.parse(json) }, ...rest }
  }
}

const answerResult = ({ value, json, content, quoted, facts }: ToolAnswer): ToolResult => ({
  ...optional({ _meta: facts && { [FACTS_META]: facts } }),
  content: content ?? [{ type: 'text', text: quoted === undefined ? (json ?? '') : JSON.parse(quoted) }],
  ...(json !== undefined && { structuredContent: value }),
})

const catalogCapabilities = (catalog: Catalog): Capabilities => {
  const completes = [...catalog.prompts, ...catalog.resources].some(({ complete }) => complete !== undefined)
  return {
    tools: { listChanged: true },
    ...(catalog.resources.length > 0 && { resources: { subscribe: true, listChanged: true } }),
    ...(catalog.prompts.length > 0 && { prompts: { listChanged: true } }),
    ...(completes && { completions: {} }),
  }
}
