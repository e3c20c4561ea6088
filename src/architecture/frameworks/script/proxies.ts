import type { FindIn } from '../../connections/framework.ts'
import { type Framework, importsModule, type Outbound } from '../../connections/framework.ts'
import { httpRecord } from '../../connections/outbound-http.ts'
import type { CallExpression, Expression } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { fileCalls } from '../../source/type-scope.ts'
import { optionIn } from './data-clients.ts'
import { isServiceAddress } from './http-clients.ts'

/** Servers that pass calls on: http-proxy-middleware, http-proxy, express-http-proxy and the proxy of Fastify. */

const MODULES =
  /^(http-proxy-middleware|http-proxy|express-http-proxy|@fastify\/http-proxy|fastify-http-proxy)$/

const importedFrom = (expression: Expression | undefined, { unit }: TypeScope): string => {
  const [name = ''] = expression?.kind === 'name' ? expression.name.split('.') : []
  return unit.bindings.get(name)?.module ?? ''
}

/** The library, and the expression of the address behind the proxy. */
const targetOf = (
  { name, receiver, args, makes }: CallExpression,
  scope: TypeScope,
): { readonly library: string; readonly target: Expression } | undefined => {
  if (makes) return undefined
  const own =
    receiver === undefined ? importedFrom({ kind: 'name', name }, scope) : importedFrom(receiver, scope)
  const [first] = args
  const registered = name === 'register' ? importedFrom(first, scope) : ''
  // `proxy.web(request, response, { target })`
  const isPassed = name === 'web' && importsModule(/^http-proxy$/)(scope.unit)
  const library = [own, registered, isPassed ? 'http-proxy' : ''].find((one) => MODULES.test(one))
  if (library === undefined) return undefined
  const target =
    library === 'express-http-proxy' ? first : (optionIn(args, 'target') ?? optionIn(args, 'upstream'))
  return target === undefined ? undefined : { library, target }
}

const passedOn: FindIn<CallExpression, readonly Outbound[]> = (call, outer, { resolver }) => {
  const scope = outer.atLine(call.line)
  const found = targetOf(call, scope)
  const address = found === undefined ? undefined : resolver.text(found.target, scope)
  if (found === undefined || address === undefined || !isServiceAddress(address.text)) return []
  const { text, confidence } = address
  return [httpRecord({ address: { text, confidence }, type: found.library, call, scope })]
}

export const SCRIPT_PROXIES: Framework = {
  name: 'http-proxy-middleware, express-http-proxy',
  language: 'script',
  applies: importsModule(MODULES),
  outbound: (scope, context) =>
    fileCalls(scope).flatMap(({ call, scope: inside }) => passedOn(call, inside, context)),
}
