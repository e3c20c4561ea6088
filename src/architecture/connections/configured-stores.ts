import type { Configuration } from '../source/configuration.ts'
import type { TypeScope } from '../source/type-scope.ts'
import { databaseOf } from './addresses.ts'
import type { Outbound } from './framework.ts'

/** Names of providers, for targets whose address is known only at run time. */
const TECHNOLOGIES: Readonly<Record<string, string>> = {
  postgresql: 'PostgreSQL',
  postgres: 'PostgreSQL',
  mysql: 'MySQL',
  sqlite: 'SQLite',
  sqlserver: 'SQL Server',
  mongodb: 'MongoDB',
  cockroachdb: 'CockroachDB',
}

const settingOf = (block: string, key: string): string | undefined =>
  new RegExp(`^[ \\t]*${key}[ \\t]*=[ \\t]*("[^"\\n]*"|env\\("\\w+"\\))`, 'm').exec(block)?.[1]

/** The data source of a Prisma schema: its provider, and its address or the environment variable that holds it. */
export const readPrismaSource = (file: string, text: string): readonly Outbound[] =>
  [...text.matchAll(/^datasource[ \t]+\w+[ \t]*\{([^}]{0,4000})\}/gm)].flatMap((found) => {
    const block = found[1] ?? ''
    const [, provider = ''] = /^"(\w+)"$/.exec(settingOf(block, 'provider') ?? '') ?? []
    const technology = Object.hasOwn(TECHNOLOGIES, provider) ? TECHNOLOGIES[provider] : undefined
    if (technology === undefined) return []
    const url = settingOf(block, 'url') ?? ''
    const [, literal] = /^"([^"]+)"$/.exec(url) ?? []
    const [, variable] = /^env\("(\w+)"\)$/.exec(url) ?? []
    return [
      {
        target_service:
          literal === undefined
            ? technology
            : databaseOf(technology === 'SQLite' ? literal.replace(/^file:/, 'sqlite:') : literal),
        protocol: technology === 'MongoDB' ? 'MongoDB' : 'SQL',
        type: 'Prisma',
        source_file: file,
        line: text.slice(0, found.index).split('\n').length,
        caller: '',
        confidence: literal === undefined ? ('low' as const) : ('high' as const),
        ...(variable !== undefined && { origin: `\${${variable}}` }),
      },
    ]
  })

/** A store as the detectors of Java and Kotlin name it. */
export interface ConfiguredStore {
  readonly protocol: string
  /** Settings that hold the address of the store; the first one present is used. */
  readonly keys: readonly string[]
}

const configuredStore = (protocol: string, ...keys: readonly string[]): ConfiguredStore => ({
  protocol,
  keys,
})

export const JDBC_STORE = configuredStore(
  'JDBC',
  'spring.datasource.url',
  'spring.datasource.jdbc-url',
  'quarkus.datasource.jdbc.url',
  'datasources.default.url',
  'spring.datasource.druid.url',
  'spring.datasource.druid.master.url',
  'spring.datasource.hikari.jdbc-url',
)
export const JPA_STORE: ConfiguredStore = { ...JDBC_STORE, protocol: 'JPA' }
export const R2DBC_STORE = configuredStore(
  'R2DBC',
  'spring.r2dbc.url',
  'r2dbc.datasources.default.url',
  'quarkus.datasource.reactive.url',
)
export const MONGODB_STORE = configuredStore(
  'MongoDB',
  'spring.data.mongodb.uri',
  'spring.mongodb.uri',
  'spring.data.mongodb.host',
  'spring.mongodb.host',
  'mongodb.uri',
  'quarkus.mongodb.connection-string',
)
export const REDIS_STORE = configuredStore(
  'Redis',
  'spring.data.redis.url',
  'spring.data.redis.host',
  'spring.redis.url',
  'spring.redis.host',
  'redis.uri',
  'quarkus.redis.hosts',
)
export const ELASTICSEARCH_STORE = configuredStore(
  'Elasticsearch',
  'spring.elasticsearch.uris',
  'spring.elasticsearch.rest.uris',
  'spring.data.elasticsearch.cluster-nodes',
  'quarkus.elasticsearch.hosts',
)
export const CASSANDRA_STORE = configuredStore(
  'Cassandra',
  'spring.cassandra.contact-points',
  'spring.data.cassandra.contact-points',
)
export const NEO4J_STORE = configuredStore(
  'Neo4j',
  'spring.neo4j.uri',
  'spring.data.neo4j.uri',
  'neo4j.uri',
  'quarkus.neo4j.uri',
)
export const COUCHBASE_STORE = configuredStore('Couchbase', 'spring.couchbase.connection-string')
export const DYNAMODB_STORE = configuredStore(
  'DynamoDB',
  'aws.dynamodb.endpoint.url',
  'spring.cloud.aws.dynamodb.endpoint',
)
export const COSMOS_STORE = configuredStore(
  'Cosmos DB',
  'spring.cloud.azure.cosmos.endpoint',
  'azure.cosmos.uri',
)
export const FIRESTORE_STORE = configuredStore('Firestore', 'spring.cloud.gcp.firestore.host-port')
export const S3_STORE = configuredStore('S3', 'spring.cloud.aws.s3.endpoint', 'quarkus.s3.endpoint-override')

/** The address of a store in the settings of the code that uses it. */
export const configuredTarget = (
  { protocol, keys }: ConfiguredStore,
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

/** A connection to the configured store. */
export const storeOutbound = (
  { store, type }: { readonly store: ConfiguredStore; readonly type: string },
  configuration: Configuration,
  { unit }: TypeScope,
  line: number,
  caller: string,
): Outbound => ({
  ...configuredTarget(store, configuration, unit.file),
  protocol: store.protocol,
  type,
  source_file: unit.file,
  line,
  caller,
})
