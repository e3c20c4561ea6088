import { isTestPath } from '../source/discovery-rules.ts'
import { type Deployable, plainName, type ServiceEvidence } from './service-draft.ts'

/** A store, a broker or a service that Terraform creates. */
export interface CloudResource {
  readonly kind: 'store' | 'broker' | 'service'
  readonly name: string
  readonly technology: string
  readonly source: ServiceEvidence
}

interface ResourceKind {
  readonly type: RegExp
  readonly kind: CloudResource['kind']
  /** Undefined when an attribute says it. */
  readonly technology?: string
  /** Queues, topics, streams and buckets of one account are one box. */
  readonly isShared?: true
}

const KINDS: readonly ResourceKind[] = [
  { type: /^aws_(db_instance|rds_cluster)$|^google_sql_database_instance$/, kind: 'store' },
  {
    type: /^aws_elasticache_(cluster|replication_group|serverless_cache)$/,
    kind: 'store',
    technology: 'Redis',
  },
  {
    type: /^aws_memorydb_cluster$|^google_redis_(instance|cluster)$|^azurerm_redis_cache$/,
    kind: 'store',
    technology: 'Redis',
  },
  { type: /^google_memcache_instance$/, kind: 'store', technology: 'Memcached' },
  { type: /^aws_dynamodb_(global_)?table$/, kind: 'store', technology: 'DynamoDB' },
  { type: /^aws_s3_bucket$/, kind: 'store', technology: 'S3', isShared: true },
  { type: /^google_storage_bucket$/, kind: 'store', technology: 'Cloud Storage', isShared: true },
  { type: /^azurerm_storage_account$/, kind: 'store', technology: 'Azure Storage' },
  { type: /^aws_(opensearch|elasticsearch)_domain$/, kind: 'store', technology: 'Elasticsearch' },
  { type: /^aws_docdb_cluster$/, kind: 'store', technology: 'MongoDB' },
  { type: /^aws_redshift_cluster$/, kind: 'store', technology: 'Redshift' },
  { type: /^google_spanner_instance$/, kind: 'store', technology: 'Spanner' },
  { type: /^google_firestore_database$/, kind: 'store', technology: 'Firestore' },
  {
    type: /^google_alloydb_cluster$|^azurerm_postgresql_(flexible_)?server$/,
    kind: 'store',
    technology: 'PostgreSQL',
  },
  { type: /^azurerm_(mysql_(flexible_)?|mariadb_)server$/, kind: 'store', technology: 'MySQL' },
  { type: /^azurerm_mssql_(server|managed_instance)$/, kind: 'store', technology: 'SQL Server' },
  { type: /^azurerm_cosmosdb_account$/, kind: 'store', technology: 'Cosmos DB' },
  { type: /^aws_sqs_queue$/, kind: 'broker', technology: 'SQS', isShared: true },
  { type: /^aws_sns_topic$/, kind: 'broker', technology: 'SNS', isShared: true },
  { type: /^aws_kinesis_stream$/, kind: 'broker', technology: 'Kinesis', isShared: true },
  { type: /^google_pubsub_topic$/, kind: 'broker', technology: 'Pub/Sub', isShared: true },
  {
    type: /^azurerm_servicebus_(namespace|queue|topic)$/,
    kind: 'broker',
    technology: 'Service Bus',
    isShared: true,
  },
  { type: /^azurerm_eventhub(_namespace)?$/, kind: 'broker', technology: 'Event Hubs', isShared: true },
  { type: /^aws_msk_(serverless_)?cluster$/, kind: 'broker', technology: 'Kafka' },
  { type: /^aws_mq_broker$/, kind: 'broker' },
  {
    type: /^aws_(lambda_function|ecs_service|apprunner_service)$|^google_(cloud_run(_v2)?_service|cloudfunctions2?_function)$|^azurerm_((linux_|windows_)?(web_app|function_app)|container_app|app_service)$/,
    kind: 'service',
    technology: 'service',
  },
]

