import {
  type DetectionContext,
  Detector,
  type Framework,
  importsModule,
} from '../../connections/framework.ts'
import type { EndpointPrefix, RouterKey } from '../../connections/router-graph.ts'
import {
  type Annotation,
  type CallExpression,
  type Expression,
  keyword,
  type Method,
  nameIn,
  simpleName,
} from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { positional, qualifiedName } from './python-calls.ts'
import {
  isRouterFactory,
  isUnusedRouter,
  PYTHON_ROUTER_LIBRARIES,
  type PythonLibrary,
  pythonRouter,
  routerCreation,
  VIEW_METHODS,
} from './router-libraries.ts'

/** Routes as lists: `[Route("/a", a), Mount("/b", routes=b)]` of Starlette, `[web.get("/a", a)]` of aiohttp. */

const STARLETTE =
  /^(starlette|fastapi)\.(\w+\.)*(Route|APIRoute|WebSocketRoute|APIWebSocketRoute|Mount|Host)$/
const AIOHTTP = /^aiohttp\.web\.(get|post|put|patch|delete|head|options|view|route)$/
const MAX_DEPTH = 6

class RouteLists extends Detector {
  /** Makes the keys of inner lists distinct. */
  #inner = 0

  /** Declares the routes of a list, and mounts the list that a name refers to. */
  declare(router: RouterKey, list: Expression | undefined, depth = 0): void {
    if (list === undefined || depth > MAX_DEPTH) return
    if (list.kind === 'name') {
      const child = pythonRouter(list.name, this.scope, this.context)
      this.context.routers.mount(router, child, { path: '', confidence: 'high' })
    }
    const items = list.kind === 'list' ? list.items : list.kind === 'join' ? list.parts : []
    for (const item of items) {
      if (item.kind === 'list' || item.kind === 'join') this.declare(router, item, depth + 1)
      if (item.kind !== 'call') continue
      const name = qualifiedName(item.call, this.scope) ?? ''
      if (STARLETTE.test(name)) this.#starlette(router, item.call, depth)
      else if (AIOHTTP.test(name)) this.#aiohttp(router, item.call)
    }
  }

  #starlette(router: RouterKey, { name, args, line }: CallExpression, depth: number): void {
    const path = keyword(args, 'path') ?? positional(args, 0)
    const second = positional(args, 1)
    if (name === 'Mount' || name === 'Host') {
      const prefix = name === 'Host' ? undefined : this.context.resolver.text(path, this.scope)
      this.#inner += 1
      const inner = { file: this.scope.unit.file, name: `${router.name}:${line}:${this.#inner}` }
      const mounted = { path: prefix?.text ?? '', confidence: prefix?.confidence ?? ('high' as const) }
      this.context.routers.mount(router, inner, mounted)
      return this.declare(inner, keyword(args, 'routes', 'app') ?? second, depth + 1)
    }
    const view = keyword(args, 'endpoint') ?? second
    const given = this.context.resolver.texts(keyword(args, 'methods'), this.scope)
    const methods = name.includes('WebSocket') ? ['WS'] : given.map(({ text }) => text.toUpperCase())
    this.#add(router, methods, path, view, line)
  }

  #aiohttp(router: RouterKey, { name, args, line }: CallExpression): void {
    const at = name === 'route' ? 1 : 0
    const given = at === 1 ? this.context.resolver.text(args[0], this.scope)?.text.replace('*', 'ANY') : name
    const methods = name === 'view' ? [] : [(given ?? 'ANY').toUpperCase()]
    this.#add(router, methods, positional(args, at), positional(args, at + 1), line)
  }

  /** Without methods: those that the class of the view has, or GET for a function. */
  #add(
    router: RouterKey,
    methods: readonly string[],
    path: Expression | undefined,
    view: Expression | undefined,
    line: number,
  ): void {
    const known = this.context.resolver.text(path, this.scope)
    if (known === undefined) return
    const handler = nameIn(view)
    const type = handler === '' ? undefined : this.scope.index.find(handler, this.scope.unit)?.type
    const own = type?.methods.filter(({ name }) => VIEW_METHODS.includes(name)) ?? []
    const verbs =
      methods.length > 0 ? methods : own.length > 0 ? own.map(({ name }) => name.toUpperCase()) : ['GET']
    for (const method of verbs)
      this.context.routers.route({
        router,
        route: { method, path: known.text, confidence: known.confidence },
        file: this.scope.unit.file,
        line,
        handler,
      })
  }
}

/** FastAPI, Starlette, Flask, Sanic and aiohttp: routes are decorators or calls on a router. */

class RouteDeclarations extends Detector {
  readonly #library: PythonLibrary
  readonly #lists = new RouteLists(this.scope, this.context)

  constructor(library: PythonLibrary, scope: TypeScope, context: DetectionContext) {
    super(scope, context)
    this.#library = library
  }

