import { findAnnotation, type SourceUnit, simpleName, type TypeUnit } from '../source/source-unit.ts'
import type { TypeScope } from '../source/type-scope.ts'
import {
  CASSANDRA_STORE,
  COSMOS_STORE,
  COUCHBASE_STORE,
  type ConfiguredStore,
  ELASTICSEARCH_STORE,
  FIRESTORE_STORE,
  JDBC_STORE,
  JPA_STORE,
  MONGODB_STORE,
  NEO4J_STORE,
  R2DBC_STORE,
  REDIS_STORE,
} from './configured-stores.ts'
import { entityOf } from './inbound-events.ts'

/** A client of a store, or a repository that a framework implements. */
export interface StoreUser {
  readonly store: ConfiguredStore
  readonly type: string
}

interface RepositoryBase extends StoreUser {
  readonly base: RegExp
  /** The store is known by the entity only: the base type is the same for all. */
  readonly open?: true
}

const base = (base: RegExp, store: ConfiguredStore, type: string): RepositoryBase => ({ base, store, type })

const BASES: readonly RepositoryBase[] = [
  base(/^(Reactive)?MongoRepository$/, MONGODB_STORE, 'MongoRepository'),
  base(/^(Reactive)?CosmosRepository$/, COSMOS_STORE, 'CosmosRepository'),
  base(/^FirestoreReactiveRepository$/, FIRESTORE_STORE, 'FirestoreRepository'),
  base(/^(Reactive)?PanacheMongo(Repository|Entity)(Base)?$/, MONGODB_STORE, 'Panache'),
  base(/^(Reactive)?ElasticsearchRepository$/, ELASTICSEARCH_STORE, 'ElasticsearchRepository'),
  base(/^(Reactive|MapId)?CassandraRepository$/, CASSANDRA_STORE, 'CassandraRepository'),
  base(/^(Reactive)?Neo4jRepository$/, NEO4J_STORE, 'Neo4jRepository'),
  base(/^(Reactive)?CouchbaseRepository$/, COUCHBASE_STORE, 'CouchbaseRepository'),
  base(/^R2dbcRepository$/, R2DBC_STORE, 'R2dbcRepository'),
  base(/^Panache(Repository|Entity)(Base)?$/, JPA_STORE, 'Panache'),
  {
    ...base(
      /^(Reactive|Coroutine|RxJava\d)(Crud|Sorting|PagingAndSorting|Pageable)Repository$/,
      R2DBC_STORE,
      'R2dbcRepository',
    ),
    open: true,
  },
  { ...base(/^(List)?(Crud|PagingAndSorting)Repository$/, JPA_STORE, 'JpaRepository'), open: true },
  base(
    /^(Jpa|Crud|PagingAndSorting|ListCrud|JpaSpecificationExecutor)\w*Repository(Base)?$/,
    JPA_STORE,
    'JpaRepository',
  ),
]

/** Spring Data's marker interface has a name that many types have. */
const MARKER: RepositoryBase = { base: /^Repository$/, store: JPA_STORE, type: 'JpaRepository', open: true }

const importsMarker = ({ imports }: SourceUnit): boolean =>
  imports.some((name) => /^org\.springframework\.data\.repository\.(Repository|\*)$/.test(name))

const basesOf = (type: TypeUnit): readonly string[] => [type.extends ?? '', ...type.implements]

