import { pushTo } from '../../../kernel/multimap.ts'
import type { DetectionContext, Framework } from '../../connections/framework.ts'
import { inboundAt } from '../../connections/framework.ts'
import type { RouterGraph } from '../../connections/router-graph.ts'
import { memoized } from '../../source/memoized.ts'
import type { CallExpression, Expression } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

/** tRPC: procedures are entries of routers, and routers are entries of each other. */

const FACTORY = /^(router|createTRPCRouter|createRouter)$/
const OPERATION = /^(query|mutation|subscription)$/
const MAX_MOUNTS = 16
const MAX_DEPTH = 12

interface Procedure {
  readonly router: string
  readonly name: string
  readonly operation: string
  readonly line: number
}

interface Mount {
  readonly parent: string
  readonly segment: string
}

/** The routers of one project: known after all files have been read. */
class TrpcRouters {
  readonly #procedures = new Map<string, Procedure[]>()
  readonly #mounts = new Map<string, Mount[]>()
  readonly #prefixes = new Map<string, readonly string[]>()

  procedure(file: string, procedure: Procedure): void {
    pushTo(this.#procedures, file, procedure)
  }

  mount(child: string, mount: Mount): void {
    pushTo(this.#mounts, child, mount)
  }

  procedures(file: string): readonly Procedure[] {
    return (this.#procedures.get(file) ?? []).flatMap((one) =>
      this.#prefixesOf(one.router, 0).map((prefix) => ({ ...one, name: dotted(prefix, one.name) })),
    )
  }

  #prefixesOf(router: string, depth: number): readonly string[] {
    const known = this.#prefixes.get(router)
    if (known !== undefined) return known
    // Entered before it is known: routers may contain each other.
    this.#prefixes.set(router, [''])
    const mounts = depth > MAX_DEPTH ? [] : (this.#mounts.get(router) ?? []).slice(0, MAX_MOUNTS)
    const found = mounts.flatMap(({ parent, segment }) =>
      this.#prefixesOf(parent, depth + 1).map((outer) => dotted(outer, segment)),
    )
    const prefixes = found.length === 0 ? [''] : [...new Set(found)].slice(0, MAX_MOUNTS)
    this.#prefixes.set(router, prefixes)
    return prefixes
  }
}

const dotted = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('.')

const trpcRouters = memoized((_: RouterGraph) => new TrpcRouters())

/** Whether a chain begins with a procedure: `publicProcedure.input(…).query(…)`. */
const isProcedure = ({ receiver }: CallExpression): boolean => {
  let at = receiver
  while (at?.kind === 'call') at = at.call.receiver
  return at?.kind === 'name' && /procedure$/i.test(at.name)
}

interface OpenRouter {
  readonly key: string
  readonly path: string
}

const declareEntries = (
  call: CallExpression,
  router: OpenRouter,
  scope: TypeScope,
  context: DetectionContext,
): void => {
  const [entries] = call.args
  if (entries?.kind === 'record') declareRecord(entries.entries, router, scope, context)
}

const declareRecord = (
  entries: ReadonlyMap<string, Expression>,
  { key, path }: OpenRouter,
  scope: TypeScope,
  context: DetectionContext,
): void => {
  for (const [name, value] of entries) {
    if (name.startsWith('...')) continue
    const at = dotted(path, name)
    if (value.kind === 'name')
      trpcRouters(context.routers).mount(context.modules.declarationKey(value.name, scope.unit), {
        parent: key,
        segment: at,
      })
    else if (value.kind === 'call' && FACTORY.test(value.call.name))
      declareEntries(value.call, { key, path: at }, scope, context)
    else if (value.kind === 'call' && OPERATION.test(value.call.name) && isProcedure(value.call))
      trpcRouters(context.routers).procedure(scope.unit.file, {
        router: key,
        name: at,
        operation: value.call.name,
        line: value.call.line,
      })
  }
}

/** `{ create: protectedProcedure.mutation(…) }`, which another router contains. */
const isProcedures = (
  value: Expression | undefined,
): value is Extract<Expression, { readonly kind: 'record' }> =>
  value?.kind === 'record' &&
  [...value.entries.values()].some(
    (one) => one.kind === 'call' && OPERATION.test(one.call.name) && isProcedure(one.call),
  )

const declareRouter = (
  name: string,
  value: Expression | undefined,
  scope: TypeScope,
  context: DetectionContext,
): void => {
  const key = `${scope.unit.file}\0${name}`
  if (isProcedures(value)) return declareRecord(value.entries, { key, path: '' }, scope, context)
  if (value?.kind !== 'call') return
  const { call } = value
  if (FACTORY.test(call.name)) declareEntries(call, { key, path: '' }, scope, context)
  else if (call.name === 'mergeRouters')
    for (const one of call.args)
      if (one.kind === 'name')
        trpcRouters(context.routers).mount(context.modules.declarationKey(one.name, scope.unit), {
          parent: key,
          segment: '',
        })
      else if (one.kind === 'call' && FACTORY.test(one.call.name))
        declareEntries(one.call, { key, path: '' }, scope, context)
}

export const TRPC: Framework = {
  name: 'tRPC',
  language: 'script',
  applies: ({ topLevel }) =>
    topLevel.locals.some(
      ({ value }) =>
        isProcedures(value) ||
        (value?.kind === 'call' && (FACTORY.test(value.call.name) || value.call.name === 'mergeRouters')),
    ),
  routes: (scope, context) => {
    for (const { name, value } of scope.method.locals) declareRouter(name, value, scope, context)
  },
  inbound: (scope, context) =>
    trpcRouters(context.routers)
      .procedures(scope.unit.file)
      .map(({ operation, name, line }) =>
        inboundAt(
          scope,
          line,
          { text: `${operation} ${name}`, confidence: 'high' },
          { protocol: 'tRPC', handler: name },
        ),
      ),
}
