import {
  type DetectionContext,
  type Framework,
  type Inbound,
  importsModule,
  type Outbound,
  outboundAt,
} from '../../connections/framework.ts'
import { grpcEndpoints } from '../../connections/proto.ts'
import { callIn, nameIn } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { positional, pythonCalls } from './python-calls.ts'

/** Generated code: `add_CartServicer_to_server(impl, server)` and `CartStub(channel)`. */

const addedServicers = (scope: TypeScope, { protos }: DetectionContext): readonly Inbound[] =>
  pythonCalls(scope).flatMap(({ call }) => {
    const [, service] = /^add_(\w+)Servicer_to_server$/.exec(call.name) ?? []
    if (service === undefined || call.args.length < 2) return []
    const made = positional(call.args, 0)
    const handler = callIn(made)?.name ?? nameIn(made)
    return grpcEndpoints(service, protos.get(service), scope, call.line, handler)
  })

const stubs = (scope: TypeScope, { protos }: DetectionContext): readonly Outbound[] =>
  pythonCalls(scope).flatMap(({ call, scope: inside }) => {
    const [, service] = /^(\w+)Stub$/.exec(call.name) ?? []
    // A stub takes a channel: generated modules are named `…_pb2_grpc`.
    const isGenerated = scope.unit.imports.some((name) => /_pb2_grpc$|grpc/.test(name))
    if (service === undefined || !isGenerated || call.args.length === 0) return []
    const found = protos.get(service)
    const target = {
      text: found?.fullName ?? service,
      confidence: found === undefined ? 'medium' : 'high',
    } as const
    return [outboundAt(inside, call.line, target, { protocol: 'gRPC', type: 'Stub' })]
  })

export const PYTHON_GRPC: Framework = {
  name: 'gRPC',
  language: 'python',
  applies: importsModule(/grpc|_pb2/),
  inbound: addedServicers,
  outbound: stubs,
}
