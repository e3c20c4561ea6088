import { joinRoutes } from '../../connections/addresses.ts'
import type { Framework } from '../../connections/framework.ts'
import { Detector } from '../../connections/framework.ts'
import type { RouterKey } from '../../connections/router-graph.ts'
import type { CallExpression, Expression, SourceUnit } from '../../source/source-unit.ts'
import { nameIn } from '../../source/source-unit.ts'
import { type KnownText, type TextConfidence, weaker } from '../../source/text-resolver.ts'
import { calledFunction } from './go-values.ts'

interface RouterGroup {
  readonly parent: Expression
  /** Outermost first. */
  readonly paths: readonly Expression[]
}

const MAX_CHAIN = 20

/** Calls that make a router from another one: `r.Group("/api").Group("/v1")`, `r.PathPrefix("/api").Subrouter()`. */
const groupPath = (value: Expression | undefined, depth = 0): RouterGroup | undefined => {
  if (value?.kind !== 'call' || value.call.receiver === undefined || depth > MAX_CHAIN) return undefined
  const { name, receiver, args } = value.call
  const hasPath = name === 'Group' || name === 'PathPrefix'
  if (!hasPath && !/^(Subrouter|With|Use)$/.test(name)) return undefined
  const outer = groupPath(receiver, depth + 1) ?? { parent: receiver, paths: [] }
  const [path] = hasPath ? args : []
  return path === undefined ? outer : { ...outer, paths: [...outer.paths, path] }
}

/** net/http, gin, echo, chi, fiber and gorilla/mux: routes are calls on a router, inside of functions. */

const VERBS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].map((verb) => [verb, verb]),
  ),
  Get: 'GET',
  Post: 'POST',
  Put: 'PUT',
  Patch: 'PATCH',
  Delete: 'DELETE',
  Head: 'HEAD',
  Options: 'OPTIONS',
  Any: 'ANY',
  All: 'ANY',
}

const MODULES: readonly (readonly [string, RegExp])[] = [
  ['gin', /^github\.com\/gin-gonic\/gin$/],
  ['echo', /^github\.com\/labstack\/echo(\/v\d+)?$/],
  ['chi', /^github\.com\/go-chi\/chi(\/v\d+)?$/],
  ['fiber', /^github\.com\/gofiber\/fiber(\/v\d+)?$/],
  ['gorilla/mux', /^github\.com\/gorilla\/mux$/],
  ['net/http', /^net\/http$/],
]

/** Names of objects that hold settings. */
const SETTINGS = /^\w*(cfg|conf|config|configuration|settings)$/i

/** Types of routers, by the frameworks above. */
const ROUTER_TYPE = /Router|Group|Engine|Echo|App|Mux/

class FunctionRoutes extends Detector {
  /** Arguments of calls whose methods a call around them names. */
  readonly #methods = new Map<readonly Expression[], readonly string[]>()

