import type { TypeUnit } from '../source/source-unit.ts'
import type { TextResolver } from '../source/text-resolver.ts'
import type { TypeScope } from '../source/type-scope.ts'
import { joinAddress, plainAddress } from './addresses.ts'
import type { Outbound } from './connections.ts'
import { prefixesOf, springRoutes } from './inbound-web.ts'

const CLIENTS: Readonly<Record<string, string>> = {
  FeignClient: 'FeignClient',
  RegisterRestClient: 'RestClient',
}

/** A declarative HTTP client. Its mapped methods are outbound calls, not endpoints. */
export const declaredClient = (
  type: TypeUnit,
  resolver: TextResolver,
  scope: TypeScope,
): readonly Outbound[] =>
  type.annotations.flatMap((annotation) => {
    const label = Object.hasOwn(CLIENTS, annotation.name) ? CLIENTS[annotation.name] : undefined
    if (label === undefined) return []
    const get = (...names: readonly string[]) =>
      names
        .map((name) => resolver.text(annotation.args.get(name), scope))
        .find((one) => one !== undefined && one.text !== '')
    const name = get('name', 'value', 'serviceId', 'contextId', 'configKey')
    const url = get('url', 'baseUri')
    const path = get('path')
    const target = name ?? (url === undefined ? undefined : { ...url, text: plainAddress(url.text) })
    const prefixes = prefixesOf(type, resolver, scope)
    const routes = type.methods.flatMap((method) => springRoutes(prefixes, method, resolver, scope))
    const calls = [
      ...new Set(routes.map((route) => `${route.method} ${joinAddress(path?.text ?? '', route.path)}`)),
    ].sort()
    const origin = [name?.origin, url?.origin].find((one) => one !== undefined)
    return [
      {
        target_service: target?.text ?? type.name,
        protocol: 'REST',
        type: label,
        source_file: scope.unit.file,
        line: type.line,
        caller: type.name,
        confidence: target?.confidence ?? 'low',
        ...(url !== undefined && { url: plainAddress(url.text) }),
        ...(path !== undefined && { path: path.text }),
        ...(calls.length > 0 && { calls }),
        ...(origin !== undefined && { origin }),
      },
    ]
  })
