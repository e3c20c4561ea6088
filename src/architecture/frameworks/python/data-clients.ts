import { databaseOf } from '../../connections/addresses.ts'
import type { DetectionContext, Framework, Outbound } from '../../connections/framework.ts'
import type { CallExpression, Expression } from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { CLIENT_TARGETS, type ClientTarget } from '../client-targets.ts'
import { keyword, makerOf, positional, pythonCalls, pythonText, qualifiedName } from './python-calls.ts'

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

/** Clients by the full name of the function that makes them. */
const CLIENTS: readonly DataClient[] = [
  {
    type: 'SQLAlchemy',
    callee: /^(sqlalchemy|sqlmodel)(\.\w+)*\.create_(async_)?engine$/,
    ...ANY_SQL,
  },
  { type: 'databases', callee: /^databases\.(\w+\.)?Database$/, ...ANY_SQL },
  {
    type: 'Tortoise ORM',
    callee: /^tortoise\.(Tortoise\.init|contrib\.fastapi\.register_tortoise)$/,
    ...ANY_SQL,
  },
  { type: 'Peewee', callee: /^(peewee|playhouse\.\w+)\.(Pooled)?Postgres\w*Database$/, ...POSTGRES },
  { type: 'Peewee', callee: /^(peewee|playhouse\.\w+)\.(Pooled)?MySQLDatabase$/, ...MYSQL },
  { type: 'Peewee', callee: /^(peewee|playhouse\.\w+)\.(Pooled)?Sqlite\w*Database$/, ...SQLITE },
  { type: 'psycopg', callee: /^psycopg2?\.((Async)?Connection\.)?connect$/, ...POSTGRES },
  { type: 'psycopg', callee: /^(psycopg_pool|psycopg2\.pool)\.\w*ConnectionPool$/, ...POSTGRES },
  { type: 'asyncpg', callee: /^asyncpg\.(connect|create_pool)$/, ...POSTGRES },
  { type: 'MySQL client', callee: /^(pymysql|MySQLdb|mysql\.connector)\.(connect|Connect)$/, ...MYSQL },
  { type: 'MySQL client', callee: /^(aiomysql|asyncmy)\.(connect|create_pool)$/, ...MYSQL },
  { type: 'sqlite3', callee: /^(sqlite3|aiosqlite)\.connect$/, ...SQLITE },
  {
    type: 'PyMongo',
    callee: /^(pymongo|motor)(\.\w+)*\.(\w*MongoClient|AsyncIOMotorClient|MotorClient)$/,
    ...MONGO,
  },
  {
    type: 'Cosmos DB',
    callee: /^azure\.cosmos(\.aio)?\.CosmosClient(\.from_connection_string)?$/,
    ...COSMOS,
  },
  {
    type: 'Firestore',
    callee: /^google\.cloud\.firestore(_v1)?\.(Async)?Client$|^firebase_admin\.firestore(_async)?\.client$/,
    ...FIRESTORE,
  },
  { type: 'PyMongo', callee: /^(mongoengine|flask_mongoengine)\.connect$/, ...MONGO },
  {
    type: 'redis',
    callee:
      /^(redis|aioredis|valkey)(\.\w+)*\.(Redis|StrictRedis|RedisCluster|ConnectionPool|from_url|create_redis_pool)$/,
    ...REDIS,
  },
  {
    type: 'Elasticsearch',
    callee: /^(elasticsearch|opensearchpy)(\.\w+)*\.(Async)?(Elasticsearch|OpenSearch)$/,
    ...SEARCH,
  },
  {
    type: 'memcached',
    callee: /^(pymemcache|pylibmc|memcache|aiomcache)(\.\w+)*\.(Client|PooledClient|HashClient)$/,
    ...MEMCACHED,
  },
  { type: 'MinIO', callee: /^minio\.(\w+\.)?Minio$/, ...S3 },
  {
    type: 'boto3',
    callee: /^(boto3|aioboto3)(\.\w+)*\.(client|resource)$/,
    protocol: '',
    scheme: 'https',
    technology: '',
  },
  { type: 'Kafka client', callee: /^kafka\.(\w+\.)*Kafka(Producer|Consumer|AdminClient)$/, ...KAFKA },
  { type: 'aiokafka', callee: /^aiokafka\.(\w+\.)*AIOKafka(Producer|Consumer)$/, ...KAFKA },
  { type: 'confluent-kafka', callee: /^confluent_kafka\.(\w+\.)*\w*(Producer|Consumer)$/, ...KAFKA },
  { type: 'pika', callee: /^pika\.(ConnectionParameters|URLParameters)$/, ...RABBIT },
  { type: 'aio-pika', callee: /^aio_pika\.connect(_robust)?$/, ...RABBIT },
  { type: 'Kombu', callee: /^kombu\.(\w+\.)*Connection$/, ...RABBIT },
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

class DataConnection {
  readonly #call: CallExpression
  readonly #scope: TypeScope
  readonly #context: DetectionContext

  constructor(call: CallExpression, scope: TypeScope, context: DetectionContext) {
    this.#call = call
    this.#scope = scope
    this.#context = context
  }

  #text(expression: Expression | undefined): KnownText | undefined {
    return expression === undefined ? undefined : pythonText(expression, this.#scope, this.#context)
  }

  /** A server that is given as host and port: `("db", 5432)`, `{"host": "db"}` or `"db"`. */
  #host(value: Expression | undefined, { scheme }: ClientTarget): KnownText | undefined {
    const { args } = this.#call
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
    const { args } = this.#call
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
    const { receiver, name } = this.#call
    const isSession = (maker: string) => /^(aio)?boto3(\.session)?\.Session$/.test(maker)
    return /^(client|resource)$/.test(name) &&
      makerOf(receiver, this.#scope, this.#context, isSession) !== undefined
      ? `boto3.${name}`
      : qualifiedName(this.#call, this.#scope)
  }

  outbound(): readonly Outbound[] {
    const name = this.#qualifiedName()
    const client = name === undefined ? undefined : CLIENTS.find(({ callee }) => callee.test(name))
    if (client === undefined) return []
    const service =
      client.type === 'boto3'
        ? this.#text(keyword(this.#call.args, 'service_name') ?? positional(this.#call.args, 0))
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
        source_file: this.#scope.unit.file,
        line: this.#call.line,
        caller: this.#scope.type?.name ?? '',
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
