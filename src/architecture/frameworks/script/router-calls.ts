import { optional } from '../../../kernel/optional.ts'
import type { DetectionContext } from '../../connections/framework.ts'
import type { EndpointRoute } from '../../connections/inbound-web.ts'
import type { CallExpression, Expression, Variable } from '../../source/source-unit.ts'
import { callIn, recordEntry } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

/** Calls on a router: how it was created, and the routes that a call adds. */

const VERBS: Readonly<Record<string, string>> = {
  get: 'GET',
  post: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  del: 'DELETE',
  head: 'HEAD',
  options: 'OPTIONS',
  all: 'ANY',
}

/** Further calls that return the router. */
const CHAINED = new Set(['use', 'route', 'basePath', 'register', 'on', 'openapi'])

/** The call that created a value: `express`, `express.Router`. */
export const creationOf = (value: Expression | undefined): CallExpression | undefined => {
  const call = callIn(value)
  if (call?.receiver?.kind !== 'call') return call
  const { receiver } = call
  // `require('express').Router()`
  const [module] = receiver.call.name === 'require' ? receiver.call.args : []
  if (module?.kind === 'text') return { ...call, receiver: { kind: 'name', name: module.text } }
  // `new Hono().basePath('/api')` and `new Hono().get(…)` return the router.
  return creationOf(receiver)
}

export const factoryName = ({ receiver, name }: CallExpression): string =>
  receiver?.kind === 'name' ? `${receiver.name}.${name}` : name

/** The receiver at the start of a chain, and the path that calls on the way add: `router.route('/a').get(…)`. */
export const chainOf = (
  call: CallExpression,
): { readonly root: Expression | undefined; readonly path?: Expression } => {
  let at = call.receiver
  let path: Expression | undefined
  while (at?.kind === 'call' && at.call.receiver !== undefined && at.call.makes === false) {
    const { name, args, receiver } = at.call
    if (name === 'route' && args.length === 1 && args[0]?.kind !== 'record') path ??= args[0]
    else if (!isRouteVerb(name) && !CHAINED.has(name)) break
    at = receiver
  }
  return { root: at, ...optional({ path }) }
}

export const isRouteVerb = (name: string): boolean => Object.hasOwn(VERBS, name)

export const isPathText = (expression: Expression | undefined): boolean =>
  expression?.kind === 'text' || expression?.kind === 'join'

/** The routes of one call: `get('/x', …)`, `route({ method, url })`, `route('/x').get(…)`, `on('GET', '/x', …)`. */
export const routesOfCall = (
  { name, args }: CallExpression,
  chained: Expression | undefined,
  scope: TypeScope,
  { resolver }: DetectionContext,
): readonly EndpointRoute[] => {
  const toRoutes = (methods: readonly string[], path: Expression | undefined) =>
    resolver
      .texts(path, scope)
      .flatMap(({ text, confidence }) => methods.map((method) => ({ method, path: text, confidence })))
  const [first, second] = args
  if (name === 'route' && first?.kind === 'record') {
    const methods = resolver.texts(first.entries.get('method'), scope).map(({ text }) => text.toUpperCase())
    return toRoutes(methods, first.entries.get('url') ?? first.entries.get('path'))
  }
  // Hono: on(['GET', 'PUT'], '/x', …).
  if (name === 'on' && args.length > 2 && (isPathText(second) || second?.kind === 'list'))
    return toRoutes(
      resolver.texts(first, scope).map(({ text }) => text.toUpperCase()),
      second,
    )
  if (name === 'openapi') return openApiRoute(first, scope, toRoutes)
  const verb = isRouteVerb(name) ? VERBS[name] : undefined
  if (verb === undefined) return []
  if (chained !== undefined) return toRoutes([verb], chained)
  if (args.length < 2) return []
  // Koa allows a name before the path.
  const named =
    args.length > 2 && first?.kind === 'text' && !/^[/*(]|^$/.test(first.text) && isPathText(second)
  return toRoutes([verb], named ? second : first)
}

/** Hono: openapi(createRoute({ method, path }), …). */
const openApiRoute = (
  given: Expression | undefined,
  scope: TypeScope,
  toRoutes: (methods: readonly string[], path: Expression | undefined) => readonly EndpointRoute[],
): readonly EndpointRoute[] => {
  const values = given?.kind === 'name' ? scope.variables(given.name).map(({ value }) => value) : [given]
  for (const value of values) {
    const [options] = value?.kind === 'call' && value.call.name === 'createRoute' ? value.call.args : []
    const method = recordEntry(options, 'method')
    if (options?.kind === 'record' && method?.kind === 'text')
      return toRoutes([method.text.toUpperCase()], options.entries.get('path'))
  }
  return []
}

/** Prefixes given where the router is created: `new Router({ prefix })`, `.basePath('/api')`. */
export const ownPrefix = (variable: Variable | undefined): Expression | undefined => {
  const value = variable?.value
  if (value?.kind !== 'call') return undefined
  for (let at: Expression | undefined = value; at?.kind === 'call'; at = at.call.receiver)
    if (at.call.name === 'basePath') return at.call.args[0]
  const [options] = creationOf(value)?.args ?? []
  return recordEntry(options, 'prefix')
}

/** The call at the start of a chain. */
export const chainStart = (value: Expression | undefined): Expression | undefined => {
  let at = value
  while (at?.kind === 'call' && at.call.receiver?.kind === 'call') at = at.call.receiver
  return at
}
