import {
  type DetectionContext,
  type Framework,
  importsModule,
  type Outbound,
} from '../../connections/framework.ts'
import type { Variable } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

/** DataStore of Android: `val Context.settings by preferencesDataStore(name = "settings")`. */

const stored = (
  { value, line }: Variable,
  scope: TypeScope,
  { resolver }: DetectionContext,
): readonly Outbound[] => {
  if (value?.kind !== 'call' || !/^(preferencesDataStore|dataStore)$/.test(value.call.name)) return []
  const name = resolver.text(value.call.args[0], scope)
  if (name === undefined) return []
  return [
    {
      target_service: name.text,
      protocol: 'DataStore',
      type: 'DataStore',
      source_file: scope.unit.file,
      line,
      caller: scope.type?.name ?? '',
      confidence: name.confidence,
    },
  ]
}

export const DATA_STORE: Framework = {
  name: 'DataStore',
  language: 'kotlin',
  applies: importsModule(/^androidx\.datastore\./),
  outbound: (scope, context) => [
    ...scope.method.locals.flatMap((one) => stored(one, scope, context)),
    ...scope.unit.types.flatMap((type) => {
      const inside = scope.at(scope.unit, type, scope.method)
      return type.fields.flatMap((one) => stored(one, inside, context))
    }),
  ],
}
