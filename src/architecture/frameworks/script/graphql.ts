import {
  type DetectionContext,
  type Framework,
  type Inbound,
  importsModule,
  inboundAt,
} from '../../connections/framework.ts'
import {
  type Annotation,
  type Expression,
  findAnnotation,
  type Method,
  nameIn,
  recordEntry,
  type SourceUnit,
  type TypeUnit,
  type Variable,
} from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

/** GraphQL operations: classes with `@Resolver`, and maps of resolvers beside a schema. */

const OPERATIONS: Readonly<Record<string, string>> = {
  Query: 'query',
  Mutation: 'mutation',
  Subscription: 'subscription',
}

const RESOLVERS = /resolvers?$/i
const importsGraphql = importsModule(/graphql|apollo/)
/** Records spread into each other. */
const MAX_DEPTH = 4

/** Queries, mutations and subscriptions of a class with `@Resolver`. */
const classOperation = (
  type: TypeUnit,
  { name: method, line }: Method,
  { name, args }: Annotation,
  scope: TypeScope,
  { resolver }: DetectionContext,
): readonly Inbound[] => {
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined
  if (operation === undefined || findAnnotation(type.annotations, 'Resolver') === undefined) return []
  const options = args.get('1')
  const first = args.get('value')
  const given =
    args.get('name') ?? recordEntry(options, 'name') ?? (first?.kind === 'text' ? first : undefined)
  const known = resolver.text(given, scope)
  const endpoint = { text: `${operation} ${known?.text ?? method}`, confidence: known?.confidence ?? 'high' }
  return [inboundAt(scope, line, endpoint, { protocol: 'GraphQL', handler: `${type.name}.${method}` })]
}

export const GRAPHQL_CLASSES: Framework = {
  name: 'NestJS GraphQL, TypeGraphQL',
  language: 'script',
  applies: ({ types }) =>
    types.some(({ annotations }) => findAnnotation(annotations, 'Resolver') !== undefined),
  inbound: (scope, context) =>
    scope.unit.types.flatMap((type) => {
      const inside = scope.at(scope.unit, type, scope.unit.topLevel)
      return type.methods.flatMap((method) =>
        method.annotations.flatMap((one) => classOperation(type, method, one, inside, context)),
      )
    }),
}

/** A record that an expression is or names, with the scope of its file. */
const recordOf = (value: Expression | undefined, scope: TypeScope, { modules }: DetectionContext) => {
  if (value?.kind === 'record') return { entries: value.entries, scope, line: undefined }
  if (value?.kind !== 'name') return undefined
  const { unit, name } = modules.declaration(value.name, scope.unit)
  const there = unit === scope.unit ? scope : scope.at(unit, undefined, unit.topLevel)
  for (const { value: found, line } of there.variables(name))
    if (found?.kind === 'record') return { entries: found.entries, scope: there, line }
  return undefined
}

/** The operations of one root type: `{ books: () => …, ...others }`. */
const fieldsOf = (
  operation: string,
  value: Expression | undefined,
  place: { readonly scope: TypeScope; readonly line: number },
  context: DetectionContext,
  depth = 0,
): readonly Inbound[] => {
  const record = depth > MAX_DEPTH ? undefined : recordOf(value, place.scope, context)
  if (record === undefined) return []
  const { scope } = record
  const line = record.line ?? place.line
  return [...record.entries].flatMap(([name, field]) => {
    if (name.startsWith('...')) return fieldsOf(operation, field, { scope, line }, context, depth + 1)
    if (field.kind === 'text' || field.kind === 'list') return []
    const at = (field.kind === 'other' ? field.lambda?.line : undefined) ?? line
    const endpoint = { text: `${operation} ${name}`, confidence: 'high' } as const
    return [inboundAt(scope, at, endpoint, { protocol: 'GraphQL', handler: nameIn(field) || name })]
  })
}

const hasOperations = (value: Expression | undefined): boolean =>
  value?.kind === 'record' && Object.keys(OPERATIONS).some((name) => value.entries.has(name))

/** `const resolvers = { Query: { … } }`, and the same as the only thing that a file exports. */
const isResolverMap = ({ name, value }: Variable, unit: SourceUnit): boolean =>
  hasOperations(value) &&
  (RESOLVERS.test(name) ||
    (/^(default|module\.exports)$/.test(name) &&
      (RESOLVERS.test(moduleName(unit.file)) || importsGraphql(unit))))

/** `src/users/resolvers.ts` and `src/resolvers/users.ts` both name resolvers. */
const moduleName = (file: string): string =>
  /(^|\/)resolvers?\//i.test(file) ? 'resolvers' : file.replace(/\.\w+$/, '')

/** `new ApolloServer({ resolvers: { Query: { … } } })` and `createSchema({ resolvers })`. */
const givenMaps = ({ topLevel }: SourceUnit) =>
  topLevel.calls.flatMap(({ args: [options], line }) => {
    const value = recordEntry(options, 'resolvers')
    return hasOperations(value) ? [{ value, line }] : []
  })

export const GRAPHQL_MAPS: Framework = {
  name: 'Apollo Server, GraphQL Yoga, GraphQL Tools',
  language: 'script',
  applies: (unit) =>
    unit.topLevel.locals.some((one) => isResolverMap(one, unit)) || givenMaps(unit).length > 0,
  inbound: (scope, context) => {
    const { unit } = scope
    const maps = [...unit.topLevel.locals.filter((one) => isResolverMap(one, unit)), ...givenMaps(unit)]
    return maps.flatMap(({ value, line }) =>
      Object.entries(OPERATIONS).flatMap(([type, operation]) =>
        value?.kind === 'record'
          ? fieldsOf(operation, value.entries.get(type), { scope, line }, context)
          : [],
      ),
    )
  },
}
