import { joinRoutes } from '../../connections/addresses.ts'
import { type DetectionContext, type Framework, importsModule } from '../../connections/framework.ts'
import type { RouterKey } from '../../connections/router-graph.ts'
import type { CallExpression, Expression } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { viewOf, viewsetRoutes } from './django-views.ts'
import { keyword, positional } from './python-calls.ts'

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

class UrlPatterns {
  readonly #scope: TypeScope
  readonly #context: DetectionContext
  /** Makes the keys of inner lists distinct. */
  #inner = 0

  constructor(scope: TypeScope, context: DetectionContext) {
    this.#scope = scope
    this.#context = context
  }

  #innerKey({ name }: RouterKey): RouterKey {
    this.#inner += 1
    return { file: this.#file, name: `${name}:${this.#inner}` }
  }

  get #file(): string {
    return this.#scope.unit.file
  }

  declare(): void {
    for (const { name, value } of this.#scope.method.locals) {
      this.#list({ file: this.#file, name }, value, 0)
      if (value?.kind === 'call' && /^Nested\w*Router$/.test(value.call.name)) this.#nested(name, value.call)
    }
    for (const call of this.#scope.method.calls)
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
      this.#context.routers.mount(key, inner, { path: '/{language}', confidence: 'medium' })
      for (const one of call.args) this.#list(inner, one, depth + 1)
    }
  }

  /** `urlpatterns = router.urls`, `urlpatterns += other_patterns`, `[*router.urls]`. */
  #others(key: RouterKey, value: Expression): void {
    const isList = value.kind === 'name' && /(\.urls|[pP]atterns)$/.test(value.name)
    const child = isList ? this.#included(value) : undefined
    if (child !== undefined && (child.file !== key.file || child.name !== key.name))
      this.#context.routers.mount(key, child, { path: '', confidence: 'high' })
  }

  /** `NestedSimpleRouter(router, "domains", lookup="domain")`: below one object of the outer router. */
  #nested(name: string, { args }: CallExpression): void {
    const prefix = this.#context.resolver.text(positional(args, 1), this.#scope)
    const lookup = this.#context.resolver.text(keyword(args, 'lookup'), this.#scope)?.text ?? 'nested'
    if (prefix === undefined) return
    const path = joinRoutes(prefix.text, `{${lookup}_pk}`)
    this.#context.routers.prefix({ file: this.#file, name }, { path, confidence: prefix.confidence })
  }

  #pattern(key: RouterKey, call: CallExpression, depth: number): void {
    const [route, view] = call.args
    const known = this.#context.resolver.text(route, this.#scope)
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
        this.#context.routers.mount(key, inner, prefix)
        return this.#list(inner, included, depth + 1)
      }
      const child = this.#included(included)
      if (child !== undefined) this.#context.routers.mount(key, child, prefix)
      return
    }
    const found = viewOf(view, this.#scope, this.#context)
    for (const method of found?.methods ?? [])
      this.#context.routers.route({
        router: key,
        route: { method, ...prefix },
        file: this.#file,
        line: call.line,
        handler: found?.handler ?? '',
      })
  }

  /** The patterns that `include` names: a module, a list, or the URLs of a router. */
  #included(given: Expression | undefined): RouterKey | undefined {
    const { modules } = this.#context
    const { unit } = this.#scope
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
    const created = this.#scope
      .variables(router)
      .some(({ value }) => value?.kind === 'call' && ROUTERS.test(value.call.name))
    const [prefix, view] = args
    const known = this.#context.resolver.text(prefix, this.#scope)
    if (!created || known === undefined || view?.kind !== 'name') return
    for (const one of viewsetRoutes(view.name, this.#scope, this.#context))
      this.#context.routers.route({
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
