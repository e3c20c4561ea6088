import { joinRoutes } from '../../connections/addresses.ts'
import { type DetectionContext, type Framework, importsModule } from '../../connections/framework.ts'
import type { RouterKey } from '../../connections/router-graph.ts'
import { isLeftOut } from '../../source/module-files.ts'
import { folderOf, joinPath } from '../../source/source-files.ts'
import {
  bodiesOf,
  type CallExpression,
  type Expression,
  recordEntry,
  type SourceUnit,
  type Variable,
} from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import { NO_TEXT } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import {
  chainOf,
  creationOf,
  factoryName,
  isPathText,
  isRouteVerb,
  ownPrefix,
  routesOfCall,
} from './router-calls.ts'
import { type RouterLibrary, RouterNames, SCRIPT_ROUTER_LIBRARIES } from './router-libraries.ts'

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
  const isUnused = () => isLeftOut(unit, scope.index)
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
      for (const route of routesOfCall(call, chainOf(call).path, scope, context))
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
      (name === 'route' ||
        ((isRouteVerb(name) || (name === 'use' && isPathText(args[0]))) && args.length > 1)),
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

/** Routers mounted on each other: `use`, `register`, `route`, and functions that get a router. */

const MAX_PREFIXES = 16
/** Names of settings that hold a path. */
const PATH_NAME = /(prefix|path|base|root|url|route)$/i

/** The function whose code a call is in, by the parameter that the call is made on: `instance` of an inline plugin. */
const inlineRouter = (name: string, at: CallExpression, calls: readonly CallExpression[]): string => {
  const { line } = at
  const around = calls.flatMap((call) => {
    const [first] = call.args
    return call !== at &&
      call.name === 'register' &&
      first?.kind === 'other' &&
      first.lambda?.parameters[0] === name
      ? [first.lambda]
      : []
  })
  const inner = around.findLast((one) => one.line <= line && line <= one.lastLine)
  return inner === undefined ? name : `${name}@${inner.line}`
}

class RouterMounts {
  readonly #names: RouterNames
  readonly #scope: TypeScope

  constructor(names: RouterNames, scope: TypeScope) {
    this.#names = names
    this.#scope = scope
  }

