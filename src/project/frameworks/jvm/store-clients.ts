import {
  CASSANDRA_STORE,
  type ConfiguredStore,
  configuredTarget,
  DYNAMODB_STORE,
  ELASTICSEARCH_STORE,
  JDBC_STORE,
  JPA_STORE,
  MONGODB_STORE,
  NEO4J_STORE,
  REDIS_STORE,
  S3_STORE,
} from '../../connections/configured-stores.ts'
import type { Outbound } from '../../connections/connections.ts'
import type { DetectionContext, Framework } from '../../connections/framework.ts'
import {
  firstArgument,
  type SourceUnit,
  simpleName,
  type TypeUnit,
  type Variable,
} from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

/** Clients of stores that a class holds: a field or a parameter of its constructor has the type of the library. */

interface StoreClient {
  /** Package and names of the types. */
  readonly types: RegExp
  readonly store: ConfiguredStore
}

const HELD_DATA: ConfiguredStore = { protocol: 'DataStore', keys: [] }

const LIBRARIES: Readonly<Record<string, readonly StoreClient[]>> = {
  'AWS SDK': [
    { types: /^software\.amazon\.awssdk\.services\.s3\.(S3Client|S3AsyncClient)$/, store: S3_STORE },
    { types: /^com\.amazonaws\.services\.s3\.AmazonS3(Client)?$/, store: S3_STORE },
    { types: /^io\.awspring\.cloud\.s3\.S3_STORE(Template|Operations)$/, store: S3_STORE },
    {
      types: /^software\.amazon\.awssdk\.services\.dynamodb\.DynamoDb(Async)?Client$/,
      store: DYNAMODB_STORE,
    },
    {
      types: /^software\.amazon\.awssdk\.enhanced\.dynamodb\.DynamoDb\w*(Client|Table)$/,
      store: DYNAMODB_STORE,
    },
    {
      types: /^com\.amazonaws\.services\.dynamodbv2\.(document\.DynamoDB|AmazonDynamoDB)$/,
      store: DYNAMODB_STORE,
    },
  ],
  MinIO: [{ types: /^io\.minio\.Minio(Async)?Client$/, store: S3_STORE }],
  'Redis clients': [
    {
      types: /^redis\.clients\.jedis\.(Jedis|JedisPool|JedisPooled|UnifiedJedis|JedisCluster)$/,
      store: REDIS_STORE,
    },
    { types: /^org\.redisson\.api\.Redisson(Reactive)?Client$/, store: REDIS_STORE },
    { types: /^io\.lettuce\.core\.(RedisClient|api\.StatefulRedisConnection)$/, store: REDIS_STORE },
  ],
  'MongoDB driver': [
    { types: /^com\.mongodb\.[\w.]*client[\w.]*\.Mongo(Client|Database|Collection)$/, store: MONGODB_STORE },
  ],
  'Elasticsearch clients': [
    {
      types: /^co\.elastic\.clients\.elasticsearch\.Elasticsearch(Async)?Client$/,
      store: ELASTICSEARCH_STORE,
    },
    { types: /^org\.elasticsearch\.client\.RestHighLevelClient$/, store: ELASTICSEARCH_STORE },
    { types: /^org\.opensearch\.client\.opensearch\.OpenSearchClient$/, store: ELASTICSEARCH_STORE },
  ],
  'Cassandra driver': [
    { types: /^com\.datastax\.oss\.driver\.api\.core\.CqlSession$/, store: CASSANDRA_STORE },
  ],
  'Neo4j driver': [{ types: /^org\.neo4j\.driver\.Driver$/, store: NEO4J_STORE }],
  jOOQ: [{ types: /^org\.jooq\.DSLContext$/, store: JDBC_STORE }],
  Hibernate: [{ types: /^org\.hibernate\.SessionFactory$/, store: JPA_STORE }],
  DataStore: [{ types: /^androidx\.datastore\.core\.DataStore$/, store: HELD_DATA }],
}

/** The full names that the simple name of a type may have in a file. */
const fullNames = (name: string, { imports }: SourceUnit): readonly string[] =>
  imports.flatMap((one) =>
    one.endsWith(`.${name}`) ? [one] : one.endsWith('.*') ? [`${one.slice(0, -1)}${name}`] : [],
  )

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
        const names = fullNames(simpleName(written), scope.unit)
        const used = clients.find(({ types }) => names.some((name) => types.test(name)))
        if (used === undefined || found.has(used.store.protocol)) continue
        // What a DataStore holds is its name.
        const held = used.store === HELD_DATA ? firstArgument(written) : ''
        const target =
          held === ''
            ? configuredTarget(used.store, resolver.configuration, scope.unit.file)
            : { target_service: held, confidence: 'medium' as const }
        found.set(used.store.protocol, {
          ...target,
          protocol: used.store.protocol,
          type: label,
          source_file: scope.unit.file,
          line,
          caller: type.name,
        })
      }
      return [...found.values()]
    })

export const STORE_CLIENTS: readonly Omit<Framework, 'language'>[] = Object.entries(LIBRARIES).map(
  ([name, clients]) => ({
    name,
    applies: ({ imports }) =>
      imports.some(
        (one) =>
          clients.some(({ types }) => types.test(one)) ||
          (one.endsWith('.*') &&
            clients.some(({ types }) => types.source.includes(one.slice(0, -2).replaceAll('.', '\\.')))),
      ),
    outbound: clientsOf(name, clients),
  }),
)
