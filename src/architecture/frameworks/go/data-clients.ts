import { databaseOf } from '../../connections/addresses.ts'
import {
  type DetectionContext,
  type Framework,
  importsModule,
  type Outbound,
} from '../../connections/framework.ts'
import { recordEntry } from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import { isFixed } from '../../source/text-resolver.ts'
import type { PlacedCall } from '../../source/type-scope.ts'
import { CLIENT_TARGETS, type ClientTarget } from '../client-targets.ts'
import { goCalls, moduleOf } from './go-calls.ts'
import { GoValues } from './go-values.ts'

/** Connection strings of Go's drivers as addresses. */

/** `host=db port=5432 dbname=shop` */
const keywordAddress = (text: string): string | undefined => {
  const value = (key: string): string | undefined =>
    new RegExp(`(?:^|\\s)${key}\\s*=\\s*'?([^\\s']+)`).exec(text)?.[1]
  const host = value('host')
  if (host === undefined) return undefined
  const [port, database] = [value('port'), value('dbname')]
  return `${host}${port === undefined ? '' : `:${port}`}${database === undefined ? '' : `/${database}`}`
}

/** `user:password@tcp(db:3306)/shop?parseTime=true` */
const MYSQL_DSN = /^(?:[^@]*@)?(?:tcp)?\(([^)]+)\)\/([^?]*)/

/**
 * The address that a connection string holds, without user and password; a text that is none comes back as it is.
 * `sqlite:` is the scheme of files.
 */
const dsnAddress = (scheme: string, text: string): string => {
  if (scheme === 'sqlite')
    return `sqlite:${text.replace(/^(sqlite3?:(\/\/)?|file:)/, '').replace(/\?.*$/, '')}`
  if (text.includes('://') || scheme === '') return text
  const keywords = keywordAddress(text)
  if (keywords !== undefined) return `${scheme}://${keywords}`
  const [, host, database = ''] = MYSQL_DSN.exec(text) ?? []
  if (host !== undefined) return `${scheme}://${host}${database === '' ? '' : `/${database}`}`
  return /^[\w.-]+(:\d+)?$/.test(text) ? `${scheme}://${text}` : text
}

/** Clients of stores and brokers, by the package of the function that makes them. */

interface GoClient extends ClientTarget {
  readonly type: string
  readonly module: RegExp
  readonly callee: RegExp
  /** The position of the address among the arguments; of options, that of the options. */
  readonly at: number
}

const { POSTGRES, MYSQL, SQLITE, SQL_SERVER, ANY_SQL, MONGO, REDIS, SEARCH, KAFKA, RABBIT, NATS } =
  CLIENT_TARGETS
const { FIRESTORE, COSMOS, COUCHBASE, JAEGER, MEMCACHED, ORACLE } = CLIENT_TARGETS
const KAFKA_GO = /^github\.com\/segmentio\/kafka-go$/
const CONFLUENT = /^github\.com\/confluentinc\/confluent-kafka-go(\/v\d+)?\/kafka$/
const JAEGER_CLIENT =
  /^github\.com\/uber\/jaeger-client-go\/config$|^go\.opentelemetry\.io\/otel\/exporters\/(trace\/)?jaeger$/

const clientRow = (type: string, module: RegExp, callee: RegExp, target: ClientTarget, at = 0): GoClient => ({
  type,
  module,
  callee,
  ...target,
  at,
})

const awsRow = (technology: string, protocol: string): GoClient =>
  clientRow(
    'AWS SDK',
    new RegExp(`^github\\.com/aws/aws-sdk-go(-v2)?/service/${technology.toLowerCase()}$`),
    /^New(FromConfig)?$/,
    { protocol, scheme: '', technology },
    9,
  )

