import { optional } from '../../../kernel/optional.ts'
import { callChain } from '../../connections/client-base-url.ts'
import {
  type DetectionContext,
  type Framework,
  type Inbound,
  importsModule,
  type Outbound,
  outboundAt,
} from '../../connections/framework.ts'
import { handlerOf, predicatePath, toInbound } from '../../connections/inbound-web.ts'
import type { CallExpression, Expression } from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { functionsOf } from './route-functions.ts'

/**
 * Spring Cloud Gateway: `routes().route(r -> r.path("/orders/**").uri("lb://orders"))`, and the one on servlets:
 * `route("orders").route(path("/orders/**"), http("http://orders"))`, whose endpoints are functional routes of Spring.
 */

interface GatewayRoute {
  readonly call: CallExpression
  readonly scope: TypeScope
  readonly paths: readonly KnownText[]
  readonly methods: readonly string[]
  readonly target: KnownText | undefined
}

const gatewayCalls = (scope: TypeScope, { resolver }: DetectionContext): readonly GatewayRoute[] =>
  functionsOf(scope.unit).flatMap(({ type, method }) => {
    const inside = scope.at(scope.unit, type, method)
    return method.calls
      .filter(({ name, args }) => name === 'uri' && args.length === 1)
      .flatMap((call) => {
        const chain = callChain(call)
        const paths = chain
          .filter(({ name }) => name === 'path')
          .flatMap(({ args }) => args.flatMap((one) => resolver.texts(one, inside)))
        if (paths.length === 0) return []
        const methods = chain
          .filter(({ name }) => name === 'method')
          .flatMap(({ args }) =>
            args.map((one) => (one.kind === 'name' ? one.name : one.kind === 'text' ? one.text : '')),
          )
          .map((name) => name.replace(/^.*\./, ''))
          .filter((name) => /^[A-Z]+$/.test(name))
        return [{ call, scope: inside, paths, methods, target: resolver.text(call.args[0], inside) }]
      })
  })

const inbound = (scope: TypeScope, context: DetectionContext): readonly Inbound[] =>
  gatewayCalls(scope, context).flatMap(({ call, scope: inside, paths, methods }) =>
    paths.flatMap((path) =>
      (methods.length === 0 ? ['ANY'] : methods).map((method) =>
        toInbound(
          { method, path: path.text, confidence: path.confidence },
          { file: inside.unit.file, line: call.line, handler: handlerOf(inside) },
        ),
      ),
    ),
  )

const isCallOf = (name: string, one: Expression | undefined) => one?.kind === 'call' && one.call.name === name

/** The routes on servlets: `http(address)` is the handler, or `before(uri(address))` follows `http()`. */
const servletRoutes = (scope: TypeScope, { resolver }: DetectionContext): readonly GatewayRoute[] =>
  functionsOf(scope.unit).flatMap(({ type, method }) => {
    const inside = scope.at(scope.unit, type, method)
    return method.calls.flatMap((call) => {
      const route = callChain(call).find(({ args }) => isCallOf('http', args[1]))
      if (route === undefined || (call !== route && call.name !== 'before')) return []
      const given = call === route ? call.args[1] : call.args[0]
      if (given?.kind !== 'call' || !/^(http|uri)$/.test(given.call.name)) return []
      const target = resolver.text(given.call.args[0], inside)
      const paths = resolver.texts(predicatePath(route.args[0]), inside)
      return target === undefined ? [] : [{ call: route, scope: inside, paths, methods: [], target }]
    })
  })

const outbound = (scope: TypeScope, context: DetectionContext): readonly Outbound[] =>
  [...gatewayCalls(scope, context), ...servletRoutes(scope, context)].flatMap(
    ({ call, scope: inside, paths, target }) =>
      target === undefined || /^(forward|no):/.test(target.text)
        ? []
        : [
            outboundAt(inside, call.line, target, {
              protocol: 'REST',
              type: 'Gateway route',
              path: paths.map(({ text }) => text).join(', '),
              ...optional({ origin: target.origin }),
            }),
          ],
  )

export const SPRING_CLOUD_GATEWAY: Omit<Framework, 'language'> = {
  name: 'Spring Cloud Gateway',
  applies: importsModule(/^org\.springframework\.cloud\.gateway\./),
  inbound,
  outbound,
}