  #text(expression: Expression | undefined): EndpointPrefix | undefined {
    const known = this.context.resolver.text(expression, this.scope)
    return known === undefined ? undefined : { path: known.text, confidence: known.confidence }
  }

  declare(): void {
    const { unit, method } = this.scope
    for (const { name, value } of [...method.locals, ...unit.types.flatMap(({ fields }) => fields)])
      if (value?.kind === 'list' || value?.kind === 'join')
        this.#lists.declare({ file: unit.file, name }, value)
      else if (value?.kind === 'call' && isRouterFactory(this.#library, value.call.name, this.scope))
        this.#created(name, value.call)
    for (const call of method.calls) this.#call(call)
    for (const one of unit.functions)
      for (const annotation of one.annotations) this.#decorator(annotation, one)
    for (const type of unit.types) {
      for (const annotation of type.annotations) this.#resource(annotation, type.name, type.methods)
      for (const one of type.methods)
        for (const annotation of one.annotations)
          this.#decorator(annotation, { ...one, name: `${type.name}.${one.name}` })
    }
  }

  /** The prefix of a router; the blueprint that an `Api` is made for. */
  #created(name: string, { name: made, args }: CallExpression): void {
    const key = { file: this.scope.unit.file, name }
    const first = positional(args, 0)
    const given = keyword(args, ...this.#library.prefixes)
    // Flask-RESTX: a namespace without a path has its name as path.
    const prefix = this.#text(given ?? (made === 'Namespace' ? first : undefined))
    if (prefix !== undefined) this.context.routers.prefix(key, prefix)
    this.#lists.declare(key, keyword(args, 'routes'))
    if (/Api$/.test(made) && first?.kind === 'name') this.#mount(first.name, key, undefined)
  }

  #mount(parent: string, child: RouterKey, prefix: EndpointPrefix | undefined): void {
    const router = pythonRouter(parent, this.scope, this.context)
    const replaces = prefix !== undefined && this.#library.replaces
    this.context.routers.mount(router, child, prefix ?? { path: '', confidence: 'high' }, replaces)
  }

  #isRouter(name: string): boolean {
    const { unit } = this.scope
    if (routerCreation(this.#library, name, this.scope) !== undefined) return true
    const key = pythonRouter(name, this.scope, this.context)
    if (key.file === unit.file)
      return (
        importsModule(this.#library.modules)(unit) &&
        /^(app|router|api|bp|blueprint)$/.test(name) &&
        !unit.bindings.has(name)
      )
    const there = this.context.modules.declaration(name.split('.')[0] ?? '', unit).unit
    return (
      routerCreation(this.#library, key.name, this.scope.at(there, undefined, there.topLevel)) !== undefined
    )
  }

  #call(call: CallExpression): void {
    // aiohttp: `app.router.add_get`.
    const owner = this.#library.name === 'aiohttp' ? /\.router$/ : /^$/
    const parent = call.receiver?.kind === 'name' ? call.receiver.name.replace(owner, '') : undefined
    if (parent === undefined) return
    const { args, name, line } = call
    const [first] = args
    if (this.#library.mounts.test(name)) this.#mounted(parent, call)
    else if (this.#library.name === 'aiohttp') this.#added(parent, call)
    else if (name === 'init_app' && first?.kind === 'name' && this.#isApi(parent))
      this.#mount(first.name, pythonRouter(parent, this.scope, this.context), undefined)
    else if (/^add_(url_rule|api_route|route)$/.test(name)) {
      const view = keyword(args, 'view_func', 'endpoint') ?? positional(args, name === 'add_url_rule' ? 2 : 1)
      const path = keyword(args, 'rule', 'path') ?? positional(args, 0)
      this.#view(parent, path, view, keyword(args, 'methods'), line)
    } else if (/^add_(\w+_)?resource$/.test(name) && first?.kind === 'name') {
      const resource = this.scope.index.find(simpleName(first.name), this.scope.unit)
      const elsewhere = resource?.unit !== this.scope.unit
      for (const path of args.slice(1).filter(({ kind }) => kind !== 'record'))
        this.#verbs(parent, path, resource?.type.methods ?? [], { line, handler: first.name, elsewhere })
    }
  }

  /** aiohttp: `add_get("/x", handler)`, `add_route("GET", "/x", handler)`, `add_view("/x", View)`. */
  #added(router: string, { name, args, line }: CallExpression): void {
    const [, verb] = /^add_(get|post|put|patch|delete|head|options|view|route)$/.exec(name) ?? []
    if (verb === undefined) return
    const at = verb === 'route' ? 1 : 0
    const view = positional(args, at + 1)
    const handler = nameIn(view)
    const place = { line, handler }
    if (verb === 'view') {
      const type = this.scope.index.find(simpleName(handler), this.scope.unit)?.type
      return this.#verbs(router, positional(args, 0), type?.methods ?? [], { ...place, elsewhere: true })
    }
    const given = at === 1 ? this.#text(args[0])?.path.replace('*', 'ANY') : verb
    this.#add(router, [(given ?? 'ANY').toUpperCase()], positional(args, at), place)
  }

  #isApi(name: string): boolean {
    return /Api$/.test(routerCreation(this.#library, name, this.scope)?.name ?? '')
  }

  /** `app.include_router(users.router, prefix="/users")`, `app.mount("/admin", admin)`. */
  #mounted(parent: string, { name, args }: CallExpression): void {
    if (name === 'add_routes')
      return this.#lists.declare(pythonRouter(parent, this.scope, this.context), positional(args, 0))
    const isMount = name === 'mount' || name === 'add_subapp'
    const child = keyword(args, 'router', 'app', 'blueprint') ?? positional(args, isMount ? 1 : 0)
    if (child?.kind !== 'name') return
    const given = isMount
      ? (keyword(args, 'path') ?? positional(args, 0))
      : keyword(args, ...this.#library.prefixes)
    this.#mount(parent, pythonRouter(child.name, this.scope, this.context), this.#text(given))
  }

  /** A function, or a class whose methods are named after verbs: `Books.as_view("books")`. */
  #view(
    router: string,
    path: Expression | undefined,
    view: Expression | undefined,
    methods: Expression | undefined,
    line: number,
  ): void {
    const owner = view?.kind === 'call' && view.call.name === 'as_view' ? view.call.receiver : undefined
    const place = owner?.kind === 'name' ? this.scope.index.find(owner.name, this.scope.unit) : undefined
    const verbs = place?.type.methods.filter(({ name }) => VIEW_METHODS.includes(name)) ?? []
    if (place !== undefined && verbs.length > 0 && methods === undefined)
      return this.#verbs(router, path, verbs, {
        line,
        handler: place.type.name,
        elsewhere: place.unit !== this.scope.unit,
      })
    const handler = view?.kind === 'name' ? view.name : nameIn(owner)
    this.#route(router, path, methods, { line, handler })
  }

  #decorator({ name, args, line }: Annotation, { name: handler }: Method): void {
    const dot = name.lastIndexOf('.')
    if (dot < 0) return
    const [router, verb] = [name.slice(0, dot), name.slice(dot + 1)]
    if (!this.#isRouter(router)) return
    const path = args.get('value') ?? args.get('path') ?? args.get('rule')
    if (VIEW_METHODS.includes(verb)) this.#add(router, [verb.toUpperCase()], path, { line, handler })
    else if (verb === 'route' || verb === 'api_route')
      this.#route(router, path, args.get('methods'), { line, handler })
    else if (/^websocket(_route)?$/.test(verb)) this.#add(router, ['WS'], path, { line, handler })
  }

  /** `@ns.route("/x") class Items(Resource)`: each method named after a verb is an endpoint. */
  #resource({ name, args, line }: Annotation, type: string, methods: readonly Method[]): void {
    if (!name.endsWith('.route')) return
    this.#verbs(name.slice(0, -'.route'.length), args.get('value'), methods, { line, handler: type })
  }

  #verbs(router: string, path: Expression | undefined, methods: readonly Method[], place: RoutePlace): void {
    for (const { name, line } of methods)
      if (VIEW_METHODS.includes(name)) {
        const handler = `${place.handler}.${name}`
        this.#add(router, [name.toUpperCase()], path, { line: place.elsewhere ? place.line : line, handler })
      }
  }

  #route(
    router: string,
    path: Expression | undefined,
    methods: Expression | undefined,
    place: RoutePlace,
  ): void {
    const named = this.context.resolver.texts(methods, this.scope).map(({ text }) => text.toUpperCase())
    this.#add(router, named.length === 0 ? [this.#library.method] : named, path, place)
  }

  #add(router: string, methods: readonly string[], path: Expression | undefined, place: RoutePlace): void {
    const key = pythonRouter(router, this.scope, this.context)
    // `scoped("/x")`: a function of the project that may put something before the path.
    const [inner] = path?.kind === 'call' && path.call.args.length === 1 ? path.call.args : []
    const given = inner?.kind === 'text' ? inner : path
    for (const { text, confidence } of this.context.resolver.texts(given, this.scope))
      for (const method of methods)
        this.context.routers.route({
          router: key,
          route: { method, path: text, confidence },
          file: this.scope.unit.file,
          line: place.line,
          handler: place.handler,
          onlyMounted: isUnusedRouter(router, this.scope),
        })
  }
}

interface RoutePlace {
  readonly line: number
  readonly handler: string
  /** Whether the handler is in another file. */
  readonly elsewhere?: boolean
}

/** A class of the project that extends a router, or a router of another file, is imported without the library. */
const importsRouters = importsModule(/(^|\.)(\w*_)?(routers?|blueprints?)$/)

export const PYTHON_ROUTERS: readonly Framework[] = PYTHON_ROUTER_LIBRARIES.map((library) => ({
  name: library.name,
  language: 'python',
  applies: (unit) => importsModule(library.modules)(unit) || importsRouters(unit),
  routes: (scope, context) => new RouteDeclarations(library, scope, context).declare(),
}))
