import { joinRoutes } from '../../connections/addresses.ts'
import { type DetectionContext, type Framework, importsModule } from '../../connections/framework.ts'
import { isLeftOut } from '../../source/imported-files.ts'
import { bodiesOf, type CallExpression, type SourceUnit, type Variable } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { chainOf, creationOf, factoryName, isPath, isVerb, ownPrefix, routesOf } from './router-calls.ts'
import { type RouterLibrary, RouterNames, SCRIPT_ROUTER_LIBRARIES } from './router-libraries.ts'
import { inlineRouter, RouterMounts } from './router-mounts.ts'

/** Express, Koa, Hono and Fastify: routes are calls on a router, and routers are mounted on each other. */

/** Hono: route('/books', books). */
const isHonoMount = ({ name }: RouterLibrary, call: CallExpression): boolean =>
  name === 'Hono' && call.name === 'route' && call.args.length === 2

/** Whether a variable holds a router, which another one has to mount: `express.Router()`, `new KoaRouter()`. */
const isRouter = (variable: Variable | undefined): boolean => {
  const made = creationOf(variable?.value)
  return made !== undefined && /Router$/.test(factoryName(made))
}

const declareCalls = (
  library: RouterLibrary,
  calls: readonly CallExpression[],
  scope: TypeScope,
  context: DetectionContext,
): void => {
  const names = new RouterNames(library, context)
  const mounts = new RouterMounts(names, scope)
  const { unit } = scope
  const isUnknown = !importsModule(library.modules)(unit) && library.name === 'Express'
  const isUnused = () => isLeftOut(unit, scope.index, context.modules)
  for (const call of calls) {
    mounts.passed(call)
    const router = names.ofCall(call, scope)
    if (router === undefined) continue
    const prefix = ownPrefix(router.variable)
    const known = prefix === undefined ? undefined : context.resolver.text(prefix, router.scope)
    if (known !== undefined)
      context.routers.prefix(router.key, { path: known.text, confidence: known.confidence })
    const key = { ...router.key, name: inlineRouter(router.key.name, call, calls) }
    if (call.name === 'register') mounts.register(call, key)
    else if (call.name === 'use' || isHonoMount(library, call)) mounts.use(call, key)
    else
      for (const route of routesOf(call, chainOf(call).path, scope, context))
        context.routers.route({
          router: key,
          route: { ...route, path: joinRoutes(route.path) },
          file: unit.file,
          line: call.line,
          handler: '',
          // A router, unlike an application, serves nothing by itself.
          onlyMounted: isUnknown || (isRouter(router.variable) && isUnused()),
        })
  }
}

const declareRoutes =
  (library: RouterLibrary) =>
  (scope: TypeScope, context: DetectionContext): void => {
    const { unit } = scope
    declareCalls(library, scope.method.calls, scope, context)
    for (const type of unit.types)
      for (const method of bodiesOf(type))
        declareCalls(library, method.calls, scope.at(unit, type, method), context)
  }

const hasRouterParameter =
  (parameters: RegExp) =>
  ({ topLevel }: SourceUnit): boolean =>
    topLevel.locals.some(({ name, value }) => value === undefined && parameters.test(name))

/** `module.exports = (app) => { app.get('/x', …); app.use('/y', users) }`: a function that gets the application. */
const hasRouteCalls = ({ topLevel }: SourceUnit): boolean =>
  topLevel.calls.some(
    ({ name, receiver, args }) =>
      receiver?.kind === 'name' &&
      /^(app|router)$/.test(receiver.name) &&
      (name === 'route' || ((isVerb(name) || (name === 'use' && isPath(args[0]))) && args.length > 1)),
  )

const APPLIES_TO: Readonly<Record<string, (unit: SourceUnit) => boolean>> = {
  // Plugins of Fastify often import nothing: they get the instance as a parameter.
  Fastify: hasRouterParameter(/^fastify$/),
  Express: hasRouteCalls,
}

const OTHER_LIBRARIES = importsModule(/^(fastify|koa|hono|@koa\/router|koa-router|@hono\/\S+)$/)

export const ROUTER_FRAMEWORKS: readonly Framework[] = SCRIPT_ROUTER_LIBRARIES.map((library) => {
  const imported = importsModule(library.modules)
  const { [library.name]: isPlugin = () => false } = APPLIES_TO
  return {
    name: library.name,
    language: 'script',
    applies: (unit) => imported(unit) || (isPlugin(unit) && !OTHER_LIBRARIES(unit)),
    routes: declareRoutes(library),
  }
})
