import type { FrameworkSnippets } from './snippet-corpus.ts'

interface HeldClient {
  readonly framework: string
  /** The full name of the type. */
  readonly type: string
  readonly store: string
  /** A setting with the address, and the address as it is shown. */
  readonly setting: readonly [key: string, value: string]
  /** The row of the setting itself. */
  readonly configured?: string
}

/** Clients that a class holds: in Java, in Kotlin, and with the address of the settings. */
const CLIENTS: readonly HeldClient[] = [
  {
    framework: 'AWS SDK',
    type: 'software.amazon.awssdk.services.s3.S3Client',
    store: 'S3',
    setting: ['spring.cloud.aws.s3.endpoint', 'minio:9000'],
  },
  {
    framework: 'MinIO',
    type: 'io.minio.MinioClient',
    store: 'S3',
    setting: ['quarkus.s3.endpoint-override', 'minio:9000'],
  },
  {
    framework: 'Redis clients',
    type: 'redis.clients.jedis.JedisPool',
    store: 'Redis',
    setting: ['quarkus.redis.hosts', 'cache:6379'],
  },
  {
    framework: 'MongoDB driver',
    type: 'com.mongodb.client.MongoClient',
    store: 'MongoDB',
    setting: ['mongodb.uri', 'mongo:27017'],
  },
  {
    framework: 'Elasticsearch clients',
    type: 'co.elastic.clients.elasticsearch.ElasticsearchClient',
    store: 'Elasticsearch',
    setting: ['quarkus.elasticsearch.hosts', 'search:9200'],
  },
  {
    framework: 'Cassandra driver',
    type: 'com.datastax.oss.driver.api.core.CqlSession',
    store: 'Cassandra',
    setting: ['spring.cassandra.contact-points', 'cassandra:9042'],
  },
  {
    framework: 'Azure Cosmos DB',
    type: 'com.azure.cosmos.CosmosClient',
    store: 'Cosmos DB',
    setting: ['azure.cosmos.uri', 'cosmos:8081'],
  },
  {
    framework: 'Firestore',
    type: 'com.google.cloud.firestore.Firestore',
    store: 'Firestore',
    setting: ['spring.cloud.gcp.firestore.host-port', 'firestore:8080'],
  },
  {
    framework: 'Neo4j driver',
    type: 'org.neo4j.driver.Driver',
    store: 'Neo4j',
    setting: ['neo4j.uri', 'neo4j:7687'],
  },
  {
    framework: 'jOOQ',
    type: 'org.jooq.DSLContext',
    store: 'JDBC',
    setting: ['datasources.default.url', 'jdbc:postgresql://db/shop'],
    configured: 'out 1: JDBC Data source -> jdbc:postgresql://db/shop; path datasources.default.url',
  },
  {
    framework: 'Hibernate',
    type: 'org.hibernate.SessionFactory',
    store: 'JPA',
    setting: ['quarkus.datasource.jdbc.url', 'jdbc:mysql://db/shop'],
    configured: 'out 1: JDBC Data source -> jdbc:mysql://db/shop; path quarkus.datasource.jdbc.url',
  },
]

const simple = (type: string): string => type.slice(type.lastIndexOf('.') + 1)

const held = ({ framework, type, store, setting, configured }: HeldClient): FrameworkSnippets => ({
  framework,
  language: 'Java, Kotlin',
  finds: ['stores'],
  found: [
    {
      title: 'a field',
      files: { 'Shop.java': `import ${type};\nclass Shop {\n  private final ${simple(type)} client;\n}` },
      rows: [`out 3: ${store} ${framework} -> ${store} store, Shop [low]`],
    },
    {
      title: 'a parameter of a constructor in Kotlin',
      files: { 'Shop.kt': `import ${type}\n\nclass Shop(private val client: ${simple(type)})\n` },
      rows: [`out 3: ${store} ${framework} -> ${store} store, Shop [low]`],
    },
    {
      title: 'the address in the settings, and an import of the package',
      files: {
        'Shop.java': `import ${type.replace(/\w+$/, '*')};\nclass Shop { ${simple(type)} client; }`,
        'application.properties': setting.join('='),
      },
      rows: [
        `out 2: ${store} ${framework} -> ${setting[1]}, Shop [medium]`,
        ...(configured === undefined ? [] : [configured]),
      ],
    },
  ],
  notFound: [
    {
      title: 'a type of the same name, and a variable of a method',
      files: {
        'Shop.java': `import shop.own.${simple(type)};\nclass Shop { ${simple(type)} client; }`,
        'Other.java': `import ${type};\nclass Other { void a() { ${simple(type)} client = null; } }`,
      },
    },
  ],
})

export const JAVA_DRIVER_SNIPPETS: readonly FrameworkSnippets[] = CLIENTS.map(held)
