import { type DetectionContext, type Framework, importsModule } from '../../connections/framework.ts'
import type { RouterKey } from '../../connections/router-graph.ts'
import {
  type Annotation,
  type CallExpression,
  type Expression,
  type Method,
  simpleName,
} from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

/** FastAPI, Starlette, Flask and Sanic: routes are decorators or calls on a router. */

const VERBS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace']

/** What the calls of a library are named. */
interface PythonLibrary {
  readonly name: string
  readonly modules: RegExp
  readonly factories: RegExp
  /** The argument that gives a router, or its mount, a prefix. */
  readonly prefix: string
  /** The call that mounts a router. */
  readonly mounts: string
  /** Whether the prefix of a mount takes the place of the router's own. */
  readonly replaces: boolean
  /** The method of a route that names none. */
  readonly method: string
}

const LIBRARIES: readonly PythonLibrary[] = [
  {
    name: 'FastAPI',
    modules: /^(fastapi|starlette)(\.|$)/,
    factories: /^(FastAPI|APIRouter|Starlette)$/,
    prefix: 'prefix',
    mounts: 'include_router',
    replaces: false,
    method: 'ANY',
  },
  {
    name: 'Flask',
    modules: /^(flask|flask_\w+|quart|sanic)(\.|$)/,
    factories: /^(Flask|Blueprint|Quart|Sanic|Namespace|Api)$/,
    prefix: 'url_prefix',
    mounts: 'register_blueprint',
    replaces: true,
    method: 'GET',
  },
]

/** Keyword arguments are one record at the end. */
const keyword = (args: readonly Expression[], name: string): Expression | undefined => {
  const last = args.at(-1)
  return last?.kind === 'record' ? last.entries.get(name) : undefined
}

/** The router that a name such as `router` or `users.router` refers to. */
const pythonRouter = (name: string, scope: TypeScope, { modules }: DetectionContext): RouterKey => {
  const [head = '', ...members] = name.split('.')
  const declared = modules.declaration(head, scope.unit)
  const member = members.at(-1)
  // `app.api.users.router`: an import of a module inside a package.
  const inner =
    members.length > 1
      ? modules.exported({ module: name.slice(0, name.lastIndexOf('.')), name: '*' }, scope.unit)
      : undefined
  const unit = inner?.unit ?? declared.unit
  return { file: unit.file, name: member ?? declared.name }
}

const creationIn = (library: PythonLibrary, name: string, scope: TypeScope): CallExpression | undefined => {
  const values = scope.variables(name).map(({ value }) => value)
  const found = values.find((value) => value?.kind === 'call' && library.factories.test(value.call.name))
  return found?.kind === 'call' ? found.call : undefined
}

class RouteDeclarations {
  readonly #library: PythonLibrary
  readonly #scope: TypeScope
  readonly #context: DetectionContext

  constructor(library: PythonLibrary, scope: TypeScope, context: DetectionContext) {
    this.#library = library
    this.#scope = scope
    this.#context = context
  }

