/**
 * Names of the calls that may tell something. All others are passed over while the file is read: going through every
 * call of a large project takes most of the time, and nearly all of them call nobody outside.
 */
const HTTP =
  'getFor\\w+|postFor\\w+|put|patchForObject|delete|headForHeaders|optionsForAllow|exchange|execute|baseUrl|rootUri|create|uri|url|newBuilder'
const MESSAGES = 'send|convertAndSend|sendAndReceive|convertSendAndReceive'
const GRPC = 'new\\w*Stub|forAddress|forTarget|newChannelBuilder|(\\w+\\.)*\\w+CoroutineStub'
const DATA =
  'query\\w*|update|batchUpdate|sql|persist|merge|find\\w*|remove|create\\w*Query|save\\w*|insert\\w*|upsert\\w*|delete\\w*|aggregate\\w*|count|exists|opsFor\\w+|select\\w*|search\\w*|index|expire'
const ROUTES = 'GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS'
const SMELLS = 'printStackTrace'

const JVM = [HTTP, MESSAGES, GRPC, DATA, ROUTES, SMELLS, 'Thread'].join('|')
const SCRIPT = 'get|post|put|patch|delete|head|options|all|use|route|fetch|axios|got|request'

export interface RelevantCalls {
  /** Whether a text may hold a call that matters. */
  readonly within: RegExp
  /** Whether a name is that of such a call. */
  readonly exactly: RegExp
}

const namesOf = (names: string): RelevantCalls => ({
  within: new RegExp(`\\b(?:${names})\\s*[(<{]`),
  exactly: new RegExp(`^(?:${names})$`),
})

export const JVM_CALLS: RelevantCalls = namesOf(JVM)
export const SCRIPT_CALLS: RelevantCalls = namesOf(SCRIPT)
