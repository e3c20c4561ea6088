import { optional } from '../../kernel/optional.ts'
import {
  type Annotation,
  type CallExpression,
  type Expression,
  findAnnotation,
  type Method,
  NO_METHOD,
  type TypeUnit,
} from '../source/source-unit.ts'
import { type KnownText, type TextResolver, weaker } from '../source/text-resolver.ts'
import type { TypeScope } from '../source/type-scope.ts'
import { joinRoutes } from './addresses.ts'
import type { Inbound, ResolveIn } from './framework.ts'

const MAPPING_VERBS: Readonly<Record<string, string>> = {
  GetMapping: 'GET',
  PostMapping: 'POST',
  PutMapping: 'PUT',
  PatchMapping: 'PATCH',
  DeleteMapping: 'DELETE',
  GetExchange: 'GET',
  PostExchange: 'POST',
  PutExchange: 'PUT',
  PatchExchange: 'PATCH',
  DeleteExchange: 'DELETE',
}
export const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
const EMPTY_PATH: readonly KnownText[] = [{ text: '', confidence: 'high' }]

export interface EndpointRoute {
  readonly method: string
  readonly path: string
  readonly confidence: KnownText['confidence']
  readonly origin?: string
}

const mappedPath = (annotation: Annotation): Expression | undefined =>
  annotation.args.get('path') ?? annotation.args.get('value') ?? annotation.args.get('url')

/** HTTP methods of `RequestMethod.GET` or a list of them; without any, `ANY`. */
const verbsOf = (expression: Expression | undefined): readonly string[] => {
  const items = expression?.kind === 'list' ? expression.items : expression === undefined ? [] : [expression]
  const names = items.flatMap((one) =>
    one.kind === 'name' ? [one.name.slice(one.name.lastIndexOf('.') + 1)] : [],
  )
  const known = names.filter((name) => HTTP_METHODS.includes(name))
  return known.length === 0 ? ['ANY'] : known
}

const springVerbs = (annotation: Annotation): readonly string[] => {
  const verb = MAPPING_VERBS[annotation.name]
  return verb === undefined ? verbsOf(annotation.args.get('method')) : [verb]
}

const isMapping = ({ name }: Annotation): boolean =>
  name === 'RequestMapping' || name === 'HttpExchange' || Object.hasOwn(MAPPING_VERBS, name)

/** The path prefixes that a type gives to its methods. */
export const prefixesOf: ResolveIn<TypeUnit, readonly KnownText[]> = (type, resolver, scope) => {
  const above = findAnnotation(type.annotations, 'RequestMapping', 'HttpExchange')
  return orEmptyPath(above === undefined ? [] : resolver.texts(mappedPath(above), scope))
}

/** All routes of one mapped method, with the prefixes of its type. */
export const springRoutes = (
  prefixes: readonly KnownText[],
  method: Method,
  resolver: TextResolver,
  scope: TypeScope,
): readonly EndpointRoute[] =>
  method.annotations.filter(isMapping).flatMap((annotation) => {
    const paths = orEmptyPath(resolver.texts(mappedPath(annotation), scope))
    return springVerbs(annotation).flatMap((verb) => combinePaths(verb, prefixes, paths))
  })

export const orEmptyPath = (texts: readonly KnownText[]): readonly KnownText[] =>
  texts.length === 0 ? EMPTY_PATH : texts

export const combinePaths = (
  verb: string,
  prefixes: readonly KnownText[],
  paths: readonly KnownText[],
): readonly EndpointRoute[] =>
  prefixes.flatMap((prefix) =>
    paths.map((path) => {
      const origin = [prefix.origin, path.origin].filter((one) => one !== undefined).join('')
      return {
        method: verb,
        path: joinRoutes(prefix.text, path.text),
        confidence: weaker(prefix.confidence, path.confidence),
        ...(origin !== '' && { origin }),
      }
    }),
  )

export const toInbound = (
  route: EndpointRoute,
  { file, line, handler }: { readonly file: string; readonly line: number; readonly handler: string },
): Inbound => ({
  protocol: 'REST',
  endpoint: `${route.method} ${route.path}`,
  source_file: file,
  line,
  handler,
  confidence: route.confidence,
  http_method: route.method,
  path: route.path,
  ...optional({ origin: route.origin }),
})

/** Whether a type is a Spring controller. Advice and declared clients are not. */
export const isSpringController = ({ kind, annotations }: TypeUnit): boolean =>
  findAnnotation(annotations, 'RestController', 'Controller') !== undefined ||
  (kind !== 'interface' &&
    findAnnotation(annotations, 'RequestMapping') !== undefined &&
    findAnnotation(annotations, 'FeignClient') === undefined)

const restInbound = (type: TypeUnit, resolver: TextResolver, scope: TypeScope): readonly Inbound[] => {
  const { unit, index } = scope
  // The mappings may be on an interface that the controller implements.
  const shared = type.implements
    .flatMap((name) => index.find(name, unit) ?? [])
    .filter((place) => findAnnotation(place.type.annotations, 'FeignClient') === undefined)
  const own = prefixesOf(type, resolver, scope)
  return [{ unit, type }, ...shared].flatMap((place) => {
    const there = scope.at(place.unit, place.type, NO_METHOD)
    const mapped = findAnnotation(place.type.annotations, 'RequestMapping') !== undefined
    const prefixes = mapped && place.type !== type ? prefixesOf(place.type, resolver, there) : own
    return place.type.methods.flatMap((method) =>
      springRoutes(prefixes, method, resolver, there).map((route) => {
        const implemented =
          place.type === type ? method : type.methods.find(({ name }) => name === method.name)
        const line = implemented?.line ?? type.line
        return toInbound(route, { file: unit.file, line, handler: `${type.name}.${method.name}` })
      }),
    )
  })
}

