import { joinRoutes } from '../../connections/addresses.ts'
import { type DetectionContext, type Framework, importsModule } from '../../connections/framework.ts'
import type { RouterKey } from '../../connections/router-graph.ts'
import type { CallExpression, Expression, SourceUnit, Variable } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { chainOf, creationOf, factoryName, isPath, nameOfValue, ownPrefix, routesOf } from './router-calls.ts'

/** Express, Koa, Hono and Fastify: routes are calls on a router, and routers are mounted on each other. */

/** How a library creates routers, and what its calls mean. */
interface RouterLibrary {
  readonly name: string
  readonly modules: RegExp
  /** Functions and classes that create a router. */
  readonly factories: RegExp
  /** Parameters of a plugin that are a router. */
  readonly parameters: RegExp
}

const LIBRARIES: readonly RouterLibrary[] = [
  {
    name: 'Express',
    modules: /^(express|express-promise-router)$/,
    factories: /^(express|Router|express\.Router|PromiseRouter)$/,
    parameters: /^(app|router|server|route)$/,
  },
  {
    name: 'Fastify',
    modules: /^(fastify|fastify-plugin)$/,
    factories: /^(fastify|Fastify)$/,
    parameters: /^(fastify|app|server|instance)$/,
  },
  {
    name: 'Hono',
    modules: /^hono(\/tiny|\/quick)?$|^@hono\/zod-openapi$/,
    factories: /^(Hono|OpenAPIHono)$/,
    parameters: /^app$/,
  },
  {
    name: 'Koa',
    modules: /^(@koa\/router|koa-router)$/,
    factories: /^(Router|KoaRouter)$/,
    parameters: /^(router|app)$/,
  },
]

/** A router of the project that a name refers to. */
const routerOf = (
  library: RouterLibrary,
  name: string,
  scope: TypeScope,
  { modules }: DetectionContext,
): { readonly key: RouterKey; readonly variable?: Variable; readonly scope: TypeScope } | undefined => {
  const declared = modules.declaration(name, scope.unit)
  const there =
    declared.unit === scope.unit ? scope : scope.at(declared.unit, undefined, declared.unit.topLevel)
  const key = { file: declared.unit.file, name: declared.name }
  const variables = there.variables(declared.name)
  const created = variables.find(({ value }) => {
    const call = creationOf(value)
    return call !== undefined && library.factories.test(factoryName(call))
  })
  if (created !== undefined) return { key, variable: created, scope: there }
  const isParameter = variables.some(({ value }) => value === undefined) || variables.length === 0
  return isParameter && there === scope && library.parameters.test(name) ? { key, scope: there } : undefined
}

/** The routers that an argument of `use` names: `router`, `router.routes()`, `require('./users')`, `users()`. */
const mountedRouters = (
  argument: Expression,
  scope: TypeScope,
  context: DetectionContext,
): readonly RouterKey[] => {
  const { modules } = context
  if (argument.kind === 'name') {
    const [head = '', member] = argument.name.split('.')
    const declared = modules.declaration(head, scope.unit)
    const name = member === undefined ? declared.name : (exportedName(declared.unit, member) ?? member)
    return [{ file: declared.unit.file, name }]
  }
  if (argument.kind !== 'call') return []
  const { name, receiver, args } = argument.call
  if (name === 'require' && args[0]?.kind === 'text') {
    const found = modules.exported({ module: args[0].text, name: 'default' }, scope.unit)
    return found === undefined ? [] : [{ file: found.unit.file, name: found.name }]
  }
  if (receiver !== undefined) return name === 'routes' ? mountedRouters(receiver, scope, context) : []
  // A function that builds a router: all routers of its file.
  const declared = modules.declaration(name, scope.unit)
  return declared.unit === scope.unit ? [] : [{ file: declared.unit.file, name: '*' }]
}

const exportedName = ({ exports }: SourceUnit, name: string): string | undefined => {
  const found = exports.get(name)
  return typeof found === 'string' ? found : undefined
}

const mountRouters = (
  call: CallExpression,
  parent: RouterKey,
  scope: TypeScope,
  context: DetectionContext,
): void => {
  const [first, second] = call.args
  // Fastify: register(plugin, { prefix }).
  const options =
    call.name === 'register' && second?.kind === 'record' ? second.entries.get('prefix') : undefined
  const given = call.name === 'register' ? options : isPath(first) || call.args.length > 1 ? first : undefined
  const prefix = given === undefined ? undefined : context.resolver.text(given, scope)
  const children = call.name === 'register' ? [first] : given === undefined ? call.args : call.args.slice(1)
  for (const child of children) {
    if (child === undefined) continue
    for (const found of mountedRouters(child, scope, context)) {
      // A plugin is a function that gets the router as a parameter.
      const key = call.name === 'register' && found.file !== scope.unit.file ? { ...found, name: '*' } : found
      if (key.file !== parent.file || key.name !== parent.name)
        context.routers.mount(parent, key, {
          path: prefix?.text ?? '',
          confidence: prefix?.confidence ?? 'high',
        })
    }
  }
}

const declareRoutes =
  (library: RouterLibrary) =>
  (scope: TypeScope, context: DetectionContext): void => {
    const { unit, method } = scope
    for (const call of method.calls) {
      const { root, path } = chainOf(call)
      if (root?.kind !== 'name' && root?.kind !== 'call') continue
      const name = root.kind === 'name' ? root.name : nameOfValue(root, unit)
      const router = routerOf(library, name, scope, context)
      if (router === undefined) continue
      const prefix = ownPrefix(router.variable)
      const known = prefix === undefined ? undefined : context.resolver.text(prefix, router.scope)
      if (known !== undefined)
        context.routers.prefix(router.key, { path: known.text, confidence: known.confidence })
      if (call.name === 'use' || call.name === 'register' || isHonoMount(library, call))
        mountRouters(call, router.key, scope, context)
      else
        for (const route of routesOf(call, path, scope, context))
          context.routers.route({
            router: router.key,
            route: { ...route, path: joinRoutes(route.path) },
            file: unit.file,
            line: call.line,
            handler: '',
          })
    }
  }

/** Hono: route('/books', books). */
const isHonoMount = ({ name }: RouterLibrary, call: CallExpression): boolean =>
  name === 'Hono' && call.name === 'route' && call.args.length === 2

const hasRouterParameter =
  (parameters: RegExp) =>
  ({ topLevel }: SourceUnit): boolean =>
    topLevel.locals.some(({ name, value }) => value === undefined && parameters.test(name))

export const ROUTER_FRAMEWORKS: readonly Framework[] = LIBRARIES.map((library) => {
  const imported = importsModule(library.modules)
  // Plugins of Fastify often import nothing: they get the instance as a parameter.
  const isPlugin = library.name === 'Fastify' ? hasRouterParameter(/^fastify$/) : () => false
  return {
    name: library.name,
    language: 'script',
    applies: (unit) => imported(unit) || isPlugin(unit),
    routes: declareRoutes(library),
  }
})
