/** Stores and brokers, by their images, address schemes and the protocols of detectors. */

export interface Technology {
  readonly name: string
  readonly kind: 'store' | 'broker'
  /** The last part of an image name, without tag. */
  readonly image: RegExp
  /** The scheme of an address, or the protocol of a connection. */
  readonly protocol: RegExp
}

const TECHNOLOGIES: readonly Technology[] = [
  {
    name: 'PostgreSQL',
    kind: 'store',
    image: /^(postgres|postgresql|postgis|pgvector|timescaledb|cockroach)/,
    protocol: /postgres|cockroach/,
  },
  { name: 'MySQL', kind: 'store', image: /^(mysql|mariadb|percona)/, protocol: /mysql|mariadb/ },
  {
    name: 'SQL Server',
    kind: 'store',
    image: /^(mssql|azure-sql)|mssql\/server$/,
    protocol: /sqlserver|mssql/,
  },
  { name: 'Oracle', kind: 'store', image: /^oracle/, protocol: /oracle/ },
  { name: 'SQLite', kind: 'store', image: /^sqlite/, protocol: /sqlite/ },
  { name: 'H2', kind: 'store', image: /^h2$/, protocol: /\bh2\b/ },
  { name: 'MongoDB', kind: 'store', image: /^mongo/, protocol: /mongo/ },
  { name: 'Redis', kind: 'store', image: /^(redis|valkey|keydb|dragonfly)/, protocol: /redis|valkey/ },
  { name: 'Memcached', kind: 'store', image: /^memcached/, protocol: /memcached/ },
  {
    name: 'Elasticsearch',
    kind: 'store',
    image: /^(elasticsearch|opensearch)/,
    protocol: /elasticsearch|opensearch/,
  },
  { name: 'Cassandra', kind: 'store', image: /^(cassandra|scylla)/, protocol: /cassandra/ },
  { name: 'Couchbase', kind: 'store', image: /^couchbase/, protocol: /couchbase/ },
  { name: 'Neo4j', kind: 'store', image: /^neo4j/, protocol: /neo4j|^bolt/ },
  { name: 'DynamoDB', kind: 'store', image: /^dynamodb/, protocol: /dynamodb/ },
  { name: 'Firestore', kind: 'store', image: /^firestore/, protocol: /firestore/ },
  { name: 'Cosmos DB', kind: 'store', image: /^(azure-)?cosmos/, protocol: /cosmos/ },
  { name: 'S3', kind: 'store', image: /^(minio|localstack|garage|seaweedfs)/, protocol: /^s3$|minio/ },
  { name: 'ClickHouse', kind: 'store', image: /^clickhouse/, protocol: /clickhouse/ },
  { name: 'InfluxDB', kind: 'store', image: /^influxdb/, protocol: /influx/ },
  { name: 'Meilisearch', kind: 'store', image: /^meilisearch/, protocol: /meilisearch/ },
  { name: 'Qdrant', kind: 'store', image: /^qdrant/, protocol: /qdrant/ },
  { name: 'etcd', kind: 'store', image: /^etcd/, protocol: /etcd/ },
  { name: 'Zookeeper', kind: 'store', image: /^(cp-)?zookeeper/, protocol: /zookeeper/ },
  { name: 'Azure Storage', kind: 'store', image: /^azurite/, protocol: /azure-?storage/ },
  { name: 'Kafka', kind: 'broker', image: /^(kafka|cp-kafka|redpanda)/, protocol: /kafka/ },
  { name: 'RabbitMQ', kind: 'broker', image: /^rabbitmq/, protocol: /rabbit|^amqp/ },
  { name: 'NATS', kind: 'broker', image: /^nats/, protocol: /^nats/ },
  { name: 'ActiveMQ', kind: 'broker', image: /^(activemq|artemis)/, protocol: /activemq|-jms$/ },
  { name: 'Pulsar', kind: 'broker', image: /^pulsar/, protocol: /^pulsar/ },
  { name: 'MQTT', kind: 'broker', image: /^(eclipse-)?mosquitto|^emqx|^vernemq/, protocol: /mqtt/ },
  { name: 'SNS', kind: 'broker', image: /^sns$/, protocol: /\bsns\b/ },
  { name: 'Service Bus', kind: 'broker', image: /^servicebus/, protocol: /service-?bus/ },
  { name: 'Event Hubs', kind: 'broker', image: /^eventhubs/, protocol: /event-?hubs?/ },
  { name: 'SQS', kind: 'broker', image: /^elasticmq/, protocol: /sqs/ },
  { name: 'Pub/Sub', kind: 'broker', image: /^pubsub/, protocol: /pubsub/ },
  { name: 'BullMQ', kind: 'broker', image: /^bullmq$/, protocol: /bullmq/ },
  { name: 'Celery', kind: 'broker', image: /^celery$/, protocol: /celery/ },
]

