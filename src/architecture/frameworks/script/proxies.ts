import { plainAddress } from '../../connections/addresses.ts'
import {
  type DetectionContext,
  type Framework,
  importsModule,
  type Outbound,
} from '../../connections/framework.ts'
import { callsOf } from '../../connections/outbound-http.ts'
import type { CallExpression, Expression } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { isServiceAddress } from './http-clients.ts'

/** Servers that pass calls on: http-proxy-middleware, http-proxy, express-http-proxy and the proxy of Fastify. */

const MODULES =
  /^(http-proxy-middleware|http-proxy|express-http-proxy|@fastify\/http-proxy|fastify-http-proxy)$/

const optionOf = (args: readonly Expression[], name: string): Expression | undefined => {
  for (const one of args) {
    const value = one.kind === 'record' ? one.entries.get(name) : undefined
    if (value !== undefined) return value
  }
  return undefined
}

const moduleOf = (expression: Expression | undefined, { unit }: TypeScope): string => {
  const [name = ''] = expression?.kind === 'name' ? expression.name.split('.') : []
  return unit.bindings.get(name)?.module ?? ''
}

/** The library, and the expression of the address behind the proxy. */
const targetOf = (
  { name, receiver, args, makes }: CallExpression,
  scope: TypeScope,
): { readonly library: string; readonly target: Expression } | undefined => {
  if (makes) return undefined
  const own = receiver === undefined ? moduleOf({ kind: 'name', name }, scope) : moduleOf(receiver, scope)
  const [first] = args
  const registered = name === 'register' ? moduleOf(first, scope) : ''
  // `proxy.web(request, response, { target })`
  const isPassed = name === 'web' && importsModule(/^http-proxy$/)(scope.unit)
  const library = [own, registered, isPassed ? 'http-proxy' : ''].find((one) => MODULES.test(one))
  if (library === undefined) return undefined
  const target =
    library === 'express-http-proxy' ? first : (optionOf(args, 'target') ?? optionOf(args, 'upstream'))
  return target === undefined ? undefined : { library, target }
}

const passedOn = (
  call: CallExpression,
  outer: TypeScope,
  { resolver }: DetectionContext,
): readonly Outbound[] => {
  const scope = outer.atLine(call.line)
  const found = targetOf(call, scope)
  const address = found === undefined ? undefined : resolver.text(found.target, scope)
  if (found === undefined || address === undefined || !isServiceAddress(address.text)) return []
  return [
    {
      target_service: plainAddress(address.text),
      protocol: 'REST',
      type: found.library,
      source_file: scope.unit.file,
      line: call.line,
      caller: scope.type?.name ?? '',
      confidence: address.confidence,
    },
  ]
}

export const SCRIPT_PROXIES: Framework = {
  name: 'http-proxy-middleware, express-http-proxy',
  language: 'script',
  applies: importsModule(MODULES),
  outbound: (scope, context) => {
    const { unit } = scope
    const inTypes = unit.types.flatMap((type) => callsOf(type, scope.at(unit, type, unit.topLevel)))
    return [
      ...unit.topLevel.calls.flatMap((call) => passedOn(call, scope, context)),
      ...inTypes.flatMap(({ call, scope: inside }) => passedOn(call, inside, context)),
    ]
  },
}
