/** Stores and brokers, by their images, address schemes and the protocols of detectors. */

export interface Technology {
  readonly name: string
  readonly kind: 'store' | 'broker'
  /** The last part of an image name, without tag. */
  readonly image: RegExp
  /** The scheme of an address, or the protocol of a connection. */
  readonly protocol: RegExp
}

type Row = (name: string, image: RegExp, protocol: RegExp) => Technology
const storeImage: Row = (name, image, protocol) => ({ name, kind: 'store', image, protocol })
const brokerImage: Row = (name, image, protocol) => ({ name, kind: 'broker', image, protocol })

const TECHNOLOGIES: readonly Technology[] = [
  storeImage(
    'PostgreSQL',
    /^(postgres|postgresql|postgis|pgvector|timescaledb|cockroach)/,
    /postgres|cockroach/,
  ),
  storeImage('MySQL', /^(mysql|mariadb|percona)/, /mysql|mariadb/),
  storeImage('SQL Server', /^(mssql|azure-sql)|mssql\/server$/, /sqlserver|mssql/),
  storeImage('Oracle', /^oracle/, /oracle/),
  storeImage('SQLite', /^sqlite/, /sqlite/),
  storeImage('H2', /^h2$/, /\bh2\b/),
  storeImage('MongoDB', /^mongo/, /mongo/),
  storeImage('Redis', /^(redis|valkey|keydb|dragonfly)/, /redis|valkey/),
  storeImage('Memcached', /^memcached/, /memcached/),
  storeImage('Elasticsearch', /^(elasticsearch|opensearch)/, /elasticsearch|opensearch/),
  storeImage('Cassandra', /^(cassandra|scylla)/, /cassandra/),
  storeImage('Couchbase', /^couchbase/, /couchbase/),
  storeImage('Neo4j', /^neo4j/, /neo4j|^bolt/),
  storeImage('DynamoDB', /^dynamodb/, /dynamodb/),
  storeImage('Firestore', /^firestore/, /firestore/),
  storeImage('Cosmos DB', /^(azure-)?cosmos/, /cosmos/),
  storeImage('S3', /^(minio|localstack|garage|seaweedfs)/, /^s3$|minio/),
  storeImage('ClickHouse', /^clickhouse/, /clickhouse/),
  storeImage('InfluxDB', /^influxdb/, /influx/),
  storeImage('Meilisearch', /^meilisearch/, /meilisearch/),
  storeImage('Qdrant', /^qdrant/, /qdrant/),
  storeImage('etcd', /^etcd/, /etcd/),
  storeImage('Zookeeper', /^(cp-)?zookeeper/, /zookeeper/),
  storeImage('Azure Storage', /^azurite/, /azure-?storage/),
  brokerImage('Kafka', /^(kafka|cp-kafka|redpanda)/, /kafka/),
  brokerImage('RabbitMQ', /^rabbitmq/, /rabbit|^amqp/),
  brokerImage('NATS', /^nats/, /^nats/),
  brokerImage('ActiveMQ', /^(activemq|artemis)/, /activemq|-jms$/),
  brokerImage('Pulsar', /^pulsar/, /^pulsar/),
  brokerImage('MQTT', /^(eclipse-)?mosquitto|^emqx|^vernemq/, /mqtt/),
  brokerImage('SNS', /^sns$/, /\bsns\b/),
  brokerImage('Service Bus', /^servicebus/, /service-?bus/),
  brokerImage('Event Hubs', /^eventhubs/, /event-?hubs?/),
  brokerImage('SQS', /^elasticmq/, /sqs/),
  brokerImage('Pub/Sub', /^pubsub/, /pubsub/),
  brokerImage('BullMQ', /^bullmq$/, /bullmq/),
  brokerImage('Celery', /^celery$/, /celery/),
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
