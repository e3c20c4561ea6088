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
const SCRIPT = 'get|post|put|patch|delete|head|options|all|use|route|register|del|fetch|axios|got|request'

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
