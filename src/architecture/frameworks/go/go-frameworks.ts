import {
  type DetectionContext,
  type Framework,
  type Inbound,
  importsModule,
  type Outbound,
  outboundAt,
} from '../../connections/framework.ts'
import { toInbound } from '../../connections/inbound-web.ts'
import { grpcEndpoints, type ProtoService } from '../../connections/proto.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { GO_DATA_CLIENTS } from './data-clients.ts'
import { goCalls } from './go-calls.ts'
import { GO_HTTP_CLIENTS } from './http-clients.ts'
import { GO_MESSAGES } from './messages.ts'
import { GO_ROUTERS } from './routers.ts'

/** Generated code: `pb.RegisterCartServiceServer(server, impl)` and `pb.NewCartServiceClient(conn)`. */

/** The service of a generated name: the generator writes `cart_service` and `cartService` as `CartService`. */
const generatedFrom = (name: string, { protos }: DetectionContext): ProtoService | undefined =>
  protos.get(name) ?? [...protos.values()].find((one) => generatedName(one.name) === name)

const generatedName = (service: string): string =>
  service.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const registered = (scope: TypeScope, context: DetectionContext): readonly Inbound[] =>
  goCalls(scope).flatMap(({ call, scope: inside }) => {
    const [, service] = /^Register(\w+)Server$/.exec(call.name) ?? []
    if (service === undefined || call.args.length !== 2) return []
    return grpcEndpoints(service, generatedFrom(service, context), inside, call.line, inside.method.name)
  })

/** Generated for a gateway: `pb.RegisterCartServiceHandlerServer(ctx, mux, impl)` serves the routes of the `.proto` file. */
const gatewayRoutes = (scope: TypeScope, context: DetectionContext): readonly Inbound[] =>
  goCalls(scope).flatMap(({ call, scope: { method } }) => {
    const [, service = ''] = /^Register(\w+?)Handler(Server|FromEndpoint|Client)?$/.exec(call.name) ?? []
    return (call.args.length < 3 ? [] : (generatedFrom(service, context)?.routes ?? [])).map((route) =>
      toInbound(
        { ...route, confidence: 'high' },
        { file: scope.unit.file, line: call.line, handler: method.name },
      ),
    )
  })

const generatedClients = (scope: TypeScope, context: DetectionContext): readonly Outbound[] =>
  goCalls(scope).flatMap(({ call, scope: inside }) => {
    const [, service] = /^New(\w+)Client$/.exec(call.name) ?? []
    const found = service === undefined ? undefined : generatedFrom(service, context)
    if (found === undefined) return []
    const target = { text: found.fullName, confidence: 'high' } as const
    const caller = inside.method.name
    return [outboundAt(inside, call.line, target, { protocol: 'gRPC', type: 'Client', caller })]
  })

const GO_GRPC: Framework = {
  name: 'gRPC',
  language: 'go',
  // The generated package is imported under any name; the runtime need not be imported beside it.
  applies: importsModule(/grpc|pb$|proto/),
  inbound: (scope, context) => [...registered(scope, context), ...gatewayRoutes(scope, context)],
  outbound: generatedClients,
}

export const GO_FRAMEWORKS: readonly Framework[] = [
  GO_ROUTERS,
  GO_GRPC,
  GO_HTTP_CLIENTS,
  GO_DATA_CLIENTS,
  GO_MESSAGES,
]
