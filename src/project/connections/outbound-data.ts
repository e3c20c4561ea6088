import type { Configuration } from '../source/configuration.ts'
import { type CallExpression, findAnnotation, simpleName, type TypeUnit } from '../source/source-unit.ts'
import type { TypeScope } from '../source/type-scope.ts'
import { databaseOf } from './addresses.ts'
import type { Outbound } from './connections.ts'
import { entityOf } from './inbound-events.ts'
import { callerOf } from './outbound-http.ts'

interface DataClient {
  readonly protocol: string
  readonly type: string
  /** Settings that hold the address of the store; the first one present is used. */
  readonly keys: readonly string[]
}

const JDBC_KEYS = ['spring.datasource.url', 'spring.datasource.jdbc-url', 'quarkus.datasource.jdbc.url']
const MONGO_KEYS = ['spring.data.mongodb.uri', 'spring.data.mongodb.host']
const REDIS_KEYS = [
  'spring.data.redis.url',
  'spring.data.redis.host',
  'spring.redis.url',
  'spring.redis.host',
]
const R2DBC_KEYS = ['spring.r2dbc.url']
const SEARCH_KEYS = ['spring.elasticsearch.uris']

/** Store clients by the type of the receiver. */
const CLIENTS: Readonly<Record<string, DataClient>> = {
  JdbcTemplate: { protocol: 'JDBC', type: 'JdbcTemplate', keys: JDBC_KEYS },
  JdbcOperations: { protocol: 'JDBC', type: 'JdbcTemplate', keys: JDBC_KEYS },
  NamedParameterJdbcTemplate: { protocol: 'JDBC', type: 'JdbcTemplate', keys: JDBC_KEYS },
  JdbcClient: { protocol: 'JDBC', type: 'JdbcClient', keys: JDBC_KEYS },
  EntityManager: { protocol: 'JPA', type: 'EntityManager', keys: JDBC_KEYS },
  DatabaseClient: { protocol: 'R2DBC', type: 'DatabaseClient', keys: R2DBC_KEYS },
  R2dbcEntityTemplate: { protocol: 'R2DBC', type: 'R2dbcEntityTemplate', keys: R2DBC_KEYS },
  MongoTemplate: { protocol: 'MongoDB', type: 'MongoTemplate', keys: MONGO_KEYS },
  ReactiveMongoTemplate: { protocol: 'MongoDB', type: 'MongoTemplate', keys: MONGO_KEYS },
  RedisTemplate: { protocol: 'Redis', type: 'RedisTemplate', keys: REDIS_KEYS },
  StringRedisTemplate: { protocol: 'Redis', type: 'RedisTemplate', keys: REDIS_KEYS },
  ReactiveRedisTemplate: { protocol: 'Redis', type: 'RedisTemplate', keys: REDIS_KEYS },
  ReactiveStringRedisTemplate: { protocol: 'Redis', type: 'RedisTemplate', keys: REDIS_KEYS },
  ElasticsearchOperations: { protocol: 'Elasticsearch', type: 'ElasticsearchOperations', keys: SEARCH_KEYS },
}

/** Base types of repositories that a framework implements. */
const REPOSITORY_BASES: readonly (readonly [RegExp, DataClient])[] = [
  [/^(Reactive)?MongoRepository$/, { protocol: 'MongoDB', type: 'MongoRepository', keys: MONGO_KEYS }],
  [
    /^R2dbcRepository$|^ReactiveCrudRepository$|^CoroutineCrudRepository$/,
    { protocol: 'R2DBC', type: 'R2dbcRepository', keys: R2DBC_KEYS },
  ],
  [
    /^ElasticsearchRepository$/,
    { protocol: 'Elasticsearch', type: 'ElasticsearchRepository', keys: SEARCH_KEYS },
  ],
  [
    /^(Jpa|Crud|PagingAndSorting|ListCrud|JpaSpecificationExecutor|Panache)\w*Repository(Base)?$/,
    { protocol: 'JPA', type: 'JpaRepository', keys: JDBC_KEYS },
  ],
]

/** Methods that access the store. */
const STORE_METHODS =
  /^(query\w*|update|batchUpdate|execute|sql|persist|merge|find\w*|remove|create\w*Query|save\w*|insert\w*|upsert\w*|delete\w*|aggregate\w*|count|exists|opsFor\w+|select\w*|search\w*|index|expire)$/

const targetOf = (
  client: DataClient,
  configuration: Configuration,
  file: string,
): Pick<Outbound, 'target_service' | 'confidence' | 'origin'> => {
  for (const key of client.keys) {
    const setting = configuration.find(key, file)
    if (setting === undefined) continue
    const { text, complete } = configuration.fill(setting.value, file)
    return { target_service: databaseOf(text), confidence: complete ? 'medium' : 'low', origin: `\${${key}}` }
  }
  return { target_service: `${client.protocol} store`, confidence: 'low' }
}

/** One record for each store client that a type uses, at its first call. */
export const dataOutbound = (
  calls: readonly { readonly call: CallExpression; readonly scope: TypeScope }[],
  configuration: Configuration,
): readonly Outbound[] => {
  const found = new Map<string, Outbound>()
  for (const { call, scope } of calls) {
    if (call.receiver === undefined || !STORE_METHODS.test(call.name)) continue
    const type = scope.typeOf(call.receiver)
    const client = Object.hasOwn(CLIENTS, type) ? CLIENTS[type] : undefined
    if (client === undefined || found.has(client.type)) continue
    found.set(client.type, {
      ...targetOf(client, configuration, scope.unit.file),
      protocol: client.protocol,
      type: client.type,
      source_file: scope.unit.file,
      line: call.line,
      caller: callerOf(scope),
    })
  }
  return [...found.values()]
}

export const repositoryBase = (type: TypeUnit): DataClient | undefined =>
  [type.extends ?? '', ...type.implements]
    .map((name) => REPOSITORY_BASES.find(([pattern]) => pattern.test(simpleName(name)))?.[1])
    .find((one) => one !== undefined)

export const repositoryOutbound = (
  type: TypeUnit,
  configuration: Configuration,
  scope: TypeScope,
): readonly Outbound[] => {
  const base = repositoryBase(type)
  if (base === undefined || findAnnotation(type.annotations, 'NoRepositoryBean') !== undefined) return []
  return [
    {
      ...targetOf(base, configuration, scope.unit.file),
      protocol: base.protocol,
      type: base.type,
      source_file: scope.unit.file,
      line: type.line,
      caller: type.name,
      path: entityOf(type),
    },
  ]
}