  #text(expression: Expression | undefined) {
    const known = this.#context.resolver.text(expression, this.#scope)
    return known === undefined ? undefined : { path: known.text, confidence: known.confidence }
  }

  declare(): void {
    const { unit, method } = this.#scope
    for (const { name, value } of method.locals)
      if (value?.kind === 'call' && this.#library.factories.test(value.call.name)) {
        const given = keyword(value.call.args, this.#library.prefix) ?? keyword(value.call.args, 'path')
        const prefix = this.#text(given)
        if (prefix !== undefined) this.#context.routers.prefix({ file: unit.file, name }, prefix)
      }
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

  #isRouter(name: string): boolean {
    const { unit } = this.#scope
    if (creationIn(this.#library, name, this.#scope) !== undefined) return true
    const key = pythonRouter(name, this.#scope, this.#context)
    if (key.file === unit.file)
      return /^(app|router|api|bp|blueprint)$/.test(name) && !unit.bindings.has(name)
    const there = this.#context.modules.declaration(name.split('.')[0] ?? '', unit).unit
    return creationIn(this.#library, key.name, this.#scope.at(there, undefined, there.topLevel)) !== undefined
  }

  #call(call: CallExpression): void {
    const parent = call.receiver?.kind === 'name' ? call.receiver.name : undefined
    if (parent === undefined) return
    const { mounts, prefix } = this.#library
    const [first] = call.args
    if (call.name === mounts && first?.kind === 'name') {
      const child = pythonRouter(first.name, this.#scope, this.#context)
      const given = this.#text(keyword(call.args, prefix))
      const router = pythonRouter(parent, this.#scope, this.#context)
      const replaces = given !== undefined && this.#library.replaces
      this.#context.routers.mount(router, child, given ?? { path: '', confidence: 'high' }, replaces)
    } else if (call.name === 'add_url_rule' || call.name === 'add_api_route') {
      const view = keyword(call.args, 'view_func') ?? call.args[call.name === 'add_url_rule' ? 2 : 1]
      const handler = view?.kind === 'name' ? view.name : ''
      this.#route(parent, first, keyword(call.args, 'methods'), { line: call.line, handler })
    } else if (call.name === 'add_resource' && first?.kind === 'name') {
      const type = this.#scope.index.find(simpleName(first.name), this.#scope.unit)?.type
      for (const path of call.args.slice(1).filter(({ kind }) => kind !== 'record'))
        this.#verbs(parent, path, type?.methods ?? [], { line: call.line, handler: first.name })
    }
  }

  #decorator({ name, args, line }: Annotation, { name: handler }: Method): void {
    const dot = name.lastIndexOf('.')
    if (dot < 0) return
    const [router, verb] = [name.slice(0, dot), name.slice(dot + 1)]
    if (!this.#isRouter(router)) return
    const path = args.get('value') ?? args.get('path') ?? args.get('rule')
    if (VERBS.includes(verb)) this.#add(router, [verb.toUpperCase()], path, { line, handler })
    else if (verb === 'route' || verb === 'api_route')
      this.#route(router, path, args.get('methods'), { line, handler })
    else if (verb === 'websocket') this.#add(router, ['WS'], path, { line, handler })
  }

  /** `@ns.route("/x") class Items(Resource)`: each method named after a verb is an endpoint. */
  #resource({ name, args, line }: Annotation, type: string, methods: readonly Method[]): void {
    if (!name.endsWith('.route')) return
    this.#verbs(name.slice(0, -'.route'.length), args.get('value'), methods, { line, handler: type })
  }

  #verbs(router: string, path: Expression | undefined, methods: readonly Method[], place: RoutePlace): void {
    for (const { name, line } of methods)
      if (VERBS.includes(name))
        this.#add(router, [name.toUpperCase()], path, { line, handler: `${place.handler}.${name}` })
  }

  #route(
    router: string,
    path: Expression | undefined,
    methods: Expression | undefined,
    place: RoutePlace,
  ): void {
    const named = this.#context.resolver.texts(methods, this.#scope).map(({ text }) => text.toUpperCase())
    this.#add(router, named.length === 0 ? [this.#library.method] : named, path, place)
  }

  #add(router: string, methods: readonly string[], path: Expression | undefined, place: RoutePlace): void {
    const key = pythonRouter(router, this.#scope, this.#context)
    for (const { text, confidence } of this.#context.resolver.texts(path, this.#scope))
      for (const method of methods)
        this.#context.routers.route({
          router: key,
          route: { method, path: text, confidence },
          file: this.#scope.unit.file,
          ...place,
        })
  }
}

interface RoutePlace {
  readonly line: number
  readonly handler: string
}

export const PYTHON_ROUTERS: readonly Framework[] = LIBRARIES.map((library) => ({
  name: library.name,
  language: 'python',
  applies: importsModule(library.modules),
  routes: (scope, context) => new RouteDeclarations(library, scope, context).declare(),
}))