  get #unit(): SourceUnit {
    return this.scope.unit
  }

  /** A local router belongs to its function; a field of the receiver to its type, in every file of the package. */
  #key(name: string): RouterKey {
    const [head = '', ...rest] = name.split('.')
    const owner = this.scope.method.name.includes('.')
      ? this.scope.method.name.replace(/\..*$/, '')
      : undefined
    if (owner !== undefined && head === this.scope.method.parameters[0]?.name && rest.length > 0)
      return { file: this.#unit.package, name: `${owner}.${rest.join('.')}` }
    const isLocal = [...this.scope.method.locals, ...this.scope.method.parameters].some(
      (one) => one.name === head,
    )
    return isLocal
      ? { file: this.#unit.file, name: `${this.scope.method.name}.${name}` }
      : { file: this.#unit.package, name }
  }

  /** A path may be a setting: `s.cfg.Http.BasePath` is `/api` of the file of settings, or `${BasePath}`. */
  #text(path: Expression | undefined): KnownText | undefined {
    const { resolver } = this.context
    const known = resolver.text(path, this.scope)
    const names = path?.kind === 'name' ? path.name.split('.') : []
    const at = names.findIndex((one) => SETTINGS.test(one))
    const last = names.at(-1) ?? ''
    if (at < 0 || at === names.length - 1 || known?.text !== `{${last}}`) return known
    const value = resolver.configuration.valueEndingWith(names.slice(at + 1), this.#unit.file)
    return value?.startsWith('/') === true
      ? { text: value, confidence: 'medium', origin: `\${${last}}` }
      : { text: `\${${last}}`, confidence: 'low' }
  }

  #path(...expressions: readonly Expression[]) {
    let confidence: TextConfidence = 'high'
    const texts = expressions.flatMap((one) => {
      const known = this.#text(one)
      if (known === undefined) return []
      confidence = weaker(confidence, known.confidence)
      return [known.text]
    })
    return { path: texts.length < 2 ? texts.join('') : joinRoutes(...texts), confidence }
  }

  declare(): void {
    const { locals, calls } = this.scope.method
    for (const { name, value } of locals) {
      const group = groupPath(value)
      if (group?.parent.kind === 'name')
        this.context.routers.mount(this.#key(group.parent.name), this.#key(name), this.#path(...group.paths))
      else if (value?.kind === 'name' && /\./.test(value.name))
        this.context.routers.mount(this.#key(value.name), this.#key(name), this.#path())
    }
    for (const { name, receiver, args } of calls)
      if (name === 'Methods' && receiver?.kind === 'call')
        this.#methods.set(
          receiver.call.args,
          args.flatMap((one) => this.#verb(one) ?? []),
        )
    for (const call of calls) {
      if (call.makes) this.#keptRouters(call)
      this.#call(call)
    }
  }

  /** Routers that a constructor keeps: `return &handlers{group: group}`. */
  #keptRouters({ name, args: [made] }: CallExpression): void {
    if (made?.kind !== 'record') return
    const routers = this.scope.method.parameters.filter(({ type }) => ROUTER_TYPE.test(type))
    for (const [field, value] of made.entries)
      if (value.kind === 'name' && routers.some((one) => one.name === value.name))
        this.context.routers.mount(
          this.#key(value.name),
          { file: this.#unit.package, name: `${name}.${field}` },
          this.#path(),
        )
  }

  /** `"GET"` or `http.MethodGet`. */
  #verb(expression: Expression | undefined): string | undefined {
    if (expression?.kind === 'name') return /Method(\w+)$/.exec(expression.name)?.[1]?.toUpperCase()
    return this.context.resolver.text(expression, this.scope)?.text
  }

  #call(call: CallExpression): void {
    const { name, receiver, args } = call
    const router = receiver?.kind === 'name' ? receiver.name : groupPath(receiver)?.parent
    const routerName = typeof router === 'string' ? router : router?.kind === 'name' ? router.name : undefined
    this.#passedRouters(call)
    if (routerName === undefined) return
    const imported = this.#unit.bindings.get(routerName)
    if (name === 'Mount') return this.#mount(routerName, args)
    // chi: `r.Use(middleware.Heartbeat("/ping"))` compares the whole path, wherever the router is mounted.
    if (name === 'Heartbeat' && /\/chi(\/v\d+)?\/middleware$/.test(imported?.module ?? ''))
      return this.#route(call, routerName, ['GET'], args[0], undefined)
    if (name === 'Method' || name === 'MethodFunc') {
      const verb = this.#verb(args[0])
      return this.#route(call, routerName, [verb ?? 'ANY'], args[1], args[2])
    }
    if (name === 'HandleFunc' || name === 'Handle') {
      if (imported !== undefined && imported.module !== 'net/http') return
      return this.#route(call, routerName, this.#methods.get(args) ?? ['ANY'], args[0], args[1])
    }
    const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
    if (verb === undefined || imported !== undefined || args.length < 2 || !importsVerbs(this.#unit)) return
    this.#route(call, routerName, [verb], args[0], args.at(-1))
  }

  #route(
    call: CallExpression,
    router: string,
    methods: readonly string[],
    path: Expression | undefined,
    handler: Expression | undefined,
  ): void {
    const known = this.#text(path)
    if (known === undefined) return
    // net/http since Go 1.22: `GET /items/{id}`; a host may come before the path.
    const [, verb, rest = known.text] = /^(?:([A-Z]+)\s+)?(\S*)$/.exec(known.text) ?? []
    // gin and echo add the slash: `r.GET("version", …)`.
    const isRelative = /^[A-Z]+$/.test(call.name) && /^[\w:*{][\w:*{}/.-]*$/.test(rest)
    if (!isRelative && !/^(\/|\{\w*\}\/|\$\{[^}]*\}(\/|$)|$)/.test(rest)) return
    const prefixes = (call.within ?? [])
      .filter(({ name, args }) => (name === 'Route' || name === 'Group') && args.length === 2)
      .reverse()
    const outer = prefixes.map((one) => this.#path(...one.args.slice(0, 1)).path)
    const group = this.#path(...(groupPath(call.receiver)?.paths ?? []))
    // Inside of `r.Route("/x", func(r chi.Router) { … })` the name is that of the parameter: the outer router counts.
    const [outermost] = prefixes
    const root = outermost?.receiver?.kind === 'name' ? outermost.receiver.name : router
    for (const method of verb === undefined ? methods : [verb])
      this.context.routers.route({
        router: this.#key(root),
        route: {
          method,
          path: [...outer, group.path, rest].join('/').replace(/\/+/g, '/'),
          confidence: weaker(group.confidence, known.confidence),
        },
        file: this.#unit.file,
        line: call.line,
        handler: nameIn(handler),
      })
  }

  #mount(parent: string, [path, child]: readonly Expression[]): void {
    const prefix = this.#path(...(path === undefined ? [] : [path]))
    if (child?.kind === 'name') this.context.routers.mount(this.#key(parent), this.#key(child.name), prefix)
    if (child?.kind !== 'call') return
    const called = calledFunction(child.call, this.scope)
    if (called !== undefined)
      this.context.routers.mount(
        this.#key(parent),
        { file: called.unit.file, name: `${called.method.name}.*` },
        prefix,
      )
  }

  /** Routers given to a function: `registerUsers(api.Group("/users"), db)`. */
  #passedRouters(call: CallExpression): void {
    const called = calledFunction(call, this.scope)
    if (called === undefined) return
    const receiver = called.method.name.includes('.') ? 1 : 0
    for (const [at, argument] of call.args.entries()) {
      const parameter = called.method.parameters[at + receiver]
      const group = groupPath(argument)
      const parent = group?.parent ?? argument
      if (parameter === undefined || parent.kind !== 'name' || !ROUTER_TYPE.test(parameter.type)) continue
      this.context.routers.mount(
        this.#key(parent.name),
        { file: called.unit.file, name: `${called.method.name}.${parameter.name}` },
        this.#path(...(group?.paths ?? [])),
      )
    }
  }
}

/** With net/http alone, `client.Get("/x", …)` is a request. */
const importsVerbs = ({ imports }: SourceUnit): boolean =>
  imports.some((name) => MODULES.some(([, module]) => module.test(name) && !/^net\/http$|gorilla/.test(name)))

const importsRouter = ({ imports }: SourceUnit): boolean =>
  imports.some((name) => MODULES.some(([, module]) => module.test(name)))

export const GO_ROUTERS: Framework = {
  name: MODULES.map(([name]) => name).join(', '),
  language: 'go',
  applies: importsRouter,
  routes: (scope, context) => {
    for (const method of scope.unit.functions)
      new FunctionRoutes(scope.at(scope.unit, undefined, method), context).declare()
  },
}