/** `registry:5000/library/postgres:16@sha256:…` is `registry:5000/library/postgres`. */
export const imagePath = (image: string): string =>
  image
    .replace(/@sha256:.*$/, '')
    .replace(/:[^/:]*$/, '')
    .toLowerCase()

/** The last part of the path: `postgres`. */
export const imageName = (image: string): string => imagePath(image).replace(/^.*\//, '')

/** Programs about a store or a broker, which are named after it. */
const TOOL =
  /[-_]?(express|commander|insight|exporter|ui|gui|admin|backup|client|cli|proxy|manager|operator|init|setup|migrations?|connect|rest|schema-registry|monitor|sentinel|console|dashboards?|drop)(-|$)/

/** Consoles in which people look into a store. */
export const isStoreConsole = (image: string): boolean =>
  /^(adminer|pgadmin\d*|phpmyadmin|pgweb|mongo-express|redis-?commander|redis-?insight|cloudbeaver)$/.test(
    imageName(image),
  )

export const technologyOfImage = (image: string): Technology | undefined => {
  const name = imageName(image)
  const found = TECHNOLOGIES.find(
    ({ image: pattern }) => pattern.test(name) || pattern.test(imagePath(image)),
  )
  return TOOL.test(name) ? undefined : found
}

/** Images that others build of a store or broker are named after it: `eventuate-mysql8`. */
const VARIANT =
  /-(kafka|zookeeper|mysql|mariadb|postgres|postgresql|mongo|mongodb|redis|rabbitmq|elasticsearch|cassandra)\d*$/

/** As for an image, or for one that is named after a store or broker. Code of a project may be named so too. */
export const technologyOfVariant = (image: string): Technology | undefined =>
  technologyOfImage(image) ?? technologyOf(VARIANT.exec(imageName(image))?.[1] ?? '')

const technologyNamed = (name: string): Technology | undefined =>
  TECHNOLOGIES.find((one) => one.name === name)

/** What an image of the project's own says by its variables and ports. */
const VARIABLES: readonly (readonly [RegExp, string])[] = [
  [/^(MYSQL|MARIADB)_(ROOT_PASSWORD|DATABASE|ALLOW_EMPTY_PASSWORD)$/, 'MySQL'],
  [/^POSTGRES_(PASSWORD|DB)$/, 'PostgreSQL'],
  [/^MONGO_INITDB_\w+$/, 'MongoDB'],
  [/^(ACCEPT_EULA|MSSQL_SA_PASSWORD)$/, 'SQL Server'],
]
const PORTS: Readonly<Record<string, string>> = {
  3306: 'MySQL',
  5432: 'PostgreSQL',
  27017: 'MongoDB',
  6379: 'Redis',
  9200: 'Elasticsearch',
  5672: 'RabbitMQ',
}

/** The database of a container that is called one: `catalogue-db`. */
export const technologyOfDatabase = (
  name: string,
  variables: Iterable<string>,
  ports: readonly string[],
): Technology | undefined => {
  if (!/(db|database)$/.test(name)) return undefined
  const names = [...variables]
  const shown = VARIABLES.find(([pattern]) => names.some((one) => pattern.test(one)))?.[1]
  const port = ports.map((one) => PORTS[one.replace(/^.*:/, '')]).find((one) => one !== undefined)
  return (
    technologyNamed(shown ?? port ?? '') ??
    technologyOf(name) ?? { name: 'database', kind: 'store', image: /^$/, protocol: /^$/ }
  )
}

/** The store or broker of a protocol such as `Messaging-Kafka`, or of an address such as `jdbc:mysql://…`. */
export const technologyOf = (...texts: readonly string[]): Technology | undefined => {
  for (const text of texts) {
    // The path of a web address may hold any word.
    const shown = text.toLowerCase().replace(/^(https?:\/\/[^/]*).*$/s, '$1')
    const found = TECHNOLOGIES.find(({ protocol }) => protocol.test(shown))
    if (found !== undefined) return found
  }
  return undefined
}
