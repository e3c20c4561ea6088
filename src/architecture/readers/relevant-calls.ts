/**
 * Names of calls that a detector may use. All others are skipped while a file is read: reading every call of a large
 * project would take most of the time.
 */
const HTTP =
  'getFor\\w+|postFor\\w+|put|patchForObject|delete|headForHeaders|optionsForAllow|exchange|execute|baseUrl|rootUri|create|uri|url|newBuilder'
const MESSAGES = 'send|convertAndSend|sendAndReceive|convertSendAndReceive'
const GRPC = 'new\\w*Stub|forAddress|forTarget|newChannelBuilder|(\\w+\\.)*\\w+CoroutineStub'
const DATA =
  'query\\w*|update|batchUpdate|sql|persist|merge|find\\w*|remove|create\\w*Query|save\\w*|insert\\w*|upsert\\w*|delete\\w*|aggregate\\w*|count|exists|opsFor\\w+|select\\w*|search\\w*|index|expire'
const ROUTES = 'GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS'
const CODE_SMELLS = 'printStackTrace'

const JVM = [HTTP, MESSAGES, GRPC, DATA, ROUTES, CODE_SMELLS, 'Thread'].join('|')
const SCRIPT = [
  'get|post|put|patch|delete|head|options|all|use|route|register|del|fetch|axios|got|ky|request|stream',
  'create|extend|setGlobalPrefix|enableVersioning|listen|bindAsync|router|\\w*[rR]outer|\\w*Routers|\\w*[rR]outes?|mount|on|openapi',
  '(?:legacyC|c)reateProxyMiddleware|createProxyServer|createProxy|proxy|httpProxy|web',
  'ApolloServer|createSchema|createYoga|makeExecutableSchema|buildSubgraphSchema|GraphQLServer',
  // `require('./users')(app)` and `require('knex')({ … })`
  `require\\(['"](?:\\.|knex['"])[^)]*\\)`,
  'Redis|Cluster|createKeyv|KeyvRedis|createClient|createCluster|Pool|Client|createPool|createConnection|connect|Sequelize',
  'MongoClient|DataSource|postgres|knex|Knex|drizzle|Database|Queue|Worker|FlowProducer|Kafka|\\w+Client|S3|forRoot|forRootAsync|DynamoDB|(?:getF|initializeF|[Ff])irestore',
  'send|emit|getService|createMicroservice|connectMicroservice|registerAsync|sendBatch|sendToQueue|publish|consume|subscribe|assertQueue|process|SQS|SNS|DocumentClient',
  'SendMessage(?:Batch)?Command|ReceiveMessageCommand|Publish(?:Batch)?Command|sendMessage(?:Batch)?|receiveMessage',
].join('|')

export interface RelevantCalls {
  /** Prefilter: whether a text may contain a relevant call. */
  readonly within: RegExp
  /** Whether a name is the name of a relevant call. */
  readonly exactly: RegExp
  /** Calls that are read with the calls around them, which hold their path prefixes. */
  readonly nested: RegExp
}

const ROUTE_CALL =
  /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Get|Post|Put|Patch|Delete|Head|Options|HandleFunc|Handle|Method|MethodFunc)$/

/** Spring's functional routes may have a predicate in the place of a method: `route(path("/x"), …)`. */
const SPRING_ROUTE = new RegExp(`${ROUTE_CALL.source}|^(route|andRoute)$`)

const compileNames = (names: string, nested = ROUTE_CALL): RelevantCalls => ({
  within: new RegExp(`\\b(?:${names})\\s*[(<{]`),
  exactly: new RegExp(`^(?:${names})$`),
  nested,
})

const JVM_CALLS: RelevantCalls = compileNames(JVM)

