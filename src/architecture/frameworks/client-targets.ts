/** What a client of a store or broker connects to: the same for every language. */
export interface ClientTarget {
  readonly protocol: string
  /** The scheme of an address that is put together from host and database; empty when the driver is an argument. */
  readonly scheme: string
  /** What the target is called when its address is unknown. */
  readonly technology: string
}

const sql = (scheme: string, technology: string): ClientTarget => ({ protocol: 'SQL', scheme, technology })
const storeTarget = (technology: string, scheme: string): ClientTarget => ({
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
  MONGO: storeTarget('MongoDB', 'mongodb'),
  REDIS: storeTarget('Redis', 'redis'),
  SEARCH: storeTarget('Elasticsearch', 'http'),
  CLICKHOUSE: storeTarget('ClickHouse', 'http'),
  MEMCACHED: storeTarget('Memcached', 'memcached'),
  S3: storeTarget('S3', 'https'),
  DYNAMODB: storeTarget('DynamoDB', 'https'),
  FIRESTORE: storeTarget('Firestore', ''),
  COSMOS: storeTarget('Cosmos DB', 'https'),
  COUCHBASE: storeTarget('Couchbase', 'couchbase'),
  /** A receiver of traces. */
  JAEGER: storeTarget('Jaeger', ''),
  KAFKA: broker('Kafka', ''),
  RABBIT: broker('RabbitMQ', 'amqp'),
  NATS: broker('NATS', 'nats'),
  SQS: broker('SQS', 'https'),
  BULL: broker('BullMQ', ''),
}