/** The routes of a method of JAX-RS: `@Path` on type and method, and an annotation for the HTTP method. */
export const jaxRoutes = (
  type: TypeUnit,
  method: Method,
  resolver: TextResolver,
  scope: TypeScope,
): readonly EndpointRoute[] => {
  const verb = method.annotations.find(({ name }) => HTTP_METHODS.includes(name))?.name
  if (verb === undefined) return []
  const [prefixes, paths] = [type.annotations, method.annotations].map((annotations) =>
    orEmptyPath(resolver.texts(findAnnotation(annotations, 'Path')?.args.get('value'), scope)),
  )
  return combinePaths(verb, prefixes ?? [], paths ?? [])
}

const jaxInbound = (type: TypeUnit, resolver: TextResolver, scope: TypeScope): readonly Inbound[] => {
  const { annotations } = type
  if (
    findAnnotation(annotations, 'Path') === undefined ||
    findAnnotation(annotations, 'RegisterRestClient') !== undefined
  )
    return []
  return type.methods.flatMap((method) =>
    jaxRoutes(type, method, resolver, scope).map((route) =>
      toInbound(route, { file: scope.unit.file, line: method.line, handler: `${type.name}.${method.name}` }),
    ),
  )
}

/** The type and the method around a call. */
export const handlerOf = ({ type, method }: TypeScope): string =>
  [type?.name ?? '', method.name].filter((one) => one !== '').join('.')

const FUNCTIONAL_IMPORT = /web\.(reactive\.|servlet\.)?function/

/** Functional routes: `route(GET("/x"), …)`, `.GET("/x", …)`, Kotlin's `router { … }`; enclosing calls are prefixes. */
export const functionalInbound: ResolveIn<Method, readonly Inbound[]> = (method, resolver, scope) => {
  if (!scope.unit.imports.some((name) => FUNCTIONAL_IMPORT.test(name))) return []
  return method.calls.flatMap((call) => {
    const verbs = functionalVerbs(call)
    const [path] = verbs.length === 0 ? [] : resolver.texts(predicatePath(call.args[0]), scope)
    if (path === undefined) return []
    const prefixes = (call.within ?? []).filter(({ name }) => name === 'nest' || name === 'path').reverse()
    const texts = prefixes.map((one) => resolver.text(prefixOf(one.receiver, one.args[0]), scope)?.text ?? '')
    const [whole, { confidence }] = [joinRoutes(...texts, path.text), path]
    return verbs.map((verb) =>
      toInbound(
        { method: verb, path: whole, confidence },
        { file: scope.unit.file, line: call.line, handler: handlerOf(scope) },
      ),
    )
  })
}

/** The methods of a functional route; of `route(GET("/x"), …)` the inner call is the route. */
const functionalVerbs = ({ name, args }: CallExpression): readonly string[] => {
  if (HTTP_METHODS.includes(name)) return [name]
  if (!/^(route|andRoute)$/.test(name) || args.length < 2) return []
  const parts = predicateParts(args[0])
  if (parts.length === 0 || parts.some((one) => HTTP_METHODS.includes(one.name))) return []
  const named = parts.find((one) => /^methods?$/.test(one.name))
  return verbsOf(named === undefined ? undefined : { kind: 'list', items: named.args })
}

/** The calls of a request predicate: `path("/x").and(accept(JSON))` has two. */
const predicateParts = (predicate: Expression | undefined): readonly CallExpression[] => {
  if (predicate?.kind !== 'call') return []
  const { name, args, receiver } = predicate.call
  return name === 'and' ? [receiver, ...args].flatMap(predicateParts) : [predicate.call]
}

/** The path of a request predicate: `path("/x").and(accept(JSON))` has one, `accept(JSON)` has none. */
export const predicatePath = (predicate: Expression | undefined): Expression | undefined =>
  predicate?.kind === 'call'
    ? predicateParts(predicate).find(({ name }) => name === 'path' || name === 'pathPrefix')?.args[0]
    : predicate

const pathIn = (one: Expression | undefined): Expression | undefined =>
  one?.kind === 'call' ? predicatePath(one) : undefined

const prefixOf = (receiver: Expression | undefined, first: Expression | undefined): Expression | undefined =>
  receiver?.kind === 'text' ? receiver : (predicatePath(first) ?? pathIn(receiver))

export const webInbound = (type: TypeUnit, resolver: TextResolver, scope: TypeScope): readonly Inbound[] => [
  ...(isSpringController(type) ? restInbound(type, resolver, scope) : []),
  ...jaxInbound(type, resolver, scope),
  ...type.methods.flatMap((method) =>
    functionalInbound(method, resolver, scope.at(scope.unit, type, method)),
  ),
]