const CLIENTS: readonly GoClient[] = [
  clientRow('database/sql', /^database\/sql$/, /^Open$/, ANY_SQL, 1),
  clientRow('sqlx', /^github\.com\/jmoiron\/sqlx$/, /^(Must)?(Open|Connect)(Context)?$/, ANY_SQL, 1),
  clientRow('GORM', /^gorm\.io\/driver\/postgres$/, /^(Open|New)$/, POSTGRES),
  clientRow('GORM', /^gorm\.io\/driver\/mysql$/, /^(Open|New)$/, MYSQL),
  clientRow('GORM', /^(gorm\.io\/driver\/sqlite|github\.com\/glebarez\/sqlite)$/, /^Open$/, SQLITE),
  clientRow('GORM', /^gorm\.io\/driver\/sqlserver$/, /^(Open|New)$/, SQL_SERVER),
  clientRow('GORM', /^github\.com\/jinzhu\/gorm$/, /^Open$/, ANY_SQL, 1),
  clientRow(
    'pgx',
    /^github\.com\/jackc\/pgx(\/v\d+)?(\/pgxpool)?$/,
    /^(Connect|New|ConnectConfig|NewWithConfig)$/,
    POSTGRES,
    1,
  ),
  clientRow('MongoDB', /^go\.mongodb\.org\/mongo-driver(\/v\d+)?\/mongo(\/options)?$/, /^ApplyURI$/, MONGO),
  clientRow(
    'Redis',
    /^github\.com\/(redis\/go-redis|go-redis\/redis)(\/v\d+)?$/,
    /^New(Client|ClusterClient|UniversalClient|FailoverClient)$/,
    REDIS,
  ),
  clientRow('Redis', /^github\.com\/gomodule\/redigo\/redis$/, /^DialURL$/, REDIS),
  clientRow('Redis', /^github\.com\/gomodule\/redigo\/redis$/, /^Dial$/, REDIS, 1),
  clientRow(
    'Elasticsearch',
    /^github\.com\/(elastic\/go-elasticsearch|opensearch-project\/opensearch-go)(\/v\d+)?$/,
    /^New(Default|Typed)?Client$/,
    SEARCH,
  ),
  clientRow('Elasticsearch', /olivere\/elastic/, /^SetURL$/, SEARCH),
  clientRow('memcache', /^github\.com\/bradfitz\/gomemcache\/memcache$/, /^New$/, MEMCACHED),
  clientRow('gocql', /^github\.com\/gocql\/gocql$/, /^NewCluster$/, {
    protocol: 'Cassandra',
    scheme: 'cassandra',
    technology: 'Cassandra',
  }),
  clientRow(
    'sarama',
    /^github\.com\/(IBM|Shopify)\/sarama$/,
    /^New(SyncProducer|AsyncProducer|ConsumerGroup|Consumer|Client)$/,
    KAFKA,
  ),
  clientRow('kafka-go', KAFKA_GO, /^(Writer|WriterConfig|ReaderConfig)$/, KAFKA),
  clientRow('confluent-kafka-go', CONFLUENT, /^New(Producer|Consumer)$/, KAFKA),
  clientRow(
    'amqp091',
    /^github\.com\/(rabbitmq\/amqp091-go|streadway\/amqp)$/,
    /^Dial(Config|TLS)?$/,
    RABBIT,
  ),
  clientRow('NATS', /^github\.com\/nats-io\/nats\.go$/, /^Connect$/, NATS),
  // The first text is the name of a project, not an address.
  clientRow(
    'Firestore',
    /^cloud\.google\.com\/go\/firestore(\/apiv1)?$/,
    /^NewClient(WithDatabase)?$/,
    FIRESTORE,
    9,
  ),
  clientRow(
    'Cosmos DB',
    /^github\.com\/Azure\/azure-sdk-for-go\/sdk\/data\/azcosmos$/,
    /^NewClient(With\w+|From\w+)?$/,
    COSMOS,
  ),
  clientRow('Jaeger', JAEGER_CLIENT, /^(Configuration|FromEnv|New)$/, JAEGER, 9),
  clientRow('Couchbase', /^github\.com\/couchbase\/gocb(\/v\d+)?$/, /^Connect$/, COUCHBASE),
  awsRow('S3', 'S3'),
  clientRow('MinIO', /^github\.com\/minio\/minio-go(\/v\d+)?$/, /^New$/, {
    protocol: 'S3',
    scheme: 'http',
    technology: 'S3',
  }),
  awsRow('DynamoDB', 'DynamoDB'),
  awsRow('SQS', 'Messaging-SQS'),
  awsRow('SNS', 'Messaging-SNS'),
]

/** Packages of the same libraries without a client of their own. */
const COMPANIONS =
  /^gorm\.io\/gorm$|^go\.mongodb\.org\/mongo-driver|^github\.com\/aws\/aws-sdk-go|^github\.com\/jackc\/pgx/
const MODULES = new RegExp(
  [...CLIENTS.map(({ module }) => module), COMPANIONS].map(({ source }) => source).join('|'),
)

