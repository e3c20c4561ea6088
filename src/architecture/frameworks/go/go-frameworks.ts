import {
  type DetectionContext,
  type Framework,
  type Inbound,
  importsModule,
  type Outbound,
} from '../../connections/framework.ts'
import { toInbound } from '../../connections/inbound-web.ts'
import type { ProtoService } from '../../connections/proto.ts'
import type { CallExpression, Method } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { GO_DATA_CLIENTS } from './data-clients.ts'
import { GO_HTTP_CLIENTS } from './http-clients.ts'
import { GO_MESSAGES } from './messages.ts'
import { GO_ROUTERS } from './routers.ts'

/** Generated code: `pb.RegisterCartServiceServer(server, impl)` and `pb.NewCartServiceClient(conn)`. */

interface PlacedCall {
  readonly call: CallExpression
  readonly method: Method
}

const callsIn = ({ unit }: TypeScope): readonly PlacedCall[] =>
  [...unit.functions, unit.topLevel].flatMap((method) => method.calls.map((call) => ({ call, method })))

/** The service of a generated name: the generator writes `cart_service` and `cartService` as `CartService`. */
const generatedFrom = (name: string, { protos }: DetectionContext): ProtoService | undefined =>
  protos.get(name) ?? [...protos.values()].find((one) => generatedName(one.name) === name)

const generatedName = (service: string): string =>
  service.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const registered = (scope: TypeScope, context: DetectionContext): readonly Inbound[] =>
  callsIn(scope).flatMap(({ call, method }) => {
    const [, service] = /^Register(\w+)Server$/.exec(call.name) ?? []
    if (service === undefined || call.args.length !== 2) return []
    const found = generatedFrom(service, context)
    const endpoints = found?.methods.map((one) => `${found.fullName}/${one}`) ?? [service]
    return endpoints.map((endpoint) => ({
      protocol: 'gRPC',
      endpoint,
      source_file: scope.unit.file,
      line: call.line,
      handler: method.name,
      confidence: found === undefined ? ('medium' as const) : ('high' as const),
    }))
  })

/** Generated for a gateway: `pb.RegisterCartServiceHandlerServer(ctx, mux, impl)` serves the routes of the `.proto` file. */
const gatewayRoutes = (scope: TypeScope, context: DetectionContext): readonly Inbound[] =>
  callsIn(scope).flatMap(({ call, method }) => {
    const [, service = ''] = /^Register(\w+?)Handler(Server|FromEndpoint|Client)?$/.exec(call.name) ?? []
    return (call.args.length < 3 ? [] : (generatedFrom(service, context)?.routes ?? [])).map((route) =>
      toInbound(
        { ...route, confidence: 'high' },
        { file: scope.unit.file, line: call.line, handler: method.name },
      ),
    )
  })

const clients = (scope: TypeScope, context: DetectionContext): readonly Outbound[] =>
  callsIn(scope).flatMap(({ call, method }) => {
    const [, service] = /^New(\w+)Client$/.exec(call.name) ?? []
    const found = service === undefined ? undefined : generatedFrom(service, context)
    if (found === undefined) return []
    return [
      {
        target_service: found.fullName,
        protocol: 'gRPC',
        type: 'Client',
        source_file: scope.unit.file,
        line: call.line,
        caller: method.name,
        confidence: 'high' as const,
      },
    ]
  })

const GO_GRPC: Framework = {
  name: 'gRPC',
  language: 'go',
  // The generated package is imported under any name; the runtime need not be imported beside it.
  applies: importsModule(/grpc|pb$|proto/),
  inbound: (scope, context) => [...registered(scope, context), ...gatewayRoutes(scope, context)],
  outbound: clients,
}

export const GO_FRAMEWORKS: readonly Framework[] = [
  GO_ROUTERS,
  GO_GRPC,
  GO_HTTP_CLIENTS,
  GO_DATA_CLIENTS,
  GO_MESSAGES,
]
