import type { Outbound } from '../../connections/connections.ts'
import { type DetectionContext, type Framework, importsModule } from '../../connections/framework.ts'
import { httpRecord, withBase } from '../../connections/outbound-http.ts'
import type { CallExpression } from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { functionsOf } from './route-functions.ts'

const REQUESTS: Readonly<Record<string, string>> = {
  get: 'GET',
  post: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  head: 'HEAD',
  prepareGet: 'GET',
  preparePost: 'POST',
  submitForm: 'POST',
  submitFormWithBinaryData: 'POST',
  request: '',
  prepareRequest: '',
  webSocket: '',
  wss: '',
}

/** Whether a call stands in the lambda of another one. */
const isInside = (call: CallExpression, outer: CallExpression): boolean =>
  (call.within ?? []).some(({ args, line }) => args === outer.args && line === outer.line)

const defaults = new WeakMap<object, readonly { readonly file: string; readonly address: KnownText }[]>()

/** Addresses in `defaultRequest { url("…") }`, to which requests add their paths. */
const defaultAddresses = (scope: TypeScope, { resolver }: DetectionContext) => {
  const known = defaults.get(scope.index)
  if (known !== undefined) return known
  const found = scope.index.units.filter(CLIENT).flatMap((unit) =>
    [
      ...functionsOf(unit),
      ...unit.types.map((type) => ({ unit, type, method: { ...unit.topLevel, calls: type.calls } })),
    ].flatMap(({ type, method }) =>
      method.calls
        .filter(
          ({ name, within = [] }) => name === 'url' && within.some((one) => one.name === 'defaultRequest'),
        )
        .flatMap((call) => {
          const address = resolver.text(call.args[0], scope.at(unit, type, method))
          return address === undefined ? [] : [{ file: unit.file, address }]
        }),
    ),
  )
  defaults.set(scope.index, found)
  return found
}

const baseOf = (scope: TypeScope, context: DetectionContext): KnownText | undefined => {
  const all = defaultAddresses(scope, context)
  return (all.find(({ file }) => file === scope.unit.file) ?? (all.length === 1 ? all[0] : undefined))
    ?.address
}

const CLIENT = importsModule(/^io\.ktor\.client\./)

const requestOf = (
  call: CallExpression,
  calls: readonly CallExpression[],
  scope: TypeScope,
  context: DetectionContext,
): readonly Outbound[] => {
  const verb = Object.hasOwn(REQUESTS, call.name) ? REQUESTS[call.name] : undefined
  if (verb === undefined || scope.typeOf(call.receiver) !== 'HttpClient') return []
  const inside = calls.filter((one) => isInside(one, call))
  const given =
    call.args.find(({ kind }) => kind !== 'other') ?? inside.find(({ name }) => name === 'url')?.args[0]
  const path =
    given === undefined ? { text: '', confidence: 'low' as const } : context.resolver.text(given, scope)
  if (path === undefined) return []
  const isWhole = /^[a-z]+:\/\/|^\$?\{/i.test(path.text)
  const address = withBase(isWhole ? undefined : baseOf(scope, context), path)
  return [httpRecord({ address, type: 'Ktor client', call, verb, scope })]
}

export const KTOR_CLIENT: Framework = {
  name: 'Ktor client',
  language: 'kotlin',
  applies: CLIENT,
  outbound: (scope, context) =>
    functionsOf(scope.unit).flatMap(({ type, method }) =>
      method.calls.flatMap((call) =>
        requestOf(call, method.calls, scope.at(scope.unit, type, method), context),
      ),
    ),
}
