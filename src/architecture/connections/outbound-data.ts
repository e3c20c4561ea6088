import type { Configuration } from '../source/configuration.ts'
import { findAnnotation, type TypeUnit } from '../source/source-unit.ts'
import type { PlacedCall, TypeScope } from '../source/type-scope.ts'
import {
  CASSANDRA_STORE,
  type ConfiguredStore,
  ELASTICSEARCH_STORE,
  JDBC_STORE,
  JPA_STORE,
  MONGODB_STORE,
  NEO4J_STORE,
  R2DBC_STORE,
  REDIS_STORE,
  storeOutbound,
} from './configured-stores.ts'
import type { Outbound } from './framework.ts'
import { entityOf } from './inbound-events.ts'
import { repositoryKind, type StoreUser } from './repository-kinds.ts'

const typed = (store: ConfiguredStore, type: string): StoreUser => ({ store, type })

/** Store clients by the type of the receiver. */
const CLIENTS: Readonly<Record<string, StoreUser>> = {
  JdbcTemplate: typed(JDBC_STORE, 'JdbcTemplate'),
  JdbcOperations: typed(JDBC_STORE, 'JdbcTemplate'),
  NamedParameterJdbcTemplate: typed(JDBC_STORE, 'JdbcTemplate'),
  NamedParameterJdbcOperations: typed(JDBC_STORE, 'JdbcTemplate'),
  SimpleJdbcInsert: typed(JDBC_STORE, 'JdbcTemplate'),
  JdbcClient: typed(JDBC_STORE, 'JdbcClient'),
  JdbcAggregateTemplate: typed(JDBC_STORE, 'JdbcAggregateTemplate'),
  EntityManager: typed(JPA_STORE, 'EntityManager'),
  DatabaseClient: typed(R2DBC_STORE, 'DatabaseClient'),
  R2dbcEntityTemplate: typed(R2DBC_STORE, 'R2dbcEntityTemplate'),
  R2dbcEntityOperations: typed(R2DBC_STORE, 'R2dbcEntityTemplate'),
  MongoTemplate: typed(MONGODB_STORE, 'MongoTemplate'),
  MongoOperations: typed(MONGODB_STORE, 'MongoTemplate'),
  ReactiveMongoTemplate: typed(MONGODB_STORE, 'MongoTemplate'),
  ReactiveMongoOperations: typed(MONGODB_STORE, 'MongoTemplate'),
  RedisTemplate: typed(REDIS_STORE, 'RedisTemplate'),
  RedisOperations: typed(REDIS_STORE, 'RedisTemplate'),
  StringRedisTemplate: typed(REDIS_STORE, 'RedisTemplate'),
  ReactiveRedisTemplate: typed(REDIS_STORE, 'RedisTemplate'),
  ReactiveRedisOperations: typed(REDIS_STORE, 'RedisTemplate'),
  ReactiveStringRedisTemplate: typed(REDIS_STORE, 'RedisTemplate'),
  ElasticsearchOperations: typed(ELASTICSEARCH_STORE, 'ElasticsearchOperations'),
  ReactiveElasticsearchOperations: typed(ELASTICSEARCH_STORE, 'ElasticsearchOperations'),
  ElasticsearchTemplate: typed(ELASTICSEARCH_STORE, 'ElasticsearchOperations'),
  ElasticsearchRestTemplate: typed(ELASTICSEARCH_STORE, 'ElasticsearchOperations'),
  CassandraTemplate: typed(CASSANDRA_STORE, 'CassandraTemplate'),
  ReactiveCassandraTemplate: typed(CASSANDRA_STORE, 'CassandraTemplate'),
  Neo4jTemplate: typed(NEO4J_STORE, 'Neo4jTemplate'),
  ReactiveNeo4jTemplate: typed(NEO4J_STORE, 'Neo4jTemplate'),
  Neo4jClient: typed(NEO4J_STORE, 'Neo4jClient'),
  ReactiveNeo4jClient: typed(NEO4J_STORE, 'Neo4jClient'),
}

/** Methods that access the store. */
const STORE_METHODS =
  /^(query\w*|update|batchUpdate|execute|sql|persist|merge|find\w*|remove|create\w*Query|save\w*|insert\w*|upsert\w*|delete\w*|aggregate\w*|count|exists|opsFor\w+|select\w*|search\w*|index|expire)$/

/** One record for each store client that a type uses, at its first call. */
export const dataOutbound = (
  calls: readonly PlacedCall[],
  configuration: Configuration,
): readonly Outbound[] => {
  const found = new Map<string, Outbound>()
  for (const { call, scope } of calls) {
    if (call.receiver === undefined || !STORE_METHODS.test(call.name)) continue
    const name = scope.typeOf(call.receiver)
    const used = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined
    if (used === undefined || found.has(used.type)) continue
    found.set(used.type, storeOutbound(used, configuration, scope, call.line, scope.type?.name ?? ''))
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
  return [{ ...storeOutbound(found, configuration, scope, type.line, type.name), path: entityOf(type) }]
}
