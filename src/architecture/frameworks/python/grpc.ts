import {
  type DetectionContext,
  type Framework,
  type Inbound,
  importsModule,
  type Outbound,
} from '../../connections/framework.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { positional, pythonCalls } from './python-calls.ts'

/** Generated code: `add_CartServicer_to_server(impl, server)` and `CartStub(channel)`. */

const registered = (scope: TypeScope, { protos }: DetectionContext): readonly Inbound[] =>
  pythonCalls(scope).flatMap(({ call }) => {
    const [, service] = /^add_(\w+)Servicer_to_server$/.exec(call.name) ?? []
    if (service === undefined || call.args.length < 2) return []
    const found = protos.get(service)
    const endpoints = found?.methods.map((one) => `${found.fullName}/${one}`) ?? [service]
    const made = positional(call.args, 0)
    const handler = made?.kind === 'call' ? made.call.name : made?.kind === 'name' ? made.name : ''
    return endpoints.map((endpoint) => ({
      protocol: 'gRPC',
      endpoint,
      source_file: scope.unit.file,
      line: call.line,
      handler,
      confidence: found === undefined ? ('medium' as const) : ('high' as const),
    }))
  })

const clients = (scope: TypeScope, { protos }: DetectionContext): readonly Outbound[] =>
  pythonCalls(scope).flatMap(({ call, scope: inside }) => {
    const [, service] = /^(\w+)Stub$/.exec(call.name) ?? []
    // A stub takes a channel: generated modules are named `…_pb2_grpc`.
    const isGenerated = scope.unit.imports.some((name) => /_pb2_grpc$|grpc/.test(name))
    if (service === undefined || !isGenerated || call.args.length === 0) return []
    return [
      {
        target_service: protos.get(service)?.fullName ?? service,
        protocol: 'gRPC',
        type: 'Stub',
        source_file: scope.unit.file,
        line: call.line,
        caller: inside.type?.name ?? '',
        confidence: protos.has(service) ? ('high' as const) : ('medium' as const),
      },
    ]
  })

export const PYTHON_GRPC: Framework = {
  name: 'gRPC',
  language: 'python',
  applies: importsModule(/grpc|_pb2/),
  inbound: registered,
  outbound: clients,
}
