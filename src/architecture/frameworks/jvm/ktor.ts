import { joinRoutes } from '../../connections/addresses.ts'
import {
  type DetectionContext,
  type Framework,
  importsModule,
  type Outbound,
} from '../../connections/framework.ts'
import { httpRecord, withBase } from '../../connections/outbound-http.ts'
import type { RouterKey } from '../../connections/router-graph.ts'
import {
  type CallExpression,
  type Expression,
  findAnnotation,
  simpleName,
  type TypeUnit,
} from '../../source/source-unit.ts'
import { type KnownText, NO_TEXT, weaker } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { type FunctionPlace, functionsOf, getsRouter, routeFunctions } from './route-functions.ts'

const REQUESTS: Readonly<Record<string, string>> = {
  get: 'GET',
  post: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  head: 'HEAD',
  prepareGet: 'GET',
  preparePost: 'POST',
  submitForm: 'POST',
  submitFormWithBinaryData: 'POST',
  request: '',
  prepareRequest: '',
  webSocket: '',
  wss: '',
}

/** Whether a call stands in the lambda of another one. */
const standsIn = (call: CallExpression, outer: CallExpression): boolean =>
  (call.within ?? []).some(({ args, line }) => args === outer.args && line === outer.line)

const defaults = new WeakMap<object, readonly { readonly file: string; readonly address: KnownText }[]>()

/** Addresses in `defaultRequest { url("…") }`, to which requests add their paths. */
const defaultAddresses = (scope: TypeScope, { resolver }: DetectionContext) => {
  const known = defaults.get(scope.index)
  if (known !== undefined) return known
  const found = scope.index.units.filter(CLIENT).flatMap((unit) =>
    [
      ...functionsOf(unit),
      ...unit.types.map((type) => ({ unit, type, method: { ...unit.topLevel, calls: type.calls } })),
    ].flatMap(({ type, method }) =>
      method.calls
        .filter(
          ({ name, within = [] }) => name === 'url' && within.some((one) => one.name === 'defaultRequest'),
        )
        .flatMap((call) => {
          const address = resolver.text(call.args[0], scope.at(unit, type, method))
          return address === undefined ? [] : [{ file: unit.file, address }]
        }),
    ),
  )
  defaults.set(scope.index, found)
  return found
}

const defaultBase = (scope: TypeScope, context: DetectionContext): KnownText | undefined => {
  const all = defaultAddresses(scope, context)
  return (all.find(({ file }) => file === scope.unit.file) ?? (all.length === 1 ? all[0] : undefined))
    ?.address
}

const CLIENT = importsModule(/^io\.ktor\.client\./)

