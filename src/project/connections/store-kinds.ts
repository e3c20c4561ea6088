import type { Configuration } from '../source/configuration.ts'
import { databaseOf } from './addresses.ts'
import type { Outbound } from './connections.ts'

/** A store as the detectors of Java and Kotlin name it. */
export interface StoreKind {
  readonly protocol: string
  /** Settings that hold the address of the store; the first one present is used. */
  readonly keys: readonly string[]
}

export const JDBC: StoreKind = {
  protocol: 'JDBC',
  keys: [
    'spring.datasource.url',
    'spring.datasource.jdbc-url',
    'quarkus.datasource.jdbc.url',
    'datasources.default.url',
    'spring.datasource.druid.url',
    'spring.datasource.druid.master.url',
    'spring.datasource.hikari.jdbc-url',
  ],
}
export const JPA: StoreKind = { ...JDBC, protocol: 'JPA' }
export const R2DBC: StoreKind = {
  protocol: 'R2DBC',
  keys: ['spring.r2dbc.url', 'r2dbc.datasources.default.url', 'quarkus.datasource.reactive.url'],
}
export const MONGODB: StoreKind = {
  protocol: 'MongoDB',
  keys: [
    'spring.data.mongodb.uri',
    'spring.mongodb.uri',
    'spring.data.mongodb.host',
    'spring.mongodb.host',
    'mongodb.uri',
    'quarkus.mongodb.connection-string',
  ],
}
export const REDIS: StoreKind = {
  protocol: 'Redis',
  keys: [
    'spring.data.redis.url',
    'spring.data.redis.host',
    'spring.redis.url',
    'spring.redis.host',
    'redis.uri',
    'quarkus.redis.hosts',
  ],
}
export const ELASTICSEARCH: StoreKind = {
  protocol: 'Elasticsearch',
  keys: [
    'spring.elasticsearch.uris',
    'spring.elasticsearch.rest.uris',
    'spring.data.elasticsearch.cluster-nodes',
    'quarkus.elasticsearch.hosts',
  ],
}
export const CASSANDRA: StoreKind = {
  protocol: 'Cassandra',
  keys: ['spring.cassandra.contact-points', 'spring.data.cassandra.contact-points'],
}
export const NEO4J: StoreKind = {
  protocol: 'Neo4j',
  keys: ['spring.neo4j.uri', 'spring.data.neo4j.uri', 'neo4j.uri', 'quarkus.neo4j.uri'],
}
export const COUCHBASE: StoreKind = { protocol: 'Couchbase', keys: ['spring.couchbase.connection-string'] }
export const DYNAMODB: StoreKind = {
  protocol: 'DynamoDB',
  keys: ['aws.dynamodb.endpoint.url', 'spring.cloud.aws.dynamodb.endpoint'],
}
export const S3: StoreKind = {
  protocol: 'S3',
  keys: ['spring.cloud.aws.s3.endpoint', 'quarkus.s3.endpoint-override'],
}

/** The address of a store in the settings of the code that uses it. */
export const storeTarget = (
  { protocol, keys }: StoreKind,
  configuration: Configuration,
  file: string,
): Pick<Outbound, 'target_service' | 'confidence' | 'origin'> => {
  for (const key of keys) {
    const setting = configuration.find(key, file) ?? configuration.find(`${key}[0]`, file)
    if (setting === undefined) continue
    const { text, complete } = configuration.fill(setting.value, file)
    return { target_service: databaseOf(text), confidence: complete ? 'medium' : 'low', origin: `\${${key}}` }
  }
  return { target_service: `${protocol} store`, confidence: 'low' }
}
