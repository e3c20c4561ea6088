import { joinRoutes } from '../../connections/addresses.ts'
import type { FindIn } from '../../connections/framework.ts'
import {
  type DetectionContext,
  Detector,
  type Framework,
  importsModule,
} from '../../connections/framework.ts'
import type { RouterKey } from '../../connections/router-graph.ts'
import type { TypeLocation } from '../../source/source-index.ts'
import {
  type Annotation,
  type CallExpression,
  type Expression,
  findAnnotation,
  keyword,
  type Method,
  nameIn,
  simpleName,
} from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { positional } from './python-calls.ts'

/** The HTTP methods that a view of Django or of its REST framework answers. */

const VERBS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options']

/** Methods of the base classes, by the end of their names. The longest name that fits counts. */
const BASE_VIEWS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/ListCreate\w*View$/, ['GET', 'POST']],
  [/RetrieveUpdateDestroy\w*View$/, ['GET', 'PUT', 'PATCH', 'DELETE']],
  [/RetrieveUpdate\w*View$/, ['GET', 'PUT', 'PATCH']],
  [/RetrieveDestroy\w*View$/, ['GET', 'DELETE']],
  [/CreateAPIView$/, ['POST']],
  [/UpdateAPIView$/, ['PUT', 'PATCH']],
  [/DestroyAPIView$/, ['DELETE']],
  [/(ListAPI|RetrieveAPI|List|Detail|Template|Redirect|Archive)View$/, ['GET']],
  [/(Form|Create|Update|Delete|Login|Logout|Password\w+)View$/, ['GET', 'POST']],
]

/** Actions of a viewset: its method, its HTTP method, and whether it is about one object. */
const ACTIONS: readonly (readonly [string, string, boolean])[] = [
  ['list', 'GET', false],
  ['create', 'POST', false],
  ['retrieve', 'GET', true],
  ['update', 'PUT', true],
  ['partial_update', 'PATCH', true],
  ['destroy', 'DELETE', true],
]

const BASE_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  ModelViewSet: ['list', 'create', 'retrieve', 'update', 'partial_update', 'destroy'],
  ReadOnlyModelViewSet: ['list', 'retrieve'],
  ListModelMixin: ['list'],
  CreateModelMixin: ['create'],
  RetrieveModelMixin: ['retrieve'],
  UpdateModelMixin: ['update', 'partial_update'],
  DestroyModelMixin: ['destroy'],
}

const MAX_BASES = 40

/** A type and the bases of it that the project declares; the names of all others. */
const inheritance = (place: TypeLocation, scope: TypeScope) => {
  const places = [place]
  const names: string[] = []
  for (const { unit, type } of places)
    for (const written of [type.extends, ...type.implements]) {
      if (written === undefined || places.length > MAX_BASES) continue
      names.push(simpleName(written))
      const base = scope.index.find(written, unit)
      if (base !== undefined && !places.some((one) => one.type === base.type)) places.push(base)
    }
  return { methods: places.flatMap(({ type }) => type.methods), names }
}

const classMethods = (place: TypeLocation, scope: TypeScope): readonly string[] => {
  const { methods, names } = inheritance(place, scope)
  const own = VERBS.filter((verb) => methods.some(({ name }) => name === verb)).map((one) =>
    one.toUpperCase(),
  )
  if (own.length > 0) return own
  const inherited = BASE_VIEWS.find(([ending]) => names.some((name) => ending.test(name)))
  return inherited?.[1] ?? ['ANY']
}

const listedMethods = (annotation: Annotation, scope: TypeScope, { resolver }: DetectionContext) =>
  resolver
    .texts(annotation.args.get('value') ?? annotation.args.get('http_method_names'), scope)
    .map(({ text }) => text.toUpperCase())

const isMethodName = (text: string): boolean => VERBS.includes(text.toLowerCase())

const functionMethods = (method: Method, scope: TypeScope, context: DetectionContext): readonly string[] => {
  const { resolver } = context
  const listed = findAnnotation(method.annotations, 'api_view', 'require_http_methods')
  if (listed !== undefined) {
    const named = listedMethods(listed, scope, context)
    return named.length === 0 ? ['GET'] : named
  }
  if (findAnnotation(method.annotations, 'require_POST') !== undefined) return ['POST']
  // A decorator of the project that names nothing but methods: `@cors("GET", "POST")`.
  const own = method.annotations
    .map(({ args }) => resolver.texts(args.get('*') ?? args.get('value'), scope).map(({ text }) => text))
    .find((texts) => texts.length > 0 && texts.every((text) => /^[A-Z]+$/.test(text) && isMethodName(text)))
  if (own !== undefined) return own
  return findAnnotation(method.annotations, 'require_GET', 'require_safe') === undefined ? ['ANY'] : ['GET']
}

