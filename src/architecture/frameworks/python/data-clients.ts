import { databaseOf } from '../../connections/addresses.ts'
import type { Framework, Outbound } from '../../connections/framework.ts'
import { CallDetector } from '../../connections/framework.ts'
import type { Expression } from '../../source/source-unit.ts'
import { keyword } from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import { CLIENT_TARGETS, type ClientTarget } from '../client-targets.ts'
import { makerOf, positional, pythonCalls, pythonText, qualifiedName } from './python-calls.ts'

const {
  ANY_SQL,
  COSMOS,
  DYNAMODB,
  FIRESTORE,
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
const isKnownAddress = (text: string): boolean => text !== '' && !/^[{$]|:\/\/[{$]|@[{$]/.test(text)

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

interface DataClient extends ClientTarget {
  readonly type: string
  readonly callee: RegExp
}

const madeClient = (type: string, callee: RegExp, target: ClientTarget): DataClient => ({
  type,
  callee,
  ...target,
})

/** Clients by the full name of the function that makes them. */
const CLIENTS: readonly DataClient[] = [
  madeClient('SQLAlchemy', /^(sqlalchemy|sqlmodel)(\.\w+)*\.create_(async_)?engine$/, ANY_SQL),
  madeClient('databases', /^databases\.(\w+\.)?Database$/, ANY_SQL),
  madeClient('Tortoise ORM', /^tortoise\.(Tortoise\.init|contrib\.fastapi\.register_tortoise)$/, ANY_SQL),
  madeClient('Peewee', /^(peewee|playhouse\.\w+)\.(Pooled)?Postgres\w*Database$/, POSTGRES),
  madeClient('Peewee', /^(peewee|playhouse\.\w+)\.(Pooled)?MySQLDatabase$/, MYSQL),
  madeClient('Peewee', /^(peewee|playhouse\.\w+)\.(Pooled)?Sqlite\w*Database$/, SQLITE),
  madeClient('psycopg', /^psycopg2?\.((Async)?Connection\.)?connect$/, POSTGRES),
  madeClient('psycopg', /^(psycopg_pool|psycopg2\.pool)\.\w*ConnectionPool$/, POSTGRES),
  madeClient('asyncpg', /^asyncpg\.(connect|create_pool)$/, POSTGRES),
  madeClient('MySQL client', /^(pymysql|MySQLdb|mysql\.connector)\.(connect|Connect)$/, MYSQL),
  madeClient('MySQL client', /^(aiomysql|asyncmy)\.(connect|create_pool)$/, MYSQL),
  madeClient('sqlite3', /^(sqlite3|aiosqlite)\.connect$/, SQLITE),
  madeClient('PyMongo', /^(pymongo|motor)(\.\w+)*\.(\w*MongoClient|AsyncIOMotorClient|MotorClient)$/, MONGO),
  madeClient('Cosmos DB', /^azure\.cosmos(\.aio)?\.CosmosClient(\.from_connection_string)?$/, COSMOS),
  madeClient(
    'Firestore',
    /^google\.cloud\.firestore(_v1)?\.(Async)?Client$|^firebase_admin\.firestore(_async)?\.client$/,
    FIRESTORE,
  ),
  madeClient('PyMongo', /^(mongoengine|flask_mongoengine)\.connect$/, MONGO),
  madeClient(
    'redis',
    /^(redis|aioredis|valkey)(\.\w+)*\.(Redis|StrictRedis|RedisCluster|ConnectionPool|from_url|create_redis_pool)$/,
    REDIS,
  ),
  madeClient(
    'Elasticsearch',
    /^(elasticsearch|opensearchpy)(\.\w+)*\.(Async)?(Elasticsearch|OpenSearch)$/,
    SEARCH,
  ),
  madeClient(
    'memcached',
    /^(pymemcache|pylibmc|memcache|aiomcache)(\.\w+)*\.(Client|PooledClient|HashClient)$/,
    MEMCACHED,
  ),
  madeClient('MinIO', /^minio\.(\w+\.)?Minio$/, S3),
  {
    type: 'boto3',
    callee: /^(boto3|aioboto3)(\.\w+)*\.(client|resource)$/,
    protocol: '',
    scheme: 'https',
    technology: '',
  },
  madeClient('Kafka client', /^kafka\.(\w+\.)*Kafka(Producer|Consumer|AdminClient)$/, KAFKA),
  madeClient('aiokafka', /^aiokafka\.(\w+\.)*AIOKafka(Producer|Consumer)$/, KAFKA),
  madeClient('confluent-kafka', /^confluent_kafka\.(\w+\.)*\w*(Producer|Consumer)$/, KAFKA),
  madeClient('pika', /^pika\.(ConnectionParameters|URLParameters)$/, RABBIT),
  madeClient('aio-pika', /^aio_pika\.connect(_robust)?$/, RABBIT),
  madeClient('Kombu', /^kombu\.(\w+\.)*Connection$/, RABBIT),
]

const IMPORTS =
  /^(sqlalchemy|sqlmodel|databases|tortoise|peewee|playhouse|psycopg|psycopg2|psycopg_pool|asyncpg|pymysql|MySQLdb|mysql|aiomysql|asyncmy|sqlite3|aiosqlite|pymongo|motor|mongoengine|redis|aioredis|valkey|elasticsearch|opensearchpy|pymemcache|pylibmc|memcache|aiomcache|minio|boto3|aioboto3|kafka|aiokafka|confluent_kafka|pika|aio_pika|kombu|google\.cloud|firebase_admin|azure\.cosmos)(\.|$)/

const ADDRESS_KEYWORDS = [
  'url',
  'dsn',
  'conninfo',
  'uri',
  'connection_string',
  'db_url',
  'endpoint_url',
  'bootstrap_servers',
  'bootstrap.servers',
]

class DataConnection extends CallDetector {
  #text(expression: Expression | undefined): KnownText | undefined {
    return expression === undefined ? undefined : pythonText(expression, this.scope, this.context)
  }

  /** A server that is given as host and port: `("db", 5432)`, `{"host": "db"}` or `"db"`. */
  #host(value: Expression | undefined, { scheme }: ClientTarget): KnownText | undefined {
    const { args } = this.call
    if (value?.kind === 'list') return this.#host(value.items[0], { scheme, protocol: '', technology: '' })
    const record = value?.kind === 'record' ? value.entries : undefined
    const host = this.#text(record === undefined ? value : (record.get('host') ?? record.get('url')))
    if (host === undefined || host.text.includes('://') || scheme === '') return host
    const port = this.#text(record?.get('port') ?? keyword(args, 'port'))?.text ?? ''
    const database = this.#text(keyword(args, 'database', 'dbname'))?.text ?? ''
    const server = /^\d+$/.test(port) && !/:\d+$/.test(host.text) ? `${host.text}:${port}` : host.text
    const path = isKnownAddress(database) ? `/${database}` : ''
    return isKnownAddress(host.text) ? { ...host, text: `${scheme}://${server}${path}` } : host
  }

  #address(client: DataClient): KnownText | undefined {
    const { args } = this.call
    const first = positional(args, 0)
    const given = keyword(args, ...ADDRESS_KEYWORDS)
    if (client.type === 'boto3') return this.#text(given)
    const servers = this.#host(keyword(args, 'host', 'hosts', 'server', 'endpoint'), client)
    if (given !== undefined)
      return client.scheme === '' ? this.#text(given) : (this.#host(given, client) ?? servers)
    if (servers !== undefined) return servers
    if (first === undefined) {
      const options = args[0]?.kind === 'record' ? args[0] : undefined
      return this.#text(options?.entries.get('bootstrap.servers'))
    }
    if (client.protocol === 'Messaging-Kafka') return undefined
    // Peewee: the first argument is the name of the database.
    if (client.type === 'Peewee' && client.technology !== 'SQLite') return undefined
    if (client.technology === 'SQLite' || client.scheme === '') return this.#text(first)
    const dsn = this.#text(first)
    const [, host] = /\bhost=([\w.-]+)/.exec(dsn?.text ?? '') ?? []
    return dsn !== undefined && host !== undefined
      ? { ...dsn, text: `${client.scheme}://${host}` }
      : this.#host(first, client)
  }

  /** `session.client("s3")` of a session is `boto3.client("s3")`. */
  #qualifiedName(): string | undefined {
    const { receiver, name } = this.call
    const isSession = (maker: string) => /^(aio)?boto3(\.session)?\.Session$/.test(maker)
    return /^(client|resource)$/.test(name) &&
      makerOf(receiver, this.scope, this.context, isSession) !== undefined
      ? `boto3.${name}`
      : qualifiedName(this.call, this.scope)
  }

  outbound(): readonly Outbound[] {
    const name = this.#qualifiedName()
    const client = name === undefined ? undefined : CLIENTS.find(({ callee }) => callee.test(name))
    if (client === undefined) return []
    const service =
      client.type === 'boto3'
        ? this.#text(keyword(this.call.args, 'service_name') ?? positional(this.call.args, 0))
        : undefined
    const kind = client.type === 'boto3' ? pythonStore(service?.text ?? '') : client
    if (kind === undefined) return []
    const target = pythonStoreTarget(kind, this.#address(client))
    const isBroker = target.protocol.startsWith('Messaging')
    return [
      {
        ...target,
        // A service of AWS is known by its name; its address is that of the region.
        ...(client.type === 'boto3' && target.confidence === 'low' && { confidence: 'high' as const }),
        type: isBroker ? 'Broker' : client.type,
        source_file: this.scope.unit.file,
        line: this.call.line,
        caller: this.scope.type?.name ?? '',
      },
    ]
  }
}

export const PYTHON_DATA_CLIENTS: Framework = {
  name: 'SQLAlchemy, SQLModel, psycopg, asyncpg, Redis, PyMongo, Elasticsearch, boto3',
  language: 'python',
  applies: ({ imports }) => imports.some((name) => IMPORTS.test(name)),
  outbound: (scope, context) =>
    pythonCalls(scope).flatMap(({ call, scope: inside }) =>
      new DataConnection(call, inside, context).outbound(),
    ),
}