  #mount(parent: RouterKey, child: RouterKey, prefixes: readonly KnownText[] = [NO_TEXT]): void {
    if (child.file === parent.file && child.name === parent.name) return
    for (const { text, confidence } of prefixes.slice(0, MAX_PREFIXES))
      this.#names.context.routers.mount(parent, child, { path: text, confidence })
  }

  #texts(expression: Expression | undefined): readonly KnownText[] {
    const found = this.#names.context.resolver.texts(expression, this.#scope)
    return found.length === 0 ? [NO_TEXT] : found
  }

  /** `use('/users', router)`, also with `mount('/users', app)` of Koa. */
  use({ args }: CallExpression, parent: RouterKey): void {
    const [first] = args
    const given = this.#isPrefix(first, args.length) ? first : undefined
    const prefixes = this.#texts(given)
    for (const child of given === undefined ? args : args.slice(1)) {
      const inner = child.kind === 'call' && child.call.name === 'mount' ? child.call.args : undefined
      const [path, mounted] = inner?.length === 1 ? [undefined, inner[0]] : (inner ?? [])
      if (mounted !== undefined)
        for (const key of this.#names.mounted(mounted, this.#scope))
          this.#mount(parent, key, this.#texts(path))
      else if (inner === undefined)
        for (const key of this.#names.mounted(child, this.#scope)) this.#mount(parent, key, prefixes)
    }
    this.#listed(args, parent)
  }

  #isPrefix(first: Expression | undefined, count: number): boolean {
    if (isPathText(first)) return true
    if (count < 2 || first === undefined) return false
    if (first.kind === 'list') return first.items.some(isPathText)
    if (first.kind !== 'name') return false
    return PATH_NAME.test(first.name) || this.#texts(first)[0]?.text.startsWith('/') === true
  }

  /** `routes.forEach((one) => app.use(one.path, one.router))` over a list of records. */
  #listed([first, second]: readonly Expression[], parent: RouterKey): void {
    if (first?.kind !== 'name' || second?.kind !== 'name') return
    const [one, path, ...others] = first.name.split('.')
    const [same, router, ...more] = second.name.split('.')
    if (one !== same || path === undefined || router === undefined || others.length + more.length > 0) return
    const { unit, method } = this.#scope
    for (const { value } of [...method.locals, ...unit.topLevel.locals]) {
      if (value?.kind !== 'list') continue
      for (const item of value.items) {
        const child = recordEntry(item, router)
        if (child === undefined || recordEntry(item, path) === undefined) continue
        for (const key of this.#names.mounted(child, this.#scope))
          this.#mount(parent, key, this.#texts(recordEntry(item, path)))
      }
    }
  }

  /** Fastify: `register(plugin, { prefix })`; a plugin is a function that gets the router as a parameter. */
  register({ args: [plugin, options] }: CallExpression, parent: RouterKey): void {
    if (plugin === undefined) return
    const { unit } = this.#scope
    const module = plugin.kind === 'name' ? unit.bindings.get(plugin.name)?.module : undefined
    if (/^(@fastify\/|fastify-)autoload$/.test(module ?? '')) return this.#autoload(options, parent)
    const prefixes = this.#texts(recordEntry(options, 'prefix'))
    if (plugin.kind === 'other' && plugin.lambda !== undefined) {
      const [name = ''] = plugin.lambda.parameters
      return this.#mount(parent, { file: unit.file, name: `${name}@${plugin.lambda.line}` }, prefixes)
    }
    // `register(import('./users'))`
    for (const found of this.#names.mounted(plugin, this.#scope))
      this.#mount(parent, found.file === unit.file ? found : { ...found, name: '*' }, prefixes)
  }

  /** All plugins below a folder; the names of folders are part of the path. */
  #autoload(options: Expression | undefined, parent: RouterKey): void {
    const folder = this.#folder(recordEntry(options, 'dir'))
    if (folder === undefined) return
    const given = recordEntry(options, 'options')
    const [prefix = NO_TEXT] = this.#texts(recordEntry(given, 'prefix'))
    const named = this.#texts(recordEntry(options, 'dirNameRoutePrefix'))[0]?.text !== 'false'
    const parameters = this.#texts(recordEntry(options, 'routeParams'))[0]?.text === 'true'
    for (const { file, language } of this.#scope.index.units) {
      if (language !== 'script' || !file.startsWith(`${folder}/`)) continue
      const below = named ? folderOf(file.slice(folder.length + 1)) : ''
      const path = parameters ? below.replace(/(^|\/)_{1,2}(?=\w)/g, '$1:') : below
      this.#mount(parent, { file, name: '*' }, [{ ...prefix, text: `${prefix.text}/${path}` }])
    }
  }

  /** The folder of `path.join(__dirname, 'routes')`, in the sources. */
  #folder(dir: Expression | undefined): string | undefined {
    const args = dir?.kind === 'call' ? dir.call.args : dir?.kind === 'join' ? dir.parts : []
    const steps = args.flatMap((one) => (one.kind === 'text' ? one.text.split('/') : []))
    const at = folderOf(this.#scope.unit.file).split('/')
    for (const step of steps) {
      if (step === '..') at.pop()
      else if (step !== '' && step !== '.') at.push(step)
    }
    return steps.length === 0 ? undefined : joinPath('', at.filter((step) => step !== '').join('/'))
  }

  /** `userRoutes(app)` and `require('./users')(app)`: the routes of that file are on this router. */
  passed({ name, args, receiver, makes }: CallExpression): void {
    if (receiver !== undefined || makes) return
    const { modules } = this.#names.context
    const { unit } = this.#scope
    const found = name.startsWith('.')
      ? modules.exported({ module: name, name: 'default' }, unit)
      : modules.declaration(name, unit)
    if (found === undefined || found.unit === unit) return
    for (const one of args) {
      const router = one.kind === 'name' ? this.#names.find(one.name, this.#scope) : undefined
      if (router !== undefined) this.#mount(router.key, { file: found.unit.file, name: '*' })
    }
  }
}