const repositoryBase = (type: TypeUnit, unit: SourceUnit): RepositoryBase | undefined => {
  const known = importsMarker(unit) ? [...BASES, MARKER] : BASES
  for (const name of basesOf(type)) {
    const found = known.find(({ base }) => base.test(simpleName(name)))
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether a type is a repository, by its base type. Entities of Panache are not. */
export const isRepository = (type: TypeUnit, unit: SourceUnit): boolean =>
  basesOf(type).some((name) => /Repository(Base)?$/.test(simpleName(name))) &&
  repositoryBase(type, unit) !== undefined

interface StoreMark extends StoreUser {
  readonly imports: RegExp
  readonly annotations: readonly string[]
}

const mark = (
  imports: RegExp,
  annotations: readonly string[],
  store: ConfiguredStore,
  type: string,
): StoreMark => ({ imports, annotations, store, type })

/** Annotations of entities, with the package they come from: `@Document` and `@Table` belong to several stores. */
const MARKS: readonly StoreMark[] = [
  mark(/^org\.springframework\.data\.mongodb\./, ['Document'], MONGODB_STORE, 'MongoRepository'),
  mark(
    /^org\.springframework\.data\.elasticsearch\./,
    ['Document'],
    ELASTICSEARCH_STORE,
    'ElasticsearchRepository',
  ),
  mark(/^org\.springframework\.data\.couchbase\./, ['Document'], COUCHBASE_STORE, 'CouchbaseRepository'),
  mark(/^org\.springframework\.data\.redis\./, ['RedisHash'], REDIS_STORE, 'RedisRepository'),
  mark(/^org\.springframework\.data\.neo4j\./, ['Node', 'NodeEntity'], NEO4J_STORE, 'Neo4jRepository'),
  mark(/^org\.springframework\.data\.cassandra\./, ['Table'], CASSANDRA_STORE, 'CassandraRepository'),
  mark(/^(javax|jakarta)\.persistence\./, ['Entity', 'MappedSuperclass'], JPA_STORE, 'JpaRepository'),
  mark(
    /^org\.springframework\.data\.(relational|annotation|jdbc)\./,
    ['Table', 'Id'],
    JDBC_STORE,
    'JdbcRepository',
  ),
]

/** Annotations of Micronaut Data on the repository itself. */
const ANNOTATED: Readonly<Record<string, StoreUser>> = {
  MongoRepository: { store: MONGODB_STORE, type: 'MongoRepository' },
  JdbcRepository: { store: JDBC_STORE, type: 'JdbcRepository' },
  R2dbcRepository: { store: R2DBC_STORE, type: 'R2dbcRepository' },
}

const fits =
  ({ annotations, fields }: TypeUnit, { imports }: SourceUnit) =>
  (mark: StoreMark): boolean =>
    imports.some((name) => mark.imports.test(name)) &&
    (findAnnotation(annotations, ...mark.annotations) !== undefined ||
      (mark.annotations.includes('Id') &&
        fields.some((one) => findAnnotation(one.annotations, 'Id') !== undefined)))

/** The store of a repository whose base type fits all: by its entity, its imports, or the settings of its module. */
const openKind = (
  type: TypeUnit,
  base: RepositoryBase,
  scope: TypeScope,
  hasSetting: HasSetting,
): StoreUser => {
  const entity = scope.index.find(entityOf(type), scope.unit)
  const mark =
    (entity === undefined ? undefined : MARKS.find(fits(entity.type, entity.unit))) ??
    MARKS.find(
      ({ imports, store }) => store !== JDBC_STORE && scope.unit.imports.some((name) => imports.test(name)),
    )
  if (mark?.store === JDBC_STORE) return base.store === R2DBC_STORE ? base : mark
  if (mark !== undefined) return mark
  if (hasSetting(base.store)) return base
  return MARKS.find(({ store }) => store !== JDBC_STORE && store !== JPA_STORE && hasSetting(store)) ?? base
}

type HasSetting = (store: ConfiguredStore) => boolean

const MAX_DEPTH = 4

/** The repository that a type is; its base type may be one of the project. */
export const repositoryKind = (
  type: TypeUnit,
  scope: TypeScope,
  hasSetting: HasSetting,
  depth = 0,
): StoreUser | undefined => {
  const annotated = type.annotations.find(({ name }) => Object.hasOwn(ANNOTATED, name))
  if (annotated !== undefined && type.kind === 'interface') return ANNOTATED[annotated.name]
  const base = repositoryBase(type, scope.unit)
  if (base !== undefined) return base.open === true ? openKind(type, base, scope, hasSetting) : base
  if (type.kind !== 'interface' || depth >= MAX_DEPTH) return undefined
  for (const name of type.implements) {
    const place = scope.index.find(name, scope.unit)
    const found =
      place === undefined || place.type === type
        ? undefined
        : repositoryKind(place.type, scope.at(place.unit, place.type, scope.method), hasSetting, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}