/** Engines and versions, as attributes name them. */
const ENGINES: readonly (readonly [RegExp, string])[] = [
  [/postgres/i, 'PostgreSQL'],
  [/mysql|mariadb|^aurora$/i, 'MySQL'],
  [/sqlserver/i, 'SQL Server'],
  [/oracle/i, 'Oracle'],
  [/memcached/i, 'Memcached'],
  [/rabbit/i, 'RabbitMQ'],
  [/activemq/i, 'ActiveMQ'],
]

/** Buckets of builds, logs and states, which the system does not use. */
const BUILD_NAME =
  /(^|_|-)(build|cache|artifacts?|tf_?state|terraform|state|logs?|logging|ci|cd|cicd|releases?|pipelines?|cloudtrail)(_|-|$)/

const RESOURCE = /^resource\s+"(\w+)"\s+"([\w-]+)"\s*\{/gm
const MAX_BODY = 20_000

/** The attribute of a resource that is a plain text; those of nested blocks are indented deeper. */
const attribute = (body: string, names: string): string | undefined =>
  new RegExp(`^[ \\t]{1,4}(?:${names})[ \\t]*=[ \\t]*"([^"$\\n]+)"`, 'm').exec(body)?.[1]

/** The end of a block, by its braces. */
const blockEnd = (text: string): number => {
  let depth = 1
  for (const { 0: mark, index } of text.matchAll(/[{}]/g)) {
    depth += mark === '{' ? 1 : -1
    if (depth === 0) return index
  }
  return text.length
}

const resourcesOf = (file: string, text: string): readonly CloudResource[] => {
  let [line, counted] = [1, 0]
  return [...text.matchAll(RESOURCE)].flatMap(({ 0: whole, 1: type = '', 2: label = '', index }) => {
    const found = KINDS.find((one) => one.type.test(type))
    if (found === undefined || (found.isShared === true && BUILD_NAME.test(label))) return []
    line += text.slice(counted, index).split('\n').length - 1
    counted = index
    const rest = text.slice(index + whole.length, index + MAX_BODY)
    const body = rest.slice(0, blockEnd(rest))
    const engine = attribute(body, 'engine|engine_type|database_version') ?? ''
    const technology =
      ENGINES.find(([pattern]) => pattern.test(engine))?.[1] ?? found.technology ?? 'database'
    const named = attribute(
      body,
      'identifier|cluster_identifier|cluster_id|replication_group_id|function_name|service_name|broker_name|cluster_name|bucket|domain_name|name',
    )
    return [
      {
        kind: found.kind,
        name: found.isShared === true ? technology : (named ?? label),
        technology,
        source: { file, line, reason: `${type}.${label}` },
      },
    ]
  })
}

/** What the Terraform files of a project create; examples of how to use a module create nothing here. */
export const cloudResources = (texts: ReadonlyMap<string, string>): readonly CloudResource[] =>
  [...texts].flatMap(([file, text]) =>
    file.endsWith('.tf') && !isTestPath(file) && !/(^|\/)examples?\//.test(file)
      ? resourcesOf(file, text)
      : [],
  )

/** Functions and services of a cloud that no other file shows. */
export const cloudServices = (
  resources: readonly CloudResource[],
  known: readonly Deployable[],
): readonly Deployable[] => {
  const names = new Set(
    known.flatMap(({ name, aliases }) =>
      [name, ...aliases].flatMap((one) => [one.toLowerCase(), plainName(one)]),
    ),
  )
  const found = new Map<string, Deployable>()
  for (const { kind, name, source } of resources)
    if (
      kind === 'service' &&
      !names.has(name.toLowerCase()) &&
      !names.has(plainName(name)) &&
      !found.has(name)
    )
      found.set(name, { name, kind: 'service', shownBy: [source], aliases: [name], libraries: [] })
  return [...found.values()]
}
