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
  'create|extend|setGlobalPrefix|enableVersioning|router|\\w*[rR]outer|\\w*Routers|\\w*[rR]outes?|mount|on|openapi',
  'ApolloServer|createSchema|createYoga|makeExecutableSchema|buildSubgraphSchema|GraphQLServer',
  // `require('./users')(app)` and `require('knex')({ … })`
  `require\\(['"](?:\\.|knex['"])[^)]*\\)`,
  'Redis|Cluster|createClient|createCluster|Pool|Client|createPool|createConnection|connect|Sequelize',
  'MongoClient|DataSource|postgres|knex|Knex|drizzle|Database|Queue|Worker|FlowProducer|Kafka|\\w+Client|S3|forRoot|forRootAsync|DynamoDB',
  'send|emit|getService|createMicroservice|connectMicroservice|registerAsync|sendBatch|sendToQueue|publish|consume|subscribe|assertQueue|process|SQS|SNS|DocumentClient',
  'SendMessage(?:Batch)?Command|ReceiveMessageCommand|Publish(?:Batch)?Command|sendMessage(?:Batch)?|receiveMessage',
].join('|')

export interface RelevantCalls {
  /** Prefilter: whether a text may contain a relevant call. */
  readonly within: RegExp
  /** Whether a name is the name of a relevant call. */
  readonly exactly: RegExp
}

const compileNames = (names: string): RelevantCalls => ({
  within: new RegExp(`\\b(?:${names})\\s*[(<{]`),
  exactly: new RegExp(`^(?:${names})$`),
})

export const JVM_CALLS: RelevantCalls = compileNames(JVM)
export const SCRIPT_CALLS: RelevantCalls = compileNames(SCRIPT)

const PYTHON = [
  'get|post|put|patch|delete|head|options|request|websocket|api_route|add_api_route|add_route|route|mount',
  'include_router|register_blueprint|register|add_url_rule|add_resource|path|re_path|url|include|as_view',
  'urlopen|Session|Client|AsyncClient|ClientSession|stream',
  'create_engine|create_async_engine|connect|Redis|StrictRedis|from_url|MongoClient|AsyncIOMotorClient|Elasticsearch',
  'delay|apply_async|send_task|publish|basic_publish|basic_consume|send|send_and_wait|produce|subscribe',
  'KafkaProducer|KafkaConsumer|AIOKafkaProducer|AIOKafkaConsumer|Producer|Consumer|insecure_channel|secure_channel',
  '\\w+Stub|add_\\w+Servicer_to_server|client|resource|add_periodic_task|add_job',
].join('|')

export const PYTHON_CALLS: RelevantCalls = compileNames(PYTHON)

const GO = [
  'GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Get|Post|Put|Patch|Delete|Head|Options|All|Add',
  'Handle|HandleFunc|Method|MethodFunc|Methods|Mount|Route|Group|PathPrefix|Subrouter|PostForm|Do',
  'NewRequest|NewRequestWithContext|Register\\w+Server|New\\w+Client|New\\w*Router|NewServeMux|\\w*[rR]oute\\w*|\\w*[hH]andler\\w*',
  'Open|OpenDB|Connect|MustConnect|New|NewPool|NewClient|NewReader|NewWriter|NewSyncProducer|NewAsyncProducer',
  'NewConsumerGroup|NewProducer|NewConsumer|Subscribe|SubscribeTopics|Publish|WriteMessages|register\\w*|setup\\w*|Register\\w*|Setup\\w*',
].join('|')

export const GO_CALLS: RelevantCalls = compileNames(GO)