/** Calls of libraries whose method names are too common to be read in every file. */
const JVM_LIBRARIES: readonly (readonly [imports: RegExp, names: string])[] = [
  [/^org\.springframework\.cloud\.gateway\./, 'route|path|before'],
  [/^org\.springframework\.web\.service\./, 'createClient'],
  [/^org\.springframework\.web\.(reactive\.|servlet\.)?function\./, 'route|andRoute|nest|path|add|method'],
  [/^org\.springframework\.cloud\.client\./, 'getInstances|choose'],
  [/^org\.apache\.(http|hc)\./, 'Http(Get|Post|Put|Patch|Delete|Head)'],
  [/^org\.apache\.kafka\.clients\./, 'subscribe'],
  [/^org\.jetbrains\.exposed\./, 'connect'],
]

/** The functions of a Ktor application are routes as well: every call counts, with the calls around it. */
const KTOR_CALLS = compileNames('\\w+', /./)
const KTOR = /^io\.ktor\./

const compiled = new Map<string, RelevantCalls>()

/** The relevant calls of a Java or Kotlin file with these imports. */
export const jvmCalls = (imports: readonly string[]): RelevantCalls => {
  if (imports.some((name) => KTOR.test(name))) return KTOR_CALLS
  const added = JVM_LIBRARIES.flatMap(([library, names]) =>
    imports.some((name) => library.test(name)) ? [names] : [],
  )
  if (added.length === 0) return JVM_CALLS
  const names = [JVM, ...added].join('|')
  const known = compiled.get(names) ?? compileNames(names, SPRING_ROUTE)
  compiled.set(names, known)
  return known
}

export const SCRIPT_CALLS: RelevantCalls = compileNames(SCRIPT)

const PYTHON = [
  'get|post|put|patch|delete|head|options|request|websocket|api_route|add_api_route|add_route|route|mount|add_\\w+|ws_connect',
  'include_router|register_blueprint|register|add_url_rule|add_resource|path|re_path|url|include|as_view',
  'urlopen|Request|Session|Client|AsyncClient|ClientSession|stream|register_tortoise|init|driver|Minio',
  'create_engine|create_async_engine|connect|connect_robust|create_pool|\\w*ConnectionPool|\\w*Database|Redis|StrictRedis|RedisCluster|from_url|create_redis_pool',
  '\\w*MongoClient|CosmosClient|from_connection_string|AsyncIOMotorClient|MotorClient|\\w*Elasticsearch|\\w*OpenSearch|PooledClient|HashClient|ConnectionParameters|URLParameters|Connection',
  'delay|apply_async|send_task|signature|s|si|publish|basic_publish|basic_consume|consume|send|send_and_wait|produce|subscribe|iterator',
  'send_message|send_message_batch|receive_message|KafkaAdminClient|Celery|SQLAlchemy|init_app|from_object',
  'KafkaProducer|KafkaConsumer|AIOKafkaProducer|AIOKafkaConsumer|\\w*Producer|\\w*Consumer|insecure_channel|secure_channel',
  'run|\\w+Stub|add_\\w+Servicer_to_server|client|resource|add_periodic_task|add_job',
].join('|')

export const PYTHON_CALLS: RelevantCalls = compileNames(PYTHON)

const GO = [
  'GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Get|Post|Put|Patch|Delete|Head|Options|All|Add',
  'Handle|HandleFunc|Method|MethodFunc|Methods|Mount|Route|Group|PathPrefix|Subrouter|Heartbeat|PostForm|Do',
  '\\w*[rR]oute\\w*|\\w*[hH]andler\\w*|\\w*API\\w*|[rR]egister\\w*|[sS]etup\\w*|[nN]ew\\w*|[iI]nit\\w*',
  '[oO]pen\\w*|[cC]onnect\\w*|Listen\\w*|MustConnect\\w*|Dial\\w*|ApplyURI|ParseURL|ParseConfig|SetBaseURL|SetHostURL',
  'Produce|SendMessage|SendMessages|Consume|ConsumePartition|Subscribe\\w*|QueueSubscribe\\w*|Publish\\w*|WriteMessages|Run|Start',
].join('|')

export const GO_CALLS: RelevantCalls = compileNames(GO)