/** The class that an import of the file names: other modules may have one of the same name. */
const importedType = (name: string, { unit }: TypeScope, { modules }: DetectionContext) => {
  const [head = '', member] = name.split('.')
  const declared = modules.declaration(head, unit)
  const type = declared.unit.types.find((one) => one.name === (member ?? declared.name))
  return type === undefined ? undefined : { unit: declared.unit, type }
}

/** A view as it is named in a URL pattern: `views.index`, `views.Items.as_view()`. */
const viewOf: FindIn<
  Expression | undefined,
  { readonly handler: string; readonly methods: readonly string[] } | undefined
> = (view, scope, context) => {
  if (view?.kind === 'name') {
    const [head = '', member] = view.name.split('.')
    const declared = context.modules.declaration(head, scope.unit)
    const found = declared.unit.functions.find(({ name }) => name === (member ?? declared.name))
    return {
      handler: view.name,
      methods: found === undefined ? ['ANY'] : functionMethods(found, scope, context),
    }
  }
  if (view?.kind !== 'call') return undefined
  const { name, receiver, args } = view.call
  // Django Channels.
  if (name === 'as_asgi') return { handler: nameIn(receiver), methods: ['WS'] }
  // A decorated view: `login_required(views.index)`.
  if (name !== 'as_view') return args.length === 1 ? viewOf(args[0], scope, context) : undefined
  const handler = nameIn(receiver)
  const [actions] = args
  if (actions?.kind === 'record' && VERBS.some((verb) => actions.entries.has(verb)))
    return { handler, methods: [...actions.entries.keys()].map((verb) => verb.toUpperCase()) }
  const place = importedType(handler, scope, context) ?? scope.index.find(handler, scope.unit)
  return { handler, methods: place === undefined ? ['ANY'] : classMethods(place, scope) }
}

interface ViewsetRoute {
  readonly method: string
  /** Below the prefix that the viewset is registered with. */
  readonly path: string
  readonly handler: string
  readonly line: number
}

/** All routes of a viewset: the standard actions that it has, and those marked with `@action`. */
const viewsetRoutes: FindIn<string, readonly ViewsetRoute[]> = (name, scope, { resolver }) => {
  const place = scope.index.find(name, scope.unit)
  if (place === undefined) return []
  const { methods, names } = inheritance(place, scope)
  const has = new Set([
    ...methods.map((one) => one.name),
    ...names.flatMap((base) => BASE_ACTIONS[base] ?? []),
  ])
  const there = scope.at(place.unit, place.type, place.unit.topLevel)
  const standard = ACTIONS.filter(([action]) => has.has(action)).map(([action, method, detail]) => ({
    method,
    path: detail ? '/{pk}' : '',
    handler: `${place.type.name}.${action}`,
    line: methods.find((one) => one.name === action)?.line ?? place.type.line,
  }))
  const extra = methods.flatMap((one) => {
    const action = findAnnotation(one.annotations, 'action')
    if (action === undefined) return []
    const detail = resolver.text(action.args.get('detail'), there)?.text === 'True' ? '/{pk}' : ''
    const path = resolver.text(action.args.get('url_path'), there)?.text ?? one.name
    const verbs = resolver.texts(action.args.get('methods'), there).map(({ text }) => text.toUpperCase())
    return (verbs.length === 0 ? ['GET'] : verbs).map((method) => ({
      method,
      path: `${detail}/${path}`,
      handler: `${place.type.name}.${one.name}`,
      line: one.line,
    }))
  })
  return [...standard, ...extra]
}

/** URL patterns of Django, and the routers of its REST framework. */

const PATTERNS = /^(path|re_path|url)$/
const ROUTERS = /^\w*Router$/
/** Functions around a list of patterns that do not change their paths. */
const WRAPPERS = /^(format_suffix_patterns|staff_member_patterns|decorate_urlpatterns|\w*decorat\w*)$/
const MAX_DEPTH = 8

/** A regular expression as a path: `^users/(?P<id>\d+)/$` is `users/{id}/`. */
const plainPattern = (pattern: string): string =>
  pattern
    .replace(/^\^|\$$|\\Z$/g, '')
    .replace(/\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)/g, '{$1}')
    .replace(/\((?:[^()]|\([^()]*\))*\)[?*]?/g, '{}')
    .replace(/\\([./-])/g, '$1')
    .replace(/\/\?$/, '/')

class UrlPatterns extends Detector {
  /** Makes the keys of inner lists distinct. */
  #inner = 0

  #innerKey({ name }: RouterKey): RouterKey {
    this.#inner += 1
    return { file: this.#file, name: `${name}:${this.#inner}` }
  }

