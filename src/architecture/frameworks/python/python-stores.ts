import { databaseOf } from '../../connections/addresses.ts'
import type { Outbound } from '../../connections/connections.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import { CLIENT_TARGETS, type ClientTarget } from '../client-targets.ts'

/** Kinds of stores and brokers, and the targets that connections to them have. */

const {
  DYNAMODB,
  KAFKA,
  MEMCACHED,
  MONGO,
  MYSQL,
  ORACLE,
  POSTGRES,
  RABBIT,
  REDIS,
  S3,
  SEARCH,
  SQLITE,
  SQL_SERVER,
  SQS,
} = CLIENT_TARGETS

/** Kinds by the scheme of an address, or by the name of a driver or service. The first that matches counts. */
const KINDS: readonly (readonly [RegExp, ClientTarget])[] = [
  [/^(postgres|postgis|psycopg|cockroach)/, POSTGRES],
  [/^(mysql|mariadb)/, MYSQL],
  [/^sqlite/, SQLITE],
  [/^mssql/, SQL_SERVER],
  [/^oracle/, ORACLE],
  [/^(mongo|djongo)/, MONGO],
  [/^(redis|rediss|unix|valkey|sentinel)(:|$|\+)/, REDIS],
  [/^memcache/, MEMCACHED],
  [/^(amqp|amqps|pyamqp|rabbitmq)(:|$)/, RABBIT],
  [/^sqs/, SQS],
  [/^s3$/, S3],
  [/^dynamodb$/, DYNAMODB],
  [/^kafka/, KAFKA],
  [/^(elasticsearch|opensearch)/, SEARCH],
]

export const pythonStore = (name: string): ClientTarget | undefined =>
  KINDS.find(([pattern]) => pattern.test(name.toLowerCase()))?.[1]

/** Whether the server in an address is known. */
export const isKnownAddress = (text: string): boolean => text !== '' && !/^[{$]|:\/\/[{$]|@[{$]/.test(text)

/** The target of a store or broker whose address is known, or the name of its technology. */
export const pythonStoreTarget = (
  kind: ClientTarget,
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
