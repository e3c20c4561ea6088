import { Call, type Progress } from '../../kernel/call.ts'
import type { Catalog } from '../../kernel/catalog.ts'
import type { Changes } from '../../kernel/changes.ts'
import type { Invoke, Outcome } from '../../kernel/invoke.ts'
import { isRecord } from '../../kernel/json.ts'
import type { Limits } from '../../kernel/limits.ts'
import type { Clock, Log } from '../../kernel/ports.ts'
import type { Content, Tool } from '../../kernel/tool.ts'
import { type Dialect, faultResult, type ToolResult } from './dialect.ts'
import { listTools } from './listing.ts'
import type { Params, RpcError } from './message.ts'

export const MODERN = '2026-07-28'
/** Newest first: a client that names none of these is offered the first. */
export const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const

/** How long a client may keep our lists. They change only with the configuration. */
export const LIST_CACHE = { ttlMs: 300_000, cacheScope: 'public' } as const

export interface Identity {
  readonly name: string
  readonly title: string
  readonly version: string
}

export interface ServiceParts {
  readonly identity: Identity
  readonly instructions: string
  readonly catalog: Catalog
  readonly invoke: Invoke
  readonly dialect: Dialect
  readonly limits: Limits
  readonly clock: Clock
  readonly log: Log
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

type Refusal = { readonly error: RpcError }
export type CallPlan = { readonly tool: Tool; readonly args: Params } | Refusal

/** The MCP face of the kernel, the same for every transport, revision and path. Holds no connection. */
export class Service {
  readonly parts: ServiceParts
  readonly capabilities: Readonly<Record<string, Readonly<Record<string, boolean>>>>
  #tools: { readonly tools: ReturnType<typeof listTools> } | undefined

  constructor(parts: ServiceParts) {
    this.parts = parts
    const { catalog } = parts
    const completes = [...catalog.prompts, ...catalog.resources].some(
      ({ complete }) => complete !== undefined,
    )
    this.capabilities = {
      tools: { listChanged: true },
      ...(catalog.resources.length > 0 && { resources: { subscribe: true, listChanged: true } }),
      ...(catalog.prompts.length > 0 && { prompts: { listChanged: true } }),
      ...(completes && { completions: {} }),
    }
  }

  /** Computed when first asked for: turning schemas into JSON is most of what a start would cost. */
  get toolList() {
    this.#tools ??= { tools: listTools(this.parts.catalog) }
    return this.#tools
  }

  /** Which tool a `tools/call` means, or why it means none. */
  plan(params: Params | undefined): CallPlan {
    const { dialect, catalog } = this.parts
    const name = params?.name
    const args = params?.arguments
    if (typeof name !== 'string') return { error: dialect.frame('params', 'name must be a string') }
    if (args !== undefined && !isRecord(args)) {
      return { error: dialect.frame('params', 'arguments must be an object') }
    }
    const tool = catalog.find(name)
    return tool === undefined ? { error: dialect.unknownTool(name) } : { tool, args: args ?? {} }
  }

  openCall(report?: (progress: Progress) => void): Call {
    return new Call(this.parts.clock, this.parts.log, report)
  }

  /** What the wire says of an outcome. A cancelled call says nothing, so it must not come here. */
  resultOf(outcome: Exclude<Outcome, { kind: 'cancelled' }>): ToolResult | Refusal {
    if (outcome.kind === 'answer') return answerResult(outcome.value, outcome.json, outcome.content)
    const { dialect } = this.parts
    if (outcome.kind === 'bug') return { error: dialect.bug() }
    const error = dialect.fault(outcome.fault)
    return error === undefined ? faultResult(outcome.fault) : { error }
  }

  initializeResult(requested: unknown) {
    const { identity, instructions, dialect } = this.parts
    const asked = typeof requested === 'string' ? requested : dialect.defaultVersion
    return {
      protocolVersion: LEGACY.find((version) => version === asked) ?? LEGACY[0],
      capabilities: this.capabilities,
      serverInfo: identity,
      instructions,
    }
  }

  discoverResult() {
    const { capabilities } = this
    return { supportedVersions: [MODERN], capabilities, instructions: this.parts.instructions }
  }
}

const answerResult = (
  value: unknown,
  json: string | undefined,
  content: readonly Content[] | undefined,
): ToolResult => ({
  content: content ?? [{ type: 'text', text: json ?? '' }],
  ...(json !== undefined && { structuredContent: value }),
})

export const isRefusal = (value: object): value is Refusal => 'error' in value

/** An `initialize` with nothing in it is still an `initialize`. */
export const repairInitialize = ({ parts }: Service, params: Params | undefined): Params => {
  const text = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise)
  const client = isRecord(params?.clientInfo) ? params.clientInfo : {}
  return {
    ...params,
    protocolVersion: text(params?.protocolVersion, parts.dialect.defaultVersion),
    capabilities: isRecord(params?.capabilities) ? params.capabilities : {},
    clientInfo: { ...client, name: text(client.name, 'unknown'), version: text(client.version, '0') },
  }
}
