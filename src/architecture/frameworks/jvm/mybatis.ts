import { configuredTarget, JDBC_STORE } from '../../connections/configured-stores.ts'
import type { DetectionContext, Framework, Outbound } from '../../connections/framework.ts'
import { entityOf } from '../../connections/inbound-events.ts'
import type { SourceIndex } from '../../source/source-index.ts'
import {
  type Expression,
  findAnnotation,
  type SourceUnit,
  simpleName,
  type TypeUnit,
} from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

/** MyBatis: interfaces whose statements are in annotations or XML files. */

const packages = new WeakMap<SourceIndex, readonly RegExp[]>()

const textsIn = (one: Expression | undefined): readonly string[] =>
  one?.kind === 'list' ? one.items.flatMap(textsIn) : one?.kind === 'text' ? [one.text] : []

/** `com.shop.*.mapper` matches any package in the place of the star. */
const packagePattern = (name: string): RegExp =>
  new RegExp(
    `^${name
      .replace(/[^\w.*]/g, '')
      .replaceAll('.', '\\.')
      .replace(/\*+/g, '[\\w.]*')}(\\.|$)`,
  )

/** Packages that `@MapperScan` names. */
const scannedPackages = (index: SourceIndex): readonly RegExp[] => {
  const known = packages.get(index)
  if (known !== undefined) return known
  const found = index.units.flatMap(({ types }) =>
    types.flatMap(({ annotations }) => {
      const scan = findAnnotation(annotations, 'MapperScan')
      return [scan?.args.get('value'), scan?.args.get('basePackages')].flatMap(textsIn).map(packagePattern)
    }),
  )
  packages.set(index, found)
  return found
}

const isMapper = (type: TypeUnit, unit: SourceUnit, index: SourceIndex): boolean =>
  type.kind === 'interface' &&
  ((findAnnotation(type.annotations, 'Mapper') !== undefined &&
    unit.imports.some((name) => name.startsWith('org.apache.ibatis.'))) ||
    (type.implements.some((name) => simpleName(name) === 'BaseMapper') &&
      unit.imports.some((name) => /mybatis/.test(name))) ||
    scannedPackages(index).some((pattern) => pattern.test(unit.package)))

const outbound = (scope: TypeScope, { resolver }: DetectionContext): readonly Outbound[] =>
  scope.unit.types
    .filter((type) => isMapper(type, scope.unit, scope.index))
    .map((type) => ({
      ...configuredTarget(JDBC_STORE, resolver.configuration, scope.unit.file),
      protocol: JDBC_STORE.protocol,
      type: 'MyBatis',
      source_file: scope.unit.file,
      line: type.line,
      caller: type.name,
      ...(type.implements.length > 0 && { path: entityOf(type) }),
    }))

export const MYBATIS: Omit<Framework, 'language'> = {
  name: 'MyBatis',
  applies: ({ types, imports }) =>
    types.some(({ kind }) => kind === 'interface') &&
    (/(mapper|dao)$/i.test(types[0]?.name ?? '') || imports.some((name) => /ibatis|mybatis/.test(name))),
  outbound,
}
