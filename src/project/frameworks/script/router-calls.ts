import type { DetectionContext } from '../../connections/framework.ts'
import type { EndpointRoute } from '../../connections/inbound-web.ts'
import type { CallExpression, Expression, SourceUnit, Variable } from '../../source/source-unit.ts'
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

/** The call that created a value: `express`, `express.Router`. */
export const creationOf = (value: Expression | undefined): CallExpression | undefined => {
  const call = value?.kind === 'call' ? value.call : undefined
  // `new Hono().basePath('/api')` and `new Hono().get(…)` return the router.
  return call?.receiver?.kind === 'call' ? creationOf(call.receiver) : call
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
    else if (!Object.hasOwn(VERBS, name) && name !== 'use' && name !== 'route') break
    at = receiver
  }
  return { root: at, ...(path !== undefined && { path }) }
}

export const isPath = (expression: Expression | undefined): boolean =>
  expression?.kind === 'text' || expression?.kind === 'join'

/** The routes of one call: `get('/x', …)`, `route({ method, url })`, `route('/x').get(…)`, `on('GET', '/x', …)`. */
export const routesOf = (
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
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  if (verb === undefined) return []
  if (chained !== undefined) return toRoutes([verb], chained)
  if (args.length < 2) return []
  // Koa allows a name before the path.
  const named = args.length > 2 && first?.kind === 'text' && !/^[/*(]|^$/.test(first.text) && isPath(second)
  return toRoutes([verb], named ? second : first)
}

/** Prefixes given where the router is created: `new Router({ prefix })`, `.basePath('/api')`. */
export const ownPrefix = (variable: Variable | undefined): Expression | undefined => {
  const value = variable?.value
  if (value?.kind !== 'call') return undefined
  if (value.call.name === 'basePath') return value.call.args[0]
  const [options] = creationOf(value)?.args ?? []
  return options?.kind === 'record' ? options.entries.get('prefix') : undefined
}

/** The variable whose value begins with this call: `const app = new Hono().get(…)`. */
export const nameOfValue = (root: Expression, unit: SourceUnit): string =>
  unit.topLevel.locals.find(({ value }) => startOf(value) === root)?.name ?? ''

const startOf = (value: Expression | undefined): Expression | undefined => {
  let at = value
  while (at?.kind === 'call' && at.call.receiver?.kind === 'call') at = at.call.receiver
  return at
}
