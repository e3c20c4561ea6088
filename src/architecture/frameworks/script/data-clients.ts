import { databaseOf } from '../../connections/addresses.ts'
import type { Framework, Outbound } from '../../connections/framework.ts'
import { CallDetector, outboundAt } from '../../connections/framework.ts'
import type { CallExpression, Expression, Variable } from '../../source/source-unit.ts'
import { nameIn, recordEntry } from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { fileCalls } from '../../source/type-scope.ts'
import { CLIENT_TARGETS, type ClientTarget } from '../client-targets.ts'

/** Clients of stores and brokers, by the module that a called name is imported from. */

interface DataClient extends ClientTarget {
  readonly type: string
  readonly module: RegExp
  /** The imported name, or the member of the module; `default` for a default import. */
  readonly callee: RegExp
}

const { POSTGRES, MYSQL, MONGO, REDIS, SEARCH, CLICKHOUSE, ANY_SQL, SQLITE, KAFKA, RABBIT, BULL } =
  CLIENT_TARGETS
const { FIRESTORE, COSMOS, COUCHBASE, ORACLE, SQL_SERVER } = CLIENT_TARGETS
const FIREBASE = /^(getFirestore|initializeFirestore)$/

const AWS_CLIENTS: readonly (readonly [technology: string, protocol: string, callee: RegExp])[] = [
  ['S3', 'S3', /^S3(Client)?$/],
  ['DynamoDB', 'DynamoDB', /^DynamoDB(Client|\.DocumentClient)?$/],
  ['SQS', 'Messaging-SQS', /^SQS(Client)?$/],
  ['SNS', 'Messaging-SNS', /^SNS(Client)?$/],
]

const importedClient = (type: string, module: RegExp, callee: RegExp, target: ClientTarget): DataClient => ({
  type,
  module,
  callee,
  ...target,
})