/** Drivers of database/sql by their registered names and by the packages that register them. */
const DRIVERS: readonly (readonly [RegExp, RegExp, Pick<GoClient, 'scheme' | 'technology'>])[] = [
  [/^(postgres|pgx.*|pq|cloudsqlpostgres|nrpostgres)$/, /lib\/pq$|jackc\/pgx/, POSTGRES],
  [/^(mysql|nrmysql)$/, /go-sql-driver\/mysql$/, MYSQL],
  [/^sqlite3?$/, /sqlite3?$/, SQLITE],
  [/^(sqlserver|mssql|azuresql)$/, /go-mssqldb/, SQL_SERVER],
  [/^(oracle|godror)$/, /godror|go-ora/, ORACLE],
]

/** Fields of options that hold addresses. */
const ADDRESS_FIELDS = [
  'DSN',
  'Addr',
  'Addrs',
  'Addresses',
  'Brokers',
  'URL',
  'bootstrap.servers',
  'MasterName',
]

/** With a scheme, or a host with its port. Anything else may be a password. */
const ADDRESS = /^[a-z][\w+.-]*:\/\/|^sqlite:|^[\w.-]+:\d+$/

const storeClient = ({ call, scope }: PlacedCall): GoClient | undefined => {
  const module = moduleOf(call, scope)
  if (module === undefined)
    // `options.Client().ApplyURI(uri)`
    return call.name === 'ApplyURI' ? CLIENTS.find(({ callee }) => callee.test(call.name)) : undefined
  return CLIENTS.find((one) => one.module.test(module) && one.callee.test(call.name))
}

class GoConnection {
  readonly #placed: PlacedCall
  readonly #values: GoValues

  constructor(placed: PlacedCall, { resolver }: DetectionContext) {
    this.#placed = placed
    this.#values = new GoValues(resolver)
  }

  /** The text of an argument, of the address in options, or of a parsed address. */
  #addresses(at: number): readonly KnownText[] {
    const { call, scope } = this.#placed
    const given = call.args[at]
    const made = this.#values.source(given, scope)
    if (made?.value.kind === 'record')
      return this.#values.texts(recordEntry(made.value, ...ADDRESS_FIELDS), made.scope)
    if (made?.value.kind === 'call' && /^Parse\w*$/.test(made.value.call.name))
      return this.#values.texts(made.value.call.args[0], made.scope)
    return this.#values.texts(given, scope)
  }

  #driver(client: GoClient): Pick<GoClient, 'scheme' | 'technology'> {
    if (client.scheme !== '' || client.protocol !== 'SQL') return client
    const { call, scope } = this.#placed
    const name = this.#values.text(call.args[client.at - 1], scope)?.text ?? ''
    const found =
      DRIVERS.find(([driver]) => driver.test(name)) ??
      DRIVERS.find(([, module]) => scope.unit.imports.some((one) => module.test(one)))
    return found?.[2] ?? client
  }

  outbound(client: GoClient): readonly Outbound[] {
    const { call, scope } = this.#placed
    const at = client.callee.test('ConnectContext') && /Context$/.test(call.name) ? client.at + 1 : client.at
    const { scheme, technology } = this.#driver({ ...client, at })
    const found = this.#addresses(at)
    const isBroker = client.protocol.startsWith('Messaging')
    const targets = (found.length === 0 ? [undefined] : found).map((one) => {
      const address = one === undefined ? undefined : dsnAddress(scheme, one.text)
      const known = address !== undefined && isFixed(address) && ADDRESS.test(address)
      return {
        target_service: known ? databaseOf(address) : technology,
        // The password of a known address may be known only at run time.
        confidence: known
          ? one?.confidence === 'high'
            ? ('high' as const)
            : ('medium' as const)
          : ('low' as const),
        ...(address !== undefined &&
          !known &&
          /:\/\/.*\$\{/.test(address) && { origin: databaseOf(address) }),
      }
    })
    return targets.map((target) => ({
      ...target,
      protocol: client.protocol,
      type: isBroker ? 'Broker' : client.type,
      source_file: scope.unit.file,
      line: call.line,
      caller: scope.method.name,
    }))
  }
}

export const GO_DATA_CLIENTS: Framework = {
  name: 'database and broker clients',
  language: 'go',
  applies: importsModule(MODULES),
  outbound: (scope, context) =>
    goCalls(scope).flatMap((placed) => {
      const client = storeClient(placed)
      return client === undefined ? [] : new GoConnection(placed, context).outbound(client)
    }),
}