  get #file(): string {
    return this.scope.unit.file
  }

  declare(): void {
    for (const { name, value } of this.scope.method.locals) {
      this.#list({ file: this.#file, name }, value, 0)
      if (value?.kind === 'call' && /^Nested\w*Router$/.test(value.call.name)) this.#nested(name, value.call)
    }
    for (const call of this.scope.method.calls)
      if (call.name === 'register' && call.receiver?.kind === 'name') this.#viewset(call.receiver.name, call)
  }

  /** A list of patterns, also `[…] + […]`, and the URLs of a router. */
  #list(key: RouterKey, value: Expression | undefined, depth: number): void {
    if (depth > MAX_DEPTH || value === undefined) return
    if (value.kind === 'join') for (const part of value.parts) this.#list(key, part, depth + 1)
    if (value.kind === 'list') for (const item of value.items) this.#list(key, item, depth + 1)
    if (value.kind === 'name') this.#others(key, value)
    if (value.kind !== 'call') return
    const { call } = value
    if (PATTERNS.test(call.name)) this.#pattern(key, call, depth)
    else if (WRAPPERS.test(call.name)) for (const one of call.args) this.#list(key, one, depth + 1)
    else if (call.name === 'i18n_patterns') {
      const inner = this.#innerKey(key)
      this.context.routers.mount(key, inner, { path: '/{language}', confidence: 'medium' })
      for (const one of call.args) this.#list(inner, one, depth + 1)
    }
  }

  /** `urlpatterns = router.urls`, `urlpatterns += other_patterns`, `[*router.urls]`. */
  #others(key: RouterKey, value: Expression): void {
    const isList = value.kind === 'name' && /(\.urls|[pP]atterns)$/.test(value.name)
    const child = isList ? this.#included(value) : undefined
    if (child !== undefined && (child.file !== key.file || child.name !== key.name))
      this.context.routers.mount(key, child, { path: '', confidence: 'high' })
  }

  /** `NestedSimpleRouter(router, "domains", lookup="domain")`: below one object of the outer router. */
  #nested(name: string, { args }: CallExpression): void {
    const prefix = this.context.resolver.text(positional(args, 1), this.scope)
    const lookup = this.context.resolver.text(keyword(args, 'lookup'), this.scope)?.text ?? 'nested'
    if (prefix === undefined) return
    const path = joinRoutes(prefix.text, `{${lookup}_pk}`)
    this.context.routers.prefix({ file: this.#file, name }, { path, confidence: prefix.confidence })
  }

  #pattern(key: RouterKey, call: CallExpression, depth: number): void {
    const [route, view] = call.args
    const known = this.context.resolver.text(route, this.scope)
    if (known === undefined) return
    const path = joinRoutes(call.name === 'path' ? known.text : plainPattern(known.text))
    // `/?$` allows both.
    const slash = /(^|[^?])\/$/.test(known.text.replace(/\$$|\\Z$/, ''))
    const prefix = { path, confidence: known.confidence, slash }
    if (view?.kind === 'call' && view.call.name === 'include') {
      const [given] = view.call.args
      const included = given?.kind === 'list' && given.items[0]?.kind !== 'call' ? given.items[0] : given
      if (included?.kind === 'list') {
        const inner = this.#innerKey(key)
        this.context.routers.mount(key, inner, prefix)
        return this.#list(inner, included, depth + 1)
      }
      const child = this.#included(included)
      if (child !== undefined) this.context.routers.mount(key, child, prefix)
      return
    }
    const found = viewOf(view, this.scope, this.context)
    for (const method of found?.methods ?? [])
      this.context.routers.route({
        router: key,
        route: { method, ...prefix },
        file: this.#file,
        line: call.line,
        handler: found?.handler ?? '',
      })
  }

  /** The patterns that `include` names: a module, a list, or the URLs of a router. */
  #included(given: Expression | undefined): RouterKey | undefined {
    const { modules } = this.context
    const { unit } = this.scope
    if (given?.kind === 'text') {
      const file = modules.unitOf(given.text, unit)?.file
      return file === undefined ? undefined : { file, name: 'urlpatterns' }
    }
    if (given?.kind !== 'name') return undefined
    const [head = '', member] = given.name.split('.')
    const declared = modules.declaration(head, unit)
    if (member === 'urls') return { file: declared.unit.file, name: declared.name }
    if (declared.name === '*') return { file: declared.unit.file, name: member ?? 'urlpatterns' }
    return { file: declared.unit.file, name: declared.name }
  }

  #viewset(router: string, { args, line }: CallExpression): void {
    const created = this.scope
      .variables(router)
      .some(({ value }) => value?.kind === 'call' && ROUTERS.test(value.call.name))
    const [prefix, view] = args
    const known = this.context.resolver.text(prefix, this.scope)
    if (!created || known === undefined || view?.kind !== 'name') return
    for (const one of viewsetRoutes(view.name, this.scope, this.context))
      this.context.routers.route({
        router: { file: this.#file, name: router },
        route: {
          method: one.method,
          path: joinRoutes(plainPattern(known.text), one.path),
          confidence: known.confidence,
        },
        file: this.#file,
        line,
        handler: one.handler,
      })
  }
}

export const DJANGO: Framework = {
  name: 'Django, Django REST framework',
  language: 'python',
  applies: importsModule(/^(django|rest_framework\w*)(\.|$)|\burls?$|routers?$/),
  routes: (scope, context) => new UrlPatterns(scope, context).declare(),
}
