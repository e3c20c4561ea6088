import { joinRoutes, plainAddress } from '../../connections/addresses.ts'
import { CreatedClients } from '../../connections/client-creations.ts'
import type { Outbound } from '../../connections/connections.ts'
import { type DetectionContext, type Framework, importsModule } from '../../connections/framework.ts'
import { type Method, NO_METHOD, type TypeUnit } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

/** Retrofit: an interface whose methods have an annotation with HTTP method and path. */

const VERBS = /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|HTTP)$/

const routeOf = (
  { annotations }: Method,
  scope: TypeScope,
  { resolver }: DetectionContext,
): readonly string[] =>
  annotations
    .filter(({ name }) => VERBS.test(name))
    .map(({ name, args }) => {
      const text = (key: string) => resolver.text(args.get(key), scope)?.text
      const path = (name === 'HTTP' ? text('path') : text('value')) ?? '{url}'
      const verb = name === 'HTTP' ? (text('method') ?? 'ANY') : name
      const isWhole = /^[a-z]+:\/\/|^\{/i.test(path)
      return `${verb} ${isWhole ? path : joinRoutes(path.replace(/\?.*$/, ''))}`
    })

const clientOf = (type: TypeUnit, scope: TypeScope, context: DetectionContext): readonly Outbound[] => {
  if (type.kind !== 'interface') return []
  const inside = scope.at(scope.unit, type, NO_METHOD)
  const calls = [...new Set(type.methods.flatMap((method) => routeOf(method, inside, context)))].sort()
  if (calls.length === 0) return []
  const base = new CreatedClients(context.resolver).baseOf(type.name, scope.index)
  const isKnown = base !== undefined && !base.text.startsWith('{')
  return [
    {
      target_service: isKnown ? plainAddress(base.text) : type.name,
      protocol: 'REST',
      type: 'Retrofit',
      source_file: scope.unit.file,
      line: type.line,
      caller: type.name,
      confidence: isKnown ? base.confidence : 'low',
      calls,
      ...(isKnown && base.origin !== undefined && { origin: base.origin }),
    },
  ]
}

export const RETROFIT: Omit<Framework, 'language'> = {
  name: 'Retrofit',
  applies: importsModule(/^retrofit2\.http\./),
  outbound: (scope, context) => scope.unit.types.flatMap((type) => clientOf(type, scope, context)),
}
