import type { ModuleFiles } from '../source/module-files.ts'
import type { SourceLanguage, SourceUnit } from '../source/source-unit.ts'
import type { TextResolver } from '../source/text-resolver.ts'
import type { TypeScope } from '../source/type-scope.ts'
import type { Inbound, Outbound } from './connections.ts'
import type { ProtoService } from './proto.ts'
import type { RouterGraph } from './router-graph.ts'

/** What every detector may use. */
export interface DetectionContext {
  readonly resolver: TextResolver
  readonly modules: ModuleFiles
  readonly routers: RouterGraph
  readonly protos: ReadonlyMap<string, ProtoService>
}

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
