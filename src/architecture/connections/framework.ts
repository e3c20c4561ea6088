import type { ModuleFiles } from '../source/module-files.ts'
import type { CallExpression, SourceLanguage, SourceUnit } from '../source/source-unit.ts'
import type { KnownText, TextConfidence, TextResolver } from '../source/text-resolver.ts'
import type { TypeScope } from '../source/type-scope.ts'
import type { ProtoService } from './proto.ts'
import type { RouterGraph } from './router-graph.ts'

/** An entry point of the project: a route, a listener, a schedule or a gRPC method. */
export interface Inbound {
  readonly protocol: string
  readonly endpoint: string
  readonly source_file: string
  readonly line: number
  /** The type and method that handle it. */
  readonly handler: string
  readonly confidence: TextConfidence
  readonly http_method?: string
  readonly path?: string
  /** The text in the code before placeholders were filled in. */
  readonly origin?: string
  /** A file of the code that serves it, when it is only declared elsewhere. */
  readonly served_by?: string
}

/** A connection from the project to another system. */
export interface Outbound {
  readonly target_service: string
  readonly protocol: string
  /** The client library or kind of configuration. */
  readonly type: string
  readonly source_file: string
  readonly line: number
  /** The calling type; empty for configuration. */
  readonly caller: string
  readonly confidence: TextConfidence
  readonly http_method?: string
  readonly path?: string
  readonly url?: string
  /** Routes of a declared client. */
  readonly calls?: readonly string[]
  readonly routing_key?: string
  /** Types into which a declared client is injected. */
  readonly consumers?: readonly string[]
  readonly origin?: string
}

/** The target of a call whose address is known only at run time. */
export const UNKNOWN_TARGET = 'External Services'

/** What every detector may use. */
export interface DetectionContext {
  readonly resolver: TextResolver
  readonly modules: ModuleFiles
  readonly routers: RouterGraph
  readonly protos: ReadonlyMap<string, ProtoService>
}

/** What a detector finds for a call, a type or a name at one place of the code. */
export type FindIn<S, R> = (subject: S, scope: TypeScope, context: DetectionContext) => R
export type ResolveIn<S, R> = (subject: S, resolver: TextResolver, scope: TypeScope) => R

/** A framework or client library that the analysis recognizes: a row of the table in the documentation. */
export interface Framework {
  readonly name: string
  readonly language: SourceLanguage
  /** Whether a file may use it, by its imports or its path. Called for every file: must be cheap. */
  readonly applies: (unit: SourceUnit) => boolean
  /** Declares routers, mounts and routes. Called for all files before `inbound` and `outbound`. */
  readonly routes?: (scope: TypeScope, context: DetectionContext) => void
  readonly inbound?: (scope: TypeScope, context: DetectionContext) => readonly Inbound[]
  readonly outbound?: (scope: TypeScope, context: DetectionContext) => readonly Outbound[]
}

/** Whether a file imports a module whose name matches. */
export const importsModule =
  (modules: RegExp) =>
  ({ imports }: SourceUnit): boolean =>
    imports.some((name) => modules.test(name))

type Known = Pick<KnownText, 'text' | 'confidence'>

/** A connection at a line of the code. The caller is the type, unless another one is given. */
export const outboundAt = (
  { unit, type: owner }: TypeScope,
  line: number,
  { text, confidence }: Known,
  {
    protocol,
    type,
    caller = owner?.name ?? '',
    ...rest
  }: Pick<Outbound, 'protocol' | 'type'> & Partial<Outbound>,
): Outbound => ({
  target_service: text,
  protocol,
  type,
  source_file: unit.file,
  line,
  caller,
  confidence,
  ...rest,
})

/** An entry point at a line of the code. */
export const inboundAt = (
  { unit }: Pick<TypeScope, 'unit'>,
  line: number,
  { text, confidence }: Known,
  { protocol, handler, ...rest }: Pick<Inbound, 'protocol' | 'handler'> & Partial<Inbound>,
): Inbound => ({
  protocol,
  endpoint: text,
  source_file: unit.file,
  line,
  handler,
  confidence,
  ...rest,
})

/** What reads one place of the code. */
export class Detector {
  readonly scope: TypeScope
  readonly context: DetectionContext

  constructor(scope: TypeScope, context: DetectionContext) {
    this.scope = scope
    this.context = context
  }
}

/** What reads one call. */
export class CallDetector extends Detector {
  readonly call: CallExpression

  constructor(call: CallExpression, scope: TypeScope, context: DetectionContext) {
    super(scope, context)
    this.call = call
  }
}
