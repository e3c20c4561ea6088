import type { Configuration } from '../source/configuration.ts'
import { type CallExpression, findAnnotation, type TypeUnit } from '../source/source-unit.ts'
import type { TypeScope } from '../source/type-scope.ts'
import type { Outbound } from './connections.ts'
import { entityOf } from './inbound-events.ts'
import { callerOf } from './outbound-http.ts'
import { repositoryKind } from './repository-kinds.ts'
import {
  CASSANDRA,
  ELASTICSEARCH,
  JDBC,
  JPA,
  MONGODB,
  NEO4J,
  R2DBC,
  REDIS,
  type StoreKind,
  storeTarget,
} from './store-kinds.ts'

interface DataClient {
  readonly store: StoreKind
  readonly type: string
}

const client = (store: StoreKind, type: string): DataClient => ({ store, type })

/** Store clients by the type of the receiver. */
const CLIENTS: Readonly<Record<string, DataClient>> = {
  JdbcTemplate: client(JDBC, 'JdbcTemplate'),
  JdbcOperations: client(JDBC, 'JdbcTemplate'),
  NamedParameterJdbcTemplate: client(JDBC, 'JdbcTemplate'),
  NamedParameterJdbcOperations: client(JDBC, 'JdbcTemplate'),
  SimpleJdbcInsert: client(JDBC, 'JdbcTemplate'),
  JdbcClient: client(JDBC, 'JdbcClient'),
  JdbcAggregateTemplate: client(JDBC, 'JdbcAggregateTemplate'),
  EntityManager: client(JPA, 'EntityManager'),
  DatabaseClient: client(R2DBC, 'DatabaseClient'),
  R2dbcEntityTemplate: client(R2DBC, 'R2dbcEntityTemplate'),
  R2dbcEntityOperations: client(R2DBC, 'R2dbcEntityTemplate'),
  MongoTemplate: client(MONGODB, 'MongoTemplate'),
  MongoOperations: client(MONGODB, 'MongoTemplate'),
  ReactiveMongoTemplate: client(MONGODB, 'MongoTemplate'),
  ReactiveMongoOperations: client(MONGODB, 'MongoTemplate'),
  RedisTemplate: client(REDIS, 'RedisTemplate'),
  RedisOperations: client(REDIS, 'RedisTemplate'),
  StringRedisTemplate: client(REDIS, 'RedisTemplate'),
  ReactiveRedisTemplate: client(REDIS, 'RedisTemplate'),
  ReactiveRedisOperations: client(REDIS, 'RedisTemplate'),
  ReactiveStringRedisTemplate: client(REDIS, 'RedisTemplate'),
  ElasticsearchOperations: client(ELASTICSEARCH, 'ElasticsearchOperations'),
  ReactiveElasticsearchOperations: client(ELASTICSEARCH, 'ElasticsearchOperations'),
  ElasticsearchTemplate: client(ELASTICSEARCH, 'ElasticsearchOperations'),
  ElasticsearchRestTemplate: client(ELASTICSEARCH, 'ElasticsearchOperations'),
  CassandraTemplate: client(CASSANDRA, 'CassandraTemplate'),
  ReactiveCassandraTemplate: client(CASSANDRA, 'CassandraTemplate'),
  Neo4jTemplate: client(NEO4J, 'Neo4jTemplate'),
  ReactiveNeo4jTemplate: client(NEO4J, 'Neo4jTemplate'),
  Neo4jClient: client(NEO4J, 'Neo4jClient'),
  ReactiveNeo4jClient: client(NEO4J, 'Neo4jClient'),
}

/** Methods that access the store. */
const STORE_METHODS =
  /^(query\w*|update|batchUpdate|execute|sql|persist|merge|find\w*|remove|create\w*Query|save\w*|insert\w*|upsert\w*|delete\w*|aggregate\w*|count|exists|opsFor\w+|select\w*|search\w*|index|expire)$/

/** One record for each store client that a type uses, at its first call. */
export const dataOutbound = (
  calls: readonly { readonly call: CallExpression; readonly scope: TypeScope }[],
  configuration: Configuration,
): readonly Outbound[] => {
  const found = new Map<string, Outbound>()
  for (const { call, scope } of calls) {
    if (call.receiver === undefined || !STORE_METHODS.test(call.name)) continue
    const name = scope.typeOf(call.receiver)
    const used = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined
    if (used === undefined || found.has(used.type)) continue
    found.set(used.type, {
      ...storeTarget(used.store, configuration, scope.unit.file),
      protocol: used.store.protocol,
      type: used.type,
      source_file: scope.unit.file,
      line: call.line,
      caller: callerOf(scope),
    })
  }
  return [...found.values()]
}

export const repositoryOutbound = (
  type: TypeUnit,
  configuration: Configuration,
  scope: TypeScope,
): readonly Outbound[] => {
  const hasSetting = ({ keys }: StoreKind) =>
    keys.some((key) => configuration.find(key, scope.unit.file) !== undefined)
  const found = repositoryKind(type, scope, hasSetting)
  if (found === undefined || findAnnotation(type.annotations, 'NoRepositoryBean') !== undefined) return []
  return [
    {
      ...storeTarget(found.store, configuration, scope.unit.file),
      protocol: found.store.protocol,
      type: found.type,
      source_file: scope.unit.file,
      line: type.line,
      caller: type.name,
      path: entityOf(type),
    },
  ]
}
