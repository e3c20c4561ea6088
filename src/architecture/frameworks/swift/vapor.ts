import { Detector, type Framework, importsModule } from '../../connections/framework.ts'
import type { RouterKey } from '../../connections/router-graph.ts'
import type { CallExpression, Expression, Variable } from '../../source/source-unit.ts'
import { type TextConfidence, weaker } from '../../source/text-resolver.ts'
import { labelled, SwiftValues, swiftCalls, unlabelled } from './swift-values.ts'

/** Routes of Vapor: calls on an application or a group, in functions and in `RouteCollection.boot`. */

const VERBS = new Set(['get', 'post', 'put', 'patch', 'delete', 'on', 'webSocket'])
const BUILDER = /^(any )?(RoutesBuilder|Application|Routes|Router)$/
const MAX_DEPTH = 12

interface RoutePrefix {
  readonly router: RouterKey
  readonly path: string
  readonly confidence: TextConfidence
}

class VaporRoutes extends Detector {
  readonly #values = new SwiftValues(this.context.resolver)

  /** The router that a parameter is: that of the collection, or the one that callers give. */
  #parameter({ name }: Variable): RouterKey {
    const { type, method, unit } = this.scope
    if (type !== undefined && method.name === 'boot') return { file: '', name: `collection ${type.name}` }
    return { file: unit.file, name: `${type?.name ?? ''}.${method.name}.${name}` }
  }

  /** Path components: texts, `.constant("x")`, `.parameter("id")`, `.catchall`. */
  #path(parts: readonly Expression[]): Pick<RoutePrefix, 'path' | 'confidence'> {
    let confidence: TextConfidence = 'high'
    const texts = parts.map((part) => {
      if (part.kind === 'name' && part.name === '.catchall') return '**'
      if (part.kind === 'name' && part.name === '.anything') return '*'
      const isParameter = part.kind === 'call' && part.call.name === 'parameter'
      const value =
        part.kind === 'call' && /^(parameter|constant)$/.test(part.call.name) ? part.call.args[0] : part
      const known = this.#values.text(value, this.scope)
      confidence = weaker(confidence, known?.confidence ?? 'low')
      return `${isParameter ? ':' : ''}${known?.text ?? '{}'}`
    })
    return { path: texts.join('/'), confidence }
  }

  /** The texts among the arguments of `grouped`: a middleware is none. */
  #groupPath(call: CallExpression): Pick<RoutePrefix, 'path' | 'confidence'> {
    return this.#path(
      unlabelled(call).filter(
        (one) =>
          one.kind === 'text' ||
          one.kind === 'join' ||
          (one.kind === 'name' && this.#isText(one)) ||
          (one.kind === 'call' && /^(parameter|constant)$/.test(one.call.name)),
      ),
    )
  }

  #isText(name: Expression): boolean {
    return this.#values.text(name, this.scope)?.confidence === 'high'
  }

  /** The router that an expression stands for, inside of the closures of these groups. */
  #router(
    expression: Expression | undefined,
    groups: readonly CallExpression[],
    depth = 0,
  ): RoutePrefix | undefined {
    if (expression === undefined || depth > MAX_DEPTH) return undefined
    if (expression.kind === 'call')
      return expression.call.name === 'grouped' ? this.#grouped(expression.call, groups, depth) : undefined
    if (expression.kind !== 'name') return undefined
    const { name } = expression
    const at = groups.findIndex((one) => {
      const closure = labelled(one, '{}')
      return closure?.kind === 'name' && closure.name === name
    })
    const group = groups[at]
    if (group !== undefined) return this.#grouped(group, groups.slice(at + 1), depth)
    const { method, type } = this.scope
    const local = method.locals.find((one) => one.name === name)?.value
    if (local !== undefined) return this.#router(local, groups, depth + 1)
    const parameter = method.parameters.find((one) => one.name === name && BUILDER.test(one.type))
    if (parameter !== undefined) return { router: this.#parameter(parameter), path: '', confidence: 'high' }
    const isApplication =
      name === 'app' || type?.fields.some((one) => one.name === name && BUILDER.test(one.type)) === true
    return isApplication ? { router: { file: '', name: 'app' }, path: '', confidence: 'high' } : undefined
  }

  #grouped(call: CallExpression, groups: readonly CallExpression[], depth: number): RoutePrefix | undefined {
    const outer = this.#router(call.receiver, groups, depth + 1)
    if (outer === undefined) return undefined
    const { path, confidence } = this.#groupPath(call)
    return {
      router: outer.router,
      path: `${outer.path}/${path}`,
      confidence: weaker(outer.confidence, confidence),
    }
  }

  declare(call: CallExpression): void {
    const groups = (call.within ?? []).filter(({ name }) => name === 'group')
    if (call.name === 'register') return this.#register(call, groups)
    if (VERBS.has(call.name)) return this.#route(call, groups)
    if (/[rR]outes$/.test(call.name)) this.#passed(call, groups)
  }

  #route(call: CallExpression, groups: readonly CallExpression[]): void {
    const handler = labelled(call, 'use', 'onUpgrade')
    if (handler === undefined && labelled(call, '{}') === undefined) return
    const router = this.#router(call.receiver, groups)
    if (router === undefined) return
    const given = unlabelled(call)
    const [first] = given
    const method =
      call.name === 'on'
        ? first?.kind === 'name' && /^\.[A-Z]+$/.test(first.name)
          ? first.name.slice(1)
          : undefined
        : call.name === 'webSocket'
          ? 'GET'
          : call.name.toUpperCase()
    if (method === undefined) return
    const { path, confidence } = this.#path(call.name === 'on' ? given.slice(1) : given)
    this.context.routers.route({
      router: router.router,
      route: {
        method,
        path: `${router.path}/${path}`.replace(/\/+/g, '/'),
        confidence: weaker(router.confidence, confidence),
      },
      file: this.scope.unit.file,
      line: call.line,
      handler: this.#handler(handler),
    })
  }

  #handler(handler: Expression | undefined): string {
    const owner = this.scope.type?.name
    if (handler?.kind !== 'name') return owner ?? ''
    return owner === undefined ? handler.name : `${owner}.${handler.name}`
  }

  /** `app.register(collection: TodoController())` */
  #register(call: CallExpression, groups: readonly CallExpression[]): void {
    const collection = this.#values.call(labelled(call, 'collection'), this.scope)
    const router = this.#router(call.receiver, groups)
    if (collection === undefined || router === undefined) return
    this.context.routers.mount(router.router, { file: '', name: `collection ${collection.name}` }, router)
  }

  /** `apiRoutes(app.grouped("api"))` */
  #passed(call: CallExpression, groups: readonly CallExpression[]): void {
    const given = [...unlabelled(call), ...labelledValues(call)]
    const called = this.scope.index.units
      .filter(({ language }) => language === 'swift')
      .flatMap((unit) => unit.functions.map((method) => ({ unit, method })))
      .find(({ method }) => method.name === call.name)
    const at = called?.method.parameters.findIndex(({ type }) => BUILDER.test(type)) ?? -1
    const parameter = called?.method.parameters[at]
    const router = this.#router(given[at], groups)
    if (called === undefined || parameter === undefined || router === undefined) return
    this.context.routers.mount(
      router.router,
      { file: called.unit.file, name: `.${called.method.name}.${parameter.name}` },
      router,
    )
  }
}

const labelledValues = ({ args }: CallExpression): readonly Expression[] => {
  const last = args.at(-1)
  return last?.kind === 'record' ? [...last.entries.values()] : []
}

export const VAPOR: Framework = {
  name: 'Vapor',
  language: 'swift',
  applies: importsModule(/^Vapor$/),
  routes: (scope, context) => {
    for (const { call, scope: inside } of swiftCalls(scope)) new VaporRoutes(inside, context).declare(call)
  },
}
