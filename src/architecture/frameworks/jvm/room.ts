import {
  type DetectionContext,
  type Framework,
  importsModule,
  type Outbound,
} from '../../connections/framework.ts'
import type { SourceIndex } from '../../source/source-index.ts'
import { findAnnotation, simpleName, type TypeUnit } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { functionsOf } from './route-functions.ts'

/** Room: databases of Android in SQLite, with a class for the database and an interface for each access object. */

const isRoom = importsModule(/^androidx\.room\./)

interface RoomDatabase {
  readonly type: TypeUnit
  /** The name of the file; undefined where no builder shows it. */
  readonly name?: string
}

const databases = new WeakMap<SourceIndex, readonly RoomDatabase[]>()

const builtNames = (scope: TypeScope, { resolver }: DetectionContext): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  for (const unit of scope.index.units.filter(isRoom))
    for (const { type, method } of functionsOf(unit))
      for (const { name, args } of method.calls) {
        if (name !== 'databaseBuilder') continue
        const made = args.flatMap((one) =>
          one.kind === 'other' ? [one.text.replace(/\.class$/, '')] : [],
        )[0]
        const file = resolver.text(args.at(-1), scope.at(unit, type, method))
        if (made !== undefined && file !== undefined && file.confidence !== 'low')
          names.set(simpleName(made), file.text)
      }
  return names
}

const databasesOf = (scope: TypeScope, context: DetectionContext): readonly RoomDatabase[] => {
  const known = databases.get(scope.index)
  if (known !== undefined) return known
  const names = builtNames(scope, context)
  const found = scope.index.units.filter(isRoom).flatMap(({ types }) =>
    types
      .filter(({ annotations }) => findAnnotation(annotations, 'Database') !== undefined)
      .map((type) => {
        const name = names.get(type.name)
        return { type, ...(name !== undefined && { name }) }
      }),
  )
  databases.set(scope.index, found)
  return found
}

/** The database whose class returns an access object. */
const databaseOfAccess = ({ name }: TypeUnit, all: readonly RoomDatabase[]): RoomDatabase | undefined =>
  all.find(({ type }) =>
    [...type.methods.map(({ returns }) => returns), ...type.fields.map((one) => one.type)].some(
      (returned) => simpleName(returned) === name,
    ),
  )

const outbound = (scope: TypeScope, context: DetectionContext): readonly Outbound[] =>
  scope.unit.types.flatMap((type) => {
    const all = databasesOf(scope, context)
    const own = all.find((one) => one.type === type)
    const isAccess = findAnnotation(type.annotations, 'Dao') !== undefined
    if (own === undefined && !isAccess) return []
    const database = own ?? databaseOfAccess(type, all)
    const label = database?.name ?? database?.type.name
    return [
      {
        target_service: label === undefined ? 'sqlite' : `sqlite:${label}`,
        protocol: 'SQL',
        type: 'Room',
        source_file: scope.unit.file,
        line: type.line,
        caller: type.name,
        confidence: database?.name === undefined ? ('medium' as const) : ('high' as const),
      },
    ]
  })

export const ROOM: Omit<Framework, 'language'> = { name: 'Room', applies: isRoom, outbound }
