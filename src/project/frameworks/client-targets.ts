/** What a client of a store or broker connects to: the same for every language. */
export const CLIENT_TARGETS = {
  POSTGRES: { protocol: 'SQL', scheme: 'postgresql', technology: 'PostgreSQL' },
  MYSQL: { protocol: 'SQL', scheme: 'mysql', technology: 'MySQL' },
  SQLITE: { protocol: 'SQL', scheme: 'sqlite', technology: 'SQLite' },
  SQL_SERVER: { protocol: 'SQL', scheme: 'sqlserver', technology: 'SQL Server' },
  ANY_SQL: { protocol: 'SQL', scheme: '', technology: 'database' },
  MONGO: { protocol: 'MongoDB', scheme: 'mongodb', technology: 'MongoDB' },
  REDIS: { protocol: 'Redis', scheme: 'redis', technology: 'Redis' },
  SEARCH: { protocol: 'Elasticsearch', scheme: 'http', technology: 'Elasticsearch' },
  CLICKHOUSE: { protocol: 'ClickHouse', scheme: 'http', technology: 'ClickHouse' },
  KAFKA: { protocol: 'Messaging-Kafka', scheme: '', technology: 'Kafka' },
  RABBIT: { protocol: 'Messaging-RabbitMQ', scheme: 'amqp', technology: 'RabbitMQ' },
  NATS: { protocol: 'Messaging-NATS', scheme: 'nats', technology: 'NATS' },
  BULL: { protocol: 'Messaging-BullMQ', scheme: '', technology: 'BullMQ' },
}
