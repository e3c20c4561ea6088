import type { Configuration } from '../source/configuration.ts'
import { type CallExpression, findAnnotation, type TypeUnit } from '../source/source-unit.ts'
import type { TypeScope } from '../source/type-scope.ts'
import {
  CASSANDRA_STORE,
  type ConfiguredStore,
  configuredTarget,
  ELASTICSEARCH_STORE,
  JDBC_STORE,
  JPA_STORE,
  MONGODB_STORE,
  NEO4J_STORE,
  R2DBC_STORE,
  REDIS_STORE,
} from './configured-stores.ts'
import type { Outbound } from './framework.ts'
import { entityOf } from './inbound-events.ts'
import { callerOf } from './outbound-http.ts'
import { repositoryKind } from './repository-kinds.ts'

interface DataClient {
  readonly store: ConfiguredStore
  readonly type: string
}

const client = (store: ConfiguredStore, type: string): DataClient => ({ store, type })

/** Store clients by the type of the receiver. */
const CLIENTS: Readonly<Record<string, DataClient>> = {
  JdbcTemplate: client(JDBC_STORE, 'JdbcTemplate'),
  JdbcOperations: client(JDBC_STORE, 'JdbcTemplate'),
  NamedParameterJdbcTemplate: client(JDBC_STORE, 'JdbcTemplate'),
  NamedParameterJdbcOperations: client(JDBC_STORE, 'JdbcTemplate'),
  SimpleJdbcInsert: client(JDBC_STORE, 'JdbcTemplate'),
  JdbcClient: client(JDBC_STORE, 'JdbcClient'),
  JdbcAggregateTemplate: client(JDBC_STORE, 'JdbcAggregateTemplate'),
  EntityManager: client(JPA_STORE, 'EntityManager'),
  DatabaseClient: client(R2DBC_STORE, 'DatabaseClient'),
  R2dbcEntityTemplate: client(R2DBC_STORE, 'R2dbcEntityTemplate'),
  R2dbcEntityOperations: client(R2DBC_STORE, 'R2dbcEntityTemplate'),
  MongoTemplate: client(MONGODB_STORE, 'MongoTemplate'),
  MongoOperations: client(MONGODB_STORE, 'MongoTemplate'),
  ReactiveMongoTemplate: client(MONGODB_STORE, 'MongoTemplate'),
  ReactiveMongoOperations: client(MONGODB_STORE, 'MongoTemplate'),
  RedisTemplate: client(REDIS_STORE, 'RedisTemplate'),
  RedisOperations: client(REDIS_STORE, 'RedisTemplate'),
  StringRedisTemplate: client(REDIS_STORE, 'RedisTemplate'),
  ReactiveRedisTemplate: client(REDIS_STORE, 'RedisTemplate'),
  ReactiveRedisOperations: client(REDIS_STORE, 'RedisTemplate'),
  ReactiveStringRedisTemplate: client(REDIS_STORE, 'RedisTemplate'),
  ElasticsearchOperations: client(ELASTICSEARCH_STORE, 'ElasticsearchOperations'),
  ReactiveElasticsearchOperations: client(ELASTICSEARCH_STORE, 'ElasticsearchOperations'),
  ElasticsearchTemplate: client(ELASTICSEARCH_STORE, 'ElasticsearchOperations'),
  ElasticsearchRestTemplate: client(ELASTICSEARCH_STORE, 'ElasticsearchOperations'),
  CassandraTemplate: client(CASSANDRA_STORE, 'CassandraTemplate'),
  ReactiveCassandraTemplate: client(CASSANDRA_STORE, 'CassandraTemplate'),
  Neo4jTemplate: client(NEO4J_STORE, 'Neo4jTemplate'),
  ReactiveNeo4jTemplate: client(NEO4J_STORE, 'Neo4jTemplate'),
  Neo4jClient: client(NEO4J_STORE, 'Neo4jClient'),
  ReactiveNeo4jClient: client(NEO4J_STORE, 'Neo4jClient'),
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
      ...configuredTarget(used.store, configuration, scope.unit.file),
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
  const hasSetting = ({ keys }: ConfiguredStore) =>
    keys.some((key) => configuration.find(key, scope.unit.file) !== undefined)
  const found = repositoryKind(type, scope, hasSetting)
  if (found === undefined || findAnnotation(type.annotations, 'NoRepositoryBean') !== undefined) return []
  return [
    {
      ...configuredTarget(found.store, configuration, scope.unit.file),
      protocol: found.store.protocol,
      type: found.type,
      source_file: scope.unit.file,
      line: type.line,
      caller: type.name,
      path: entityOf(type),
    },
  ]
}
