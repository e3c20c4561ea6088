import type { Catalog } from '../../kernel/catalog.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import type { Limits } from '../../kernel/limits.ts'
import type { Clock, Log, LogLevel } from '../../kernel/ports.ts'
import type { Dialect } from './dialect.ts'
import type { Params, Request } from './message.ts'
import type { Service } from './service.ts'

export const MODERN = '2026-07-28'
/** Newest first: a client that names none of these is offered the first. */
export const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const

/** How long a client may keep our lists. They change only with the configuration. */
export const LIST_CACHE = { ttlMs: 300_000, cacheScope: 'public' } as const

export interface ServerIdentity {
  readonly name: string
  readonly version: string
  readonly title?: string
}

/** Ways of older servers that their clients count on. */
export interface CompatOptions {
  /** A tool's name is also a method: `{"method":"node.create","params":{…}}`. */
  readonly methodCalls: boolean
  /** Whether `null` in the place of params, or of a tool's arguments, means that there are none. */
  readonly nullParams: boolean
  /** Other names of methods. */
  readonly aliases: ReadonlyMap<string, string>
  /** How deep JSON may nest. */
  readonly maxDepth: number
  /** Whether answers come in the order of the requests. */
  readonly orderedResponses: boolean
  /** Whether listed tools show what they say beyond the protocol. */
  readonly listingMeta: boolean
  /** Whether `shutdown` is a method: answered, and then the end. */
  readonly shutdown: boolean
  /** How loudly the log speaks of calls whose arguments will not do. */
  readonly badArgumentsLevel: LogLevel
}

export const NO_COMPAT: CompatOptions = {
  methodCalls: false,
  nullParams: false,
  aliases: new Map(),
  // Far beyond any honest message, and short of where recursive code runs out of stack.
  maxDepth: 500,
  orderedResponses: false,
  listingMeta: false,
  shutdown: false,
  badArgumentsLevel: 'debug',
}

export type Capabilities = Readonly<Record<string, Readonly<Record<string, boolean>>>>

/** All a handshake needs: no tool, no schema, nothing that takes time to load. */
export interface Handshake {
  readonly identity: ServerIdentity
  readonly instructions?: string
  readonly capabilities: Capabilities
  readonly compat?: CompatOptions
  readonly dialect: Dialect
  readonly limits: Limits
  readonly clock: Clock
  readonly log: Log
}

/** A server that can greet at once and has its tools a moment later. */
export interface Host {
  readonly handshake: Handshake
  service(): Service | Promise<Service>
}

export const initializeResult = (
  { identity, instructions, capabilities, dialect }: Handshake,
  requested: unknown,
) => {
  const asked = typeof requested === 'string' ? requested : dialect.defaultVersion
  return {
    protocolVersion: LEGACY.find((version) => version === asked) ?? LEGACY[0],
    capabilities,
    serverInfo: identity,
    ...(instructions !== undefined && { instructions }),
  }
}

export const discoverResult = ({ capabilities, instructions }: Handshake) => ({
  supportedVersions: [MODERN],
  capabilities,
  ...(instructions !== undefined && { instructions }),
})

/** Translates method aliases and, with `methodCalls`, methods named like a tool. */
export const translateMethod = (
  request: Request,
  { methodCalls, aliases }: CompatOptions,
  catalog: Pick<Catalog, 'find'> | undefined,
): Request => {
  const method = aliases.get(request.method) ?? request.method
  if (methodCalls && catalog?.find(method) !== undefined) {
    return { ...request, method: 'tools/call', params: { name: method, arguments: request.params ?? {} } }
  }
  return method === request.method ? request : { ...request, method }
}

/** An `initialize` with nothing in it is still an `initialize`. */
export const repairInitialize = ({ dialect }: Handshake, params: Params | undefined): Params => {
  const text = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise)
  const client = isRecord(params?.clientInfo) ? params.clientInfo : {}
  return {
    ...params,
    protocolVersion: text(params?.protocolVersion, dialect.defaultVersion),
    capabilities: isRecord(params?.capabilities) ? params.capabilities : {},
    clientInfo: { ...client, name: text(client.name, 'unknown'), version: text(client.version, '0') },
  }
}
