import { callChain } from '../../connections/client-base-url.ts'
import type { Inbound, Outbound } from '../../connections/connections.ts'
import { type DetectionContext, type Framework, importsModule } from '../../connections/framework.ts'
import { toInbound } from '../../connections/inbound-web.ts'
import type { CallExpression } from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { functionsOf } from './route-functions.ts'

/** Spring Cloud Gateway: `routes().route(r -> r.path("/orders/**").uri("lb://orders"))`. */

interface GatewayRoute {
  readonly call: CallExpression
  readonly scope: TypeScope
  readonly paths: readonly KnownText[]
  readonly methods: readonly string[]
  readonly target: KnownText | undefined
}

const routesOf = (scope: TypeScope, { resolver }: DetectionContext): readonly GatewayRoute[] =>
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
  routesOf(scope, context).flatMap(({ call, scope: inside, paths, methods }) =>
    paths.flatMap((path) =>
      (methods.length === 0 ? ['ANY'] : methods).map((method) =>
        toInbound(
          { method, path: path.text, confidence: path.confidence },
          { file: inside.unit.file, line: call.line, handler: handlerOf(inside) },
        ),
      ),
    ),
  )

const handlerOf = ({ type, method }: TypeScope): string =>
  [type?.name ?? '', method.name].filter((one) => one !== '').join('.')

const outbound = (scope: TypeScope, context: DetectionContext): readonly Outbound[] =>
  routesOf(scope, context).flatMap(({ call, scope: inside, paths, target }) =>
    target === undefined || /^(forward|no):/.test(target.text)
      ? []
      : [
          {
            target_service: target.text,
            protocol: 'REST',
            type: 'Gateway route',
            source_file: inside.unit.file,
            line: call.line,
            caller: inside.type?.name ?? '',
            confidence: target.confidence,
            path: paths.map(({ text }) => text).join(', '),
            ...(target.origin !== undefined && { origin: target.origin }),
          },
        ],
  )

export const SPRING_CLOUD_GATEWAY: Omit<Framework, 'language'> = {
  name: 'Spring Cloud Gateway',
  applies: importsModule(/^org\.springframework\.cloud\.gateway\./),
  inbound,
  outbound,
}