const CLIENTS: readonly DataClient[] = [
  importedClient('ioredis', /^ioredis$/, /^(default|Redis|Cluster)$/, REDIS),
  importedClient('redis', /^(redis|@redis\/client)$/, /^create(Client|Cluster)$/, REDIS),
  importedClient('Keyv', /^@keyv\/redis$/, /^(default|createKeyv|KeyvRedis)$/, REDIS),
  importedClient('ClickHouse', /^@clickhouse\/client(-web)?$/, /^createClient$/, CLICKHOUSE),
  importedClient('pg', /^pg$/, /^(Pool|Client)$/, POSTGRES),
  importedClient('postgres', /^postgres$/, /^default$/, POSTGRES),
  importedClient('mysql', /^mysql2?(\/promise)?$/, /^create(Pool|Connection)$/, MYSQL),
  importedClient('mongodb', /^mongodb$/, /^MongoClient$/, MONGO),
  importedClient('Cosmos DB', /^@azure\/cosmos$/, /^CosmosClient$/, COSMOS),
  importedClient('Firestore', /^@google-cloud\/firestore$/, /^(default|Firestore)$/, FIRESTORE),
  importedClient('Firestore', /^firebase(-admin)?\/firestore(\/lite)?$/, FIREBASE, FIRESTORE),
  importedClient('Firestore', /^firebase(-admin)?$/, /^(default\.)?firestore$/, FIRESTORE),
  importedClient('Couchbase', /^couchbase$/, /^(default\.)?connect$/, COUCHBASE),
  importedClient('Mongoose', /^mongoose$/, /^(connect|createConnection)$/, MONGO),
  importedClient('Mongoose', /^@nestjs\/mongoose$/, /^forRoot(Async)?$/, MONGO),
  importedClient('TypeORM', /^typeorm$/, /^(DataSource|createConnection)$/, ANY_SQL),
  importedClient('TypeORM', /^@nestjs\/typeorm$/, /^forRoot(Async)?$/, ANY_SQL),
  importedClient('Sequelize', /^@nestjs\/sequelize$/, /^forRoot(Async)?$/, ANY_SQL),
  importedClient('BullMQ', /^@nestjs\/bull(mq)?$/, /^forRoot(Async)?$/, REDIS),
  importedClient('Sequelize', /^sequelize(-typescript)?$/, /^Sequelize$/, ANY_SQL),
  importedClient('Knex', /^knex$/, /^(default|knex|Knex)$/, ANY_SQL),
  importedClient('Drizzle', /^drizzle-orm\/(node-postgres|postgres-js)$/, /^drizzle$/, POSTGRES),
  importedClient('Drizzle', /^drizzle-orm\/mysql2$/, /^drizzle$/, MYSQL),
  importedClient('better-sqlite3', /^better-sqlite3$/, /^default$/, SQLITE),
  importedClient('Elasticsearch', /^@(elastic|opensearch-project)\//, /^Client$/, SEARCH),
  importedClient('kafkajs', /^kafkajs$/, /^Kafka$/, KAFKA),
  importedClient('amqplib', /^(amqplib(\/callback_api)?|amqp-connection-manager)$/, /^connect$/, RABBIT),
  importedClient('BullMQ', /^(bullmq|bull)$/, /^(Queue|default)$/, BULL),
  ...AWS_CLIENTS.flatMap(([technology, protocol, callee]) => {
    const target = { protocol, scheme: '', technology }
    const name = technology.toLowerCase()
    return [
      importedClient('AWS SDK', new RegExp(`^@aws-sdk/client-${name}$|^aws-sdk$`), callee, target),
      importedClient(
        'AWS SDK',
        new RegExp(`^aws-sdk/clients/${name}$`),
        /^(default|DocumentClient)$/,
        target,
      ),
    ]
  }),
]

const MODULES = new RegExp(CLIENTS.map(({ module }) => module.source).join('|'))

/** The database of `{ type: 'postgres' }`, `{ dialect: 'mysql' }` or `{ client: 'pg' }`. */
const DATABASES: readonly (readonly [RegExp, Pick<DataClient, 'scheme' | 'technology'>])[] = [
  [/^(postgres(ql)?|pg|pg-native|cockroachdb)$/, POSTGRES],
  [/^(mysql2?|mariadb)$/, MYSQL],
  [/sqlite/, SQLITE],
  [/^(mssql|tedious)$/, SQL_SERVER],
  [/^oracle(db)?$/, ORACLE],
  [/^mongodb$/, MONGO],
]

/** A member of a record, of the first one that has it. */
export const optionIn = (
  options: readonly Expression[],
  ...names: readonly string[]
): Expression | undefined => options.map((one) => recordEntry(one, ...names)).find((one) => one !== undefined)

/** `name` of an import, or `module.member`. */
const importedName = ({ receiver, name, makes }: CallExpression, { unit }: TypeScope) => {
  const owner = nameIn(receiver)
  if (receiver !== undefined && owner === '') return undefined
  const [head = '', ...rest] = (makes || owner === '' ? name : `${owner}.${name}`).split('.')
  const binding = unit.bindings.get(head)
  // `require('knex')({ … })`
  if (binding === undefined)
    return receiver === undefined && unit.imports.includes(name)
      ? { module: name, name: 'default' }
      : undefined
  return { module: binding.module, name: rest.length === 0 ? binding.name : rest.join('.') }
}

const dataClientOf = (call: CallExpression, scope: TypeScope): DataClient | undefined => {
  const found = importedName(call, scope)
  if (found === undefined) return undefined
  return CLIENTS.find(({ module, callee }) => module.test(found.module) && callee.test(found.name))
}

const isResolved = (text: string): boolean => text !== '' && !/^[{$]|:\/\/[{$]/.test(text)

/** The options that `useFactory` of Nest returns. */
const returned = (options: Expression): Expression => {
  const factory = optionIn([options], 'useFactory')
  return (factory?.kind === 'other' ? factory.lambda?.returns : undefined) ?? options
}

class DataConnection extends CallDetector {
  #text(expression: Expression | undefined): KnownText | undefined {
    return this.context.resolver.text(expression, this.scope)
  }

  /** Records among the arguments, those inside of `connection` included; names are resolved in this file. */
  #options(): readonly Expression[] {
    const given = this.call.args.map((one) => returned(this.#record(one)))
    return [
      ...given,
      ...given.flatMap((one) => this.#record(optionIn([one], 'connection', 'socket', 'redis'))),
    ]
  }

  #record(value: Expression | undefined): Expression {
    const none: Expression = { kind: 'other', text: '' }
    if (value?.kind !== 'name') return value ?? none
    const isRecord = (one: Variable) => one.value?.kind === 'record'
    const here = this.scope.variables(value.name).find(isRecord)
    if (here !== undefined) return here.value ?? value
    const { unit, name } = this.context.modules.declaration(value.name, this.scope.unit)
    return unit.topLevel.locals.find((one) => one.name === name && isRecord(one))?.value ?? value
  }

  #address(scheme: string, options: readonly Expression[]): KnownText | undefined {
    const [first] = this.call.args
    const url =
      optionIn(
        options,
        'url',
        'uri',
        'connectionString',
        'node',
        'endpoint',
        'brokers',
        'filename',
        'storage',
      ) ?? (options[0]?.kind === 'record' ? undefined : first)
    const connection = optionIn(options, 'connection')
    const text = this.#text(url ?? (connection?.kind === 'record' ? undefined : connection))
    if (text !== undefined) return text
    const host = this.#text(optionIn(options, 'host'))
    if (host === undefined) return undefined
    const port = this.#text(optionIn(options, 'port'))?.text ?? ''
    const database = this.#text(optionIn(options, 'database', 'db'))?.text ?? ''
    const shown = `${host.text}${/^\d+$/.test(port) ? `:${port}` : ''}`
    const path = isResolved(database) && scheme !== 'redis' ? `/${database}` : ''
    return { ...host, text: isResolved(host.text) ? `${scheme}://${shown}${path}` : host.text }
  }

  outbound(): readonly Outbound[] {
    const client = dataClientOf(this.call, this.scope)
    if (client === undefined) return []
    const options = this.#options()
    const kind = this.#text(optionIn(options, 'type', 'dialect', 'client'))?.text ?? ''
    const { scheme, technology } =
      client.scheme === '' && client.protocol === 'SQL'
        ? (DATABASES.find(([pattern]) => pattern.test(kind))?.[1] ?? client)
        : client
    // A pool that is passed on was found where it was made.
    if (client.type === 'Drizzle' && !/^(text|join|record)$/.test(this.call.args[0]?.kind ?? '')) return []
    const found = this.#address(scheme, options)
    const isQueue = client.protocol === 'Messaging-BullMQ'
    if (isQueue && (found === undefined || !isResolved(found.text))) return []
    // `knex('users')` is a query.
    if (client.type === 'Knex' && options[0]?.kind !== 'record') return []
    const needsScheme = !client.protocol.startsWith('Messaging') && technology !== 'SQLite'
    const known =
      found !== undefined && isResolved(found.text) && (!needsScheme || found.text.includes('://'))
    const isFile = technology === 'SQLite' && known && !found.text.includes(':')
    const isBroker = client.protocol.startsWith('Messaging') && !isQueue
    const target = known ? databaseOf(isFile ? `sqlite:${found.text}` : found.text) : technology
    return [
      outboundAt(
        this.scope,
        this.call.line,
        { text: target, confidence: known ? found.confidence : 'low' },
        {
          protocol: client.protocol,
          type: isBroker ? 'Broker' : client.type,
          ...(found !== undefined && !known && found.text.startsWith('$') && { origin: found.text }),
        },
      ),
    ]
  }
}

export const SCRIPT_DATA_CLIENTS: Framework = {
  name: 'database and broker clients',
  language: 'script',
  applies: ({ imports }) => imports.some((name) => MODULES.test(name)),
  outbound: (scope, context) =>
    fileCalls(scope).flatMap(({ call, scope: inside }) =>
      new DataConnection(call, inside.atLine(call.line), context).outbound(),
    ),
}
