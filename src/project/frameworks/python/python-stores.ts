import { databaseOf } from '../../connections/addresses.ts'
import type { Outbound } from '../../connections/connections.ts'
import type { KnownText } from '../../source/text-resolver.ts'

/** Kinds of stores and brokers, and the targets that connections to them have. */

export interface PythonStore {
  readonly protocol: string
  /** The scheme of an address that is put together from host and database. */
  readonly scheme: string
  /** What the target is called when its address is unknown. */
  readonly technology: string
}

const POSTGRES: PythonStore = { protocol: 'SQL', scheme: 'postgresql', technology: 'PostgreSQL' }
const MYSQL: PythonStore = { protocol: 'SQL', scheme: 'mysql', technology: 'MySQL' }
const SQLITE: PythonStore = { protocol: 'SQL', scheme: 'sqlite', technology: 'SQLite' }
const ANY_SQL: PythonStore = { protocol: 'SQL', scheme: '', technology: 'database' }
const MONGO: PythonStore = { protocol: 'MongoDB', scheme: 'mongodb', technology: 'MongoDB' }
const REDIS: PythonStore = { protocol: 'Redis', scheme: 'redis', technology: 'Redis' }
const SEARCH: PythonStore = { protocol: 'Elasticsearch', scheme: 'http', technology: 'Elasticsearch' }
const MEMCACHED: PythonStore = { protocol: 'Memcached', scheme: 'memcached', technology: 'Memcached' }
const KAFKA: PythonStore = { protocol: 'Messaging-Kafka', scheme: '', technology: 'Kafka' }
const RABBIT: PythonStore = { protocol: 'Messaging-RabbitMQ', scheme: 'amqp', technology: 'RabbitMQ' }
const S3: PythonStore = { protocol: 'S3', scheme: 'https', technology: 'S3' }
const SQS: PythonStore = { protocol: 'Messaging-SQS', scheme: 'https', technology: 'SQS' }

/** Stores and brokers by the names that the tables of detectors use. */
export const PYTHON_STORES = {
  ANY_SQL,
  KAFKA,
  MEMCACHED,
  MONGO,
  MYSQL,
  POSTGRES,
  RABBIT,
  REDIS,
  S3,
  SEARCH,
  SQLITE,
} as const

/** Kinds by the scheme of an address, or by the name of a driver or service. The first that matches counts. */
const KINDS: readonly (readonly [RegExp, PythonStore])[] = [
  [/^(postgres|postgis|psycopg|cockroach)/, POSTGRES],
  [/^(mysql|mariadb)/, MYSQL],
  [/^sqlite/, SQLITE],
  [/^mssql/, { protocol: 'SQL', scheme: 'sqlserver', technology: 'SQL Server' }],
  [/^oracle/, { protocol: 'SQL', scheme: 'oracle', technology: 'Oracle' }],
  [/^(mongo|djongo)/, MONGO],
  [/^(redis|rediss|unix|valkey|sentinel)(:|$|\+)/, REDIS],
  [/^memcache/, MEMCACHED],
  [/^(amqp|amqps|pyamqp|rabbitmq)(:|$)/, RABBIT],
  [/^sqs/, SQS],
  [/^s3$/, S3],
  [/^dynamodb$/, { protocol: 'DynamoDB', scheme: 'https', technology: 'DynamoDB' }],
  [/^kafka/, KAFKA],
  [/^(elasticsearch|opensearch)/, SEARCH],
]

export const pythonStore = (name: string): PythonStore | undefined =>
  KINDS.find(([pattern]) => pattern.test(name.toLowerCase()))?.[1]

/** Whether the server in an address is known. */
export const isKnownAddress = (text: string): boolean => text !== '' && !/^[{$]|:\/\/[{$]|@[{$]/.test(text)

/** The target of a store or broker whose address is known, or the name of its technology. */
export const pythonStoreTarget = (
  kind: PythonStore,
  address: KnownText | undefined,
): Pick<Outbound, 'target_service' | 'confidence' | 'protocol' | 'origin'> => {
  // Credentials that are known only at run time say nothing about the server.
  const text = (address?.text ?? '').replace(/(:\/\/)[^/@]*[{$][^/@]*@/, '$1')
  const named = /^[a-z][\w+.-]*:\/\//i.test(text) ? (pythonStore(text) ?? kind) : kind
  const { protocol, technology } = kind.technology === 'database' || kind.protocol === '' ? named : kind
  const isBroker = protocol.startsWith('Messaging')
  const isFile = technology === 'SQLite' && !text.includes('://')
  const known = isKnownAddress(text) && (isBroker || isFile || text.includes('://'))
  if (address === undefined || !known)
    return {
      target_service: technology,
      protocol,
      confidence: 'low',
      ...(text.startsWith('$') && { origin: text }),
    }
  return {
    target_service: databaseOf(isFile ? `sqlite:${text}` : text),
    protocol,
    confidence: address.confidence,
  }
}
