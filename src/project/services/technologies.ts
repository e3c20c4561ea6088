/** Stores and brokers, by their images, address schemes and the protocols of detectors. */

interface Technology {
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
  { name: 'SQL Server', kind: 'store', image: /^(mssql|server:?|azure-sql)/, protocol: /sqlserver|mssql/ },
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
  { name: 'Neo4j', kind: 'store', image: /^neo4j/, protocol: /neo4j|^bolt/ },
  { name: 'DynamoDB', kind: 'store', image: /^dynamodb/, protocol: /dynamodb/ },
  { name: 'S3', kind: 'store', image: /^(minio|localstack)/, protocol: /^s3$|minio/ },
  { name: 'SwiftData', kind: 'store', image: /^swiftdata$/, protocol: /^swiftdata$/ },
  { name: 'Core Data', kind: 'store', image: /^core data$/, protocol: /^core data$/ },
  { name: 'Kafka', kind: 'broker', image: /^(kafka|cp-kafka|redpanda)/, protocol: /kafka/ },
  { name: 'RabbitMQ', kind: 'broker', image: /^rabbitmq/, protocol: /rabbit|^amqp/ },
  { name: 'NATS', kind: 'broker', image: /^nats/, protocol: /^nats/ },
  { name: 'ActiveMQ', kind: 'broker', image: /^(activemq|artemis)/, protocol: /activemq|-jms$/ },
  { name: 'SQS', kind: 'broker', image: /^elasticmq/, protocol: /sqs/ },
  { name: 'Pub/Sub', kind: 'broker', image: /^pubsub/, protocol: /pubsub/ },
  { name: 'Celery', kind: 'broker', image: /^celery$/, protocol: /celery/ },
]

/** `registry:5000/library/postgres:16@sha256:…` is `postgres`. */
export const imageName = (image: string): string =>
  image
    .replace(/@sha256:.*$/, '')
    .replace(/:[^/:]*$/, '')
    .replace(/^.*\//, '')
    .toLowerCase()

export const technologyOfImage = (image: string): Technology | undefined =>
  TECHNOLOGIES.find(({ image: pattern }) => pattern.test(imageName(image)))

/** The store or broker of a protocol such as `Messaging-Kafka`, or of an address such as `jdbc:mysql://…`. */
export const technologyOf = (...texts: readonly string[]): Technology | undefined => {
  for (const text of texts) {
    const found = TECHNOLOGIES.find(({ protocol }) => protocol.test(text.toLowerCase()))
    if (found !== undefined) return found
  }
  return undefined
}
