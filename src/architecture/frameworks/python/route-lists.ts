import type { DetectionContext } from '../../connections/framework.ts'
import type { RouterKey } from '../../connections/router-graph.ts'
import type { CallExpression, Expression } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { keyword, positional, qualifiedName } from './python-calls.ts'
import { pythonRouter, VIEW_METHODS } from './router-libraries.ts'

/** Routes as lists: `[Route("/a", a), Mount("/b", routes=b)]` of Starlette, `[web.get("/a", a)]` of aiohttp. */

const STARLETTE =
  /^(starlette|fastapi)\.(\w+\.)*(Route|APIRoute|WebSocketRoute|APIWebSocketRoute|Mount|Host)$/
const AIOHTTP = /^aiohttp\.web\.(get|post|put|patch|delete|head|options|view|route)$/
const MAX_DEPTH = 6

export class RouteLists {
  readonly #scope: TypeScope
  readonly #context: DetectionContext
  /** Makes the keys of inner lists distinct. */
  #inner = 0

  constructor(scope: TypeScope, context: DetectionContext) {
    this.#scope = scope
    this.#context = context
  }

  /** Declares the routes of a list, and mounts the list that a name refers to. */
  declare(router: RouterKey, list: Expression | undefined, depth = 0): void {
    if (list === undefined || depth > MAX_DEPTH) return
    if (list.kind === 'name') {
      const child = pythonRouter(list.name, this.#scope, this.#context)
      this.#context.routers.mount(router, child, { path: '', confidence: 'high' })
    }
    const items = list.kind === 'list' ? list.items : list.kind === 'join' ? list.parts : []
    for (const item of items) {
      if (item.kind === 'list' || item.kind === 'join') this.declare(router, item, depth + 1)
      if (item.kind !== 'call') continue
      const name = qualifiedName(item.call, this.#scope) ?? ''
      if (STARLETTE.test(name)) this.#starlette(router, item.call, depth)
      else if (AIOHTTP.test(name)) this.#aiohttp(router, item.call)
    }
  }

  #starlette(router: RouterKey, { name, args, line }: CallExpression, depth: number): void {
    const path = keyword(args, 'path') ?? positional(args, 0)
    const second = positional(args, 1)
    if (name === 'Mount' || name === 'Host') {
      const prefix = name === 'Host' ? undefined : this.#context.resolver.text(path, this.#scope)
      this.#inner += 1
      const inner = { file: this.#scope.unit.file, name: `${router.name}:${line}:${this.#inner}` }
      const mounted = { path: prefix?.text ?? '', confidence: prefix?.confidence ?? ('high' as const) }
      this.#context.routers.mount(router, inner, mounted)
      return this.declare(inner, keyword(args, 'routes', 'app') ?? second, depth + 1)
    }
    const view = keyword(args, 'endpoint') ?? second
    const given = this.#context.resolver.texts(keyword(args, 'methods'), this.#scope)
    const methods = name.includes('WebSocket') ? ['WS'] : given.map(({ text }) => text.toUpperCase())
    this.#add(router, methods, path, view, line)
  }

  #aiohttp(router: RouterKey, { name, args, line }: CallExpression): void {
    const at = name === 'route' ? 1 : 0
    const given =
      at === 1 ? this.#context.resolver.text(args[0], this.#scope)?.text.replace('*', 'ANY') : name
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
    const known = this.#context.resolver.text(path, this.#scope)
    if (known === undefined) return
    const handler = view?.kind === 'name' ? view.name : ''
    const type = handler === '' ? undefined : this.#scope.index.find(handler, this.#scope.unit)?.type
    const own = type?.methods.filter(({ name }) => VIEW_METHODS.includes(name)) ?? []
    const verbs =
      methods.length > 0 ? methods : own.length > 0 ? own.map(({ name }) => name.toUpperCase()) : ['GET']
    for (const method of verbs)
      this.#context.routers.route({
        router,
        route: { method, path: known.text, confidence: known.confidence },
        file: this.#scope.unit.file,
        line,
        handler,
      })
  }
}