const ktorRequest = (
  call: CallExpression,
  calls: readonly CallExpression[],
  scope: TypeScope,
  context: DetectionContext,
): readonly Outbound[] => {
  const verb = Object.hasOwn(REQUESTS, call.name) ? REQUESTS[call.name] : undefined
  if (verb === undefined || scope.typeOf(call.receiver) !== 'HttpClient') return []
  const inside = calls.filter((one) => standsIn(one, call))
  const given =
    call.args.find(({ kind }) => kind !== 'other') ?? inside.find(({ name }) => name === 'url')?.args[0]
  const path =
    given === undefined ? { text: '', confidence: 'low' as const } : context.resolver.text(given, scope)
  if (path === undefined) return []
  const isWhole = /^[a-z]+:\/\/|^\$?\{/i.test(path.text)
  const address = withBase(isWhole ? undefined : defaultBase(scope, context), path)
  return [httpRecord({ address, type: 'Ktor client', call, verb, scope })]
}

export const KTOR_CLIENT: Framework = {
  name: 'Ktor client',
  language: 'kotlin',
  applies: CLIENT,
  outbound: (scope, context) =>
    functionsOf(scope.unit).flatMap(({ type, method }) =>
      method.calls.flatMap((call) =>
        ktorRequest(call, method.calls, scope.at(scope.unit, type, method), context),
      ),
    ),
}

/** Ktor: routes are calls inside of `routing { … }` or of functions on a route. */

const VERBS: Readonly<Record<string, string>> = {
  get: 'GET',
  post: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  head: 'HEAD',
  options: 'OPTIONS',
  webSocket: 'WS',
  webSocketRaw: 'WS',
  sse: 'GET',
}
const MAX_RESOURCES = 8

const routerKey = ({ unit, type, method }: FunctionPlace): RouterKey => ({
  file: unit.file,
  name: `${type?.name ?? ''}.${method.name}`,
})

const isResource = ({ annotations }: TypeUnit): boolean =>
  findAnnotation(annotations, 'Resource', 'Location') !== undefined

/** The path of `@Resource("/articles") class Articles`, with that of its parent. */
const resourcePath = (name: string, scope: TypeScope, context: DetectionContext, depth = 0): KnownText => {
  const { unit, index } = scope
  // Other types of the name, such as tables, are no resources.
  const near = unit.types.find((one) => one.name === simpleName(name) && isResource(one))
  const place =
    depth > MAX_RESOURCES ? undefined : near === undefined ? index.find(name, unit) : { unit, type: near }
  const annotation = findAnnotation(place?.type.annotations ?? [], 'Resource', 'Location')
  if (place === undefined || annotation === undefined) return { text: `{${name}}`, confidence: 'low' }
  const there = scope.at(place.unit, place.type, scope.method)
  const own = context.resolver.text(annotation.args.get('value') ?? annotation.args.get('path'), there)
  const parent = place.type.fields.find((one) => one.name === 'parent')
  const above =
    parent === undefined ? NO_TEXT : resourcePath(simpleName(parent.type), there, context, depth + 1)
  return {
    text: joinRoutes(above.text, own?.text ?? ''),
    confidence: weaker(above.confidence, own?.confidence ?? 'low'),
  }
}

class KtorRoutes {
  readonly #place: FunctionPlace
  readonly #scope: TypeScope
  readonly #context: DetectionContext

  constructor(place: FunctionPlace, scope: TypeScope, context: DetectionContext) {
    this.#place = place
    this.#scope = scope.at(place.unit, place.type, place.method)
    this.#context = context
  }

  #path(expression: Expression | undefined): KnownText {
    if (expression === undefined) return NO_TEXT
    if (expression.kind === 'other')
      return expression.text.endsWith('.class')
        ? resourcePath(expression.text.replace(/\.class$/, ''), this.#scope, this.#context)
        : NO_TEXT
    return this.#context.resolver.text(expression, this.#scope) ?? NO_TEXT
  }

  #prefix(call: CallExpression): { readonly path: string; readonly confidence: KnownText['confidence'] } {
    const outer = (call.within ?? [])
      .filter(({ name }) => name === 'route' || name === 'resource')
      .reverse()
      .map(({ args }) => this.#path(args[0]))
    return {
      path: joinRoutes(...outer.map(({ text }) => text)),
      confidence: outer.map(({ confidence }) => confidence).reduce(weaker, 'high'),
    }
  }

  declare(): void {
    const isRouter = getsRouter(this.#place.method)
    for (const call of this.#place.method.calls) {
      const inside =
        isRouter || (call.within ?? []).some(({ name }) => name === 'routing' || name === 'embeddedServer')
      if (inside) this.#call(call)
    }
  }

  /** Routes are called on the route around them, or on a route that has a name. */
  #isOnRoute({ receiver }: CallExpression): boolean {
    return (
      receiver === undefined ||
      (receiver.kind === 'name' &&
        (receiver.name === 'this' || /^(Route|Routing)$/.test(this.#scope.typeOf(receiver))))
    )
  }

  #call(call: CallExpression): void {
    if (call.name === 'handle' && call.receiver === undefined) return this.#handled(call)
    const verb = Object.hasOwn(VERBS, call.name) ? VERBS[call.name] : undefined
    const called = routeFunctions(this.#scope.index).find(call.name, this.#scope.unit)
    // A project may have a function `Route.delete(store)` of its own.
    const isOwn = called !== undefined && call.args[0]?.kind !== 'text' && call.args.length > 0
    if (verb !== undefined && !isOwn && this.#isOnRoute(call))
      return this.#route(call, verb, this.#path(call.args[0]))
    if (called !== undefined && called.method !== this.#place.method)
      this.#context.routers.mount(routerKey(this.#place), routerKey(called), this.#prefix(call))
  }

  /** `route("/x", HttpMethod.Get) { handle { … } }` */
  #handled(call: CallExpression): void {
    const [around] = call.within ?? []
    const method = around?.args[1]
    if (around?.name !== 'route') return
    const verb = method?.kind === 'name' ? /HttpMethod\.(\w+)$/.exec(method.name)?.[1] : undefined
    this.#route(call, verb?.toUpperCase() ?? 'ANY', NO_TEXT)
  }

  #route(call: CallExpression, method: string, path: KnownText): void {
    // A handler may use functions of the same name: a route stands in no other route.
    if (
      (call.within ?? []).some(({ name, receiver }) => Object.hasOwn(VERBS, name) && receiver === undefined)
    )
      return
    const prefix = this.#prefix(call)
    this.#context.routers.route({
      router: routerKey(this.#place),
      route: {
        method,
        path: joinRoutes(prefix.path, path.text),
        confidence: weaker(prefix.confidence, path.confidence),
      },
      file: this.#scope.unit.file,
      line: call.line,
      handler: this.#place.method.name,
    })
  }
}

export const KTOR: Framework = {
  name: 'Ktor',
  language: 'kotlin',
  applies: importsModule(/^io\.ktor\.(server|application|routing|locations)\./),
  routes: (scope, context) => {
    for (const place of functionsOf(scope.unit)) new KtorRoutes(place, scope, context).declare()
  },
}
