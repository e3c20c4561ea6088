/** What a client of a store or broker connects to: the same for every language. */
export interface ClientTarget {
  readonly protocol: string
  /** The scheme of an address that is put together from host and database; empty when the driver is an argument. */
  readonly scheme: string
  /** What the target is called when its address is unknown. */
  readonly technology: string
}

const sql = (scheme: string, technology: string): ClientTarget => ({ protocol: 'SQL', scheme, technology })
const store = (technology: string, scheme: string): ClientTarget => ({
  protocol: technology,
  scheme,
  technology,
})
const broker = (technology: string, scheme: string): ClientTarget => ({
  protocol: `Messaging-${technology}`,
  scheme,
  technology,
})

export const CLIENT_TARGETS = {
  POSTGRES: sql('postgresql', 'PostgreSQL'),
  MYSQL: sql('mysql', 'MySQL'),
  SQLITE: sql('sqlite', 'SQLite'),
  SQL_SERVER: sql('sqlserver', 'SQL Server'),
  ORACLE: sql('oracle', 'Oracle'),
  ANY_SQL: sql('', 'database'),
  MONGO: store('MongoDB', 'mongodb'),
  REDIS: store('Redis', 'redis'),
  SEARCH: store('Elasticsearch', 'http'),
  CLICKHOUSE: store('ClickHouse', 'http'),
  MEMCACHED: store('Memcached', 'memcached'),
  S3: store('S3', 'https'),
  DYNAMODB: store('DynamoDB', 'https'),
  FIRESTORE: store('Firestore', ''),
  COSMOS: store('Cosmos DB', 'https'),
  COUCHBASE: store('Couchbase', 'couchbase'),
  /** A receiver of traces. */
  JAEGER: store('Jaeger', ''),
  KAFKA: broker('Kafka', ''),
  RABBIT: broker('RabbitMQ', 'amqp'),
  NATS: broker('NATS', 'nats'),
  SQS: broker('SQS', 'https'),
  BULL: broker('BullMQ', ''),
}
