import {
  CASSANDRA_STORE,
  COSMOS_STORE,
  type ConfiguredStore,
  DYNAMODB_STORE,
  ELASTICSEARCH_STORE,
  FIRESTORE_STORE,
  JDBC_STORE,
  JPA_STORE,
  MONGODB_STORE,
  NEO4J_STORE,
  REDIS_STORE,
  S3_STORE,
  storeOutbound,
} from '../../connections/configured-stores.ts'
import type { DetectionContext, Framework, Outbound } from '../../connections/framework.ts'
import { simpleName, type TypeUnit, type Variable } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

/** Clients of stores that a class holds: a field or a parameter of its constructor has the type of the library. */

interface StoreClient {
  readonly packages: RegExp
  /** Simple names of the types. */
  readonly types: RegExp
  readonly store: ConfiguredStore
}

const held = (packages: RegExp, types: RegExp, store: ConfiguredStore): StoreClient => ({
  packages,
  types,
  store,
})

const LIBRARIES: Readonly<Record<string, readonly StoreClient[]>> = {
  'AWS SDK': [
    held(/^software\.amazon\.awssdk\.services\.s3$/, /^S3(Async)?Client$/, S3_STORE),
    held(/^com\.amazonaws\.services\.s3$/, /^AmazonS3(Client)?$/, S3_STORE),
    held(/^io\.awspring\.cloud\.s3$/, /^S3(Template|Operations)$/, S3_STORE),
    held(/^software\.amazon\.awssdk\.services\.dynamodb$/, /^DynamoDb(Async)?Client$/, DYNAMODB_STORE),
    held(/^software\.amazon\.awssdk\.enhanced\.dynamodb$/, /^DynamoDb\w*(Client|Table)$/, DYNAMODB_STORE),
    held(/^com\.amazonaws\.services\.dynamodbv2(\.document)?$/, /^(Amazon)?DynamoDB$/, DYNAMODB_STORE),
  ],
  MinIO: [held(/^io\.minio$/, /^Minio(Async)?Client$/, S3_STORE)],
  'Redis clients': [
    held(/^redis\.clients\.jedis$/, /^(Jedis|JedisPool|JedisPooled|UnifiedJedis|JedisCluster)$/, REDIS_STORE),
    held(/^org\.redisson\.api$/, /^Redisson(Reactive)?Client$/, REDIS_STORE),
    held(/^io\.lettuce\.core(\.api)?$/, /^(RedisClient|StatefulRedisConnection)$/, REDIS_STORE),
  ],
  'MongoDB driver': [
    held(/^com\.mongodb\.(\w+\.)*client(\.\w+)*$/, /^Mongo(Client|Database|Collection)$/, MONGODB_STORE),
  ],
  'Elasticsearch clients': [
    held(/^co\.elastic\.clients\.elasticsearch$/, /^Elasticsearch(Async)?Client$/, ELASTICSEARCH_STORE),
    held(/^org\.elasticsearch\.client$/, /^RestHighLevelClient$/, ELASTICSEARCH_STORE),
    held(/^org\.opensearch\.client\.opensearch$/, /^OpenSearchClient$/, ELASTICSEARCH_STORE),
  ],
  'Cassandra driver': [held(/^com\.datastax\.oss\.driver\.api\.core$/, /^CqlSession$/, CASSANDRA_STORE)],
  'Azure Cosmos DB': [
    held(/^com\.azure\.cosmos$/, /^Cosmos(Async)?(Client|Database|Container)$/, COSMOS_STORE),
    held(/^com\.azure\.spring\.data\.cosmos\.core$/, /^(Reactive)?CosmosTemplate$/, COSMOS_STORE),
  ],
  Firestore: [
    held(/^com\.google\.cloud\.firestore$/, /^Firestore$/, FIRESTORE_STORE),
    held(/^com\.google\.firebase\.firestore$/, /^FirebaseFirestore$/, FIRESTORE_STORE),
  ],
  'Neo4j driver': [held(/^org\.neo4j\.driver$/, /^Driver$/, NEO4J_STORE)],
  jOOQ: [held(/^org\.jooq$/, /^DSLContext$/, JDBC_STORE)],
  Hibernate: [held(/^org\.hibernate$/, /^SessionFactory$/, JPA_STORE)],
}

/** Whether an import gives the type of a client, by its name or with its whole package. */
const gives = (imported: string, { packages, types }: StoreClient, name?: string): boolean => {
  const dot = imported.lastIndexOf('.')
  const last = imported.slice(dot + 1)
  const isNamed = last === '*' || (types.test(last) && (name === undefined || last === name))
  return isNamed && packages.test(imported.slice(0, dot))
}

const heldBy = ({ fields, constructors }: TypeUnit): readonly Variable[] => [
  ...fields,
  ...constructors.flatMap(({ parameters }) => parameters),
]

const clientsOf =
  (label: string, clients: readonly StoreClient[]) =>
  (scope: TypeScope, { resolver }: DetectionContext): readonly Outbound[] =>
    scope.unit.types.flatMap((type) => {
      const found = new Map<string, Outbound>()
      for (const { type: written, line } of heldBy(type)) {
        const name = simpleName(written)
        const used = clients.find(
          (one) => one.types.test(name) && scope.unit.imports.some((imported) => gives(imported, one, name)),
        )
        if (used === undefined || found.has(used.store.protocol)) continue
        const row = storeOutbound({ ...used, type: label }, resolver.configuration, scope, line, type.name)
        found.set(used.store.protocol, row)
      }
      return [...found.values()]
    })

export const STORE_CLIENTS: readonly Omit<Framework, 'language'>[] = Object.entries(LIBRARIES).map(
  ([name, clients]) => ({
    name,
    applies: ({ imports }) => imports.some((imported) => clients.some((one) => gives(imported, one))),
    outbound: clientsOf(name, clients),
  }),
)
