import { joinRoutes } from '../../connections/addresses.ts'
import { type DetectionContext, type Framework, importsModule } from '../../connections/framework.ts'
import type { RouterKey } from '../../connections/router-graph.ts'
import type { CallExpression, Expression } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { viewOf, viewsetRoutes } from './django-views.ts'

/** URL patterns of Django, and the routers of its REST framework. */

const PATTERNS = /^(path|re_path|url)$/
const ROUTERS = /^(Default|Simple|Nested\w*|Extended\w*|NetBox|Optional\w*|Custom\w*)?Router$/
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

  constructor(scope: TypeScope, context: DetectionContext) {
    this.#scope = scope
    this.#context = context
  }

  get #file(): string {
    return this.#scope.unit.file
  }

  declare(): void {
    for (const { name, value } of this.#scope.method.locals) this.#list({ file: this.#file, name }, value, 0)
    for (const call of this.#scope.method.calls)
      if (call.name === 'register' && call.receiver?.kind === 'name') this.#viewset(call.receiver.name, call)
  }

  /** A list of patterns, also `[…] + [… ]` and `static(…)` around it. */
  #list(key: RouterKey, value: Expression | undefined, depth: number): void {
    if (depth > MAX_DEPTH) return
    if (value?.kind === 'join') for (const part of value.parts) this.#list(key, part, depth + 1)
    if (value?.kind !== 'list') return
    for (const item of value.items)
      if (item.kind === 'call' && PATTERNS.test(item.call.name)) this.#pattern(key, item.call, depth)
  }

  #pattern(key: RouterKey, call: CallExpression, depth: number): void {
    const [route, view] = call.args
    const known = this.#context.resolver.text(route, this.#scope)
    if (known === undefined) return
    const path = joinRoutes(call.name === 'path' ? known.text : plainPattern(known.text))
    const prefix = { path, confidence: known.confidence }
    if (view?.kind === 'call' && view.call.name === 'include') {
      const [given] = view.call.args
      const included = given?.kind === 'list' && given.items[0]?.kind !== 'call' ? given.items[0] : given
      if (included?.kind === 'list') {
        const inner = { file: this.#file, name: `${key.name}:${call.line}` }
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
