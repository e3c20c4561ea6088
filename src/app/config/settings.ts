import { DEFAULT_LIMITS } from '../../kernel/limits.ts'
import type { Provider } from '../../packets/embed.ts'
import { LOG_FORMATS, LOG_LEVELS } from '../../platform/system/log.ts'
import { DIALECT_NAMES } from '../../surfaces/mcp/dialect.ts'

/** What one setting may be. `T` is what the program gets. */
interface Rule<T> {
  readonly kind: 'text' | 'number' | 'switch' | 'list'
  readonly fallback: T
  readonly description: string
  readonly choices: readonly string[]
  readonly secret: boolean
  /** Why a value will not do; undefined when it will. */
  readonly refuse: (value: unknown) => string | undefined
}

type Refuse = Rule<unknown>['refuse']
const plain = { choices: [], secret: false } as const

const isText = (value: unknown, least = 1): value is string =>
  typeof value === 'string' && value.length >= least
const wantText: Refuse = (value) => (isText(value) ? undefined : 'expected text')
const wantList: Refuse = (value) =>
  Array.isArray(value) && value.every((item) => isText(item)) ? undefined : 'expected a list of names'
const wantSwitch: Refuse = (value) => (typeof value === 'boolean' ? undefined : 'expected true or false')
const wantNumber =
  (least: number, most: number): Refuse =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
      ? undefined
      : `expected a whole number from ${least} to ${most}`

const text = (fallback: string, description: string): Rule<string> => ({
  ...plain,
  kind: 'text',
  fallback,
  description,
  refuse: wantText,
})
const optional = (description: string, refuse: Refuse, secret = false): Rule<string | undefined> => ({
  ...plain,
  kind: 'text',
  fallback: undefined,
  description,
  secret,
  refuse,
})
const names = (description: string): Rule<readonly string[]> => ({
  ...plain,
  kind: 'list',
  fallback: [],
  description,
  refuse: wantList,
})
const toggle = (description: string): Rule<boolean> => ({
  ...plain,
  kind: 'switch',
  fallback: false,
  description,
  refuse: wantSwitch,
})
const whole = (fallback: number, description: string, least = 1, most = 2 ** 31 - 1): Rule<number> => ({
  ...plain,
  kind: 'number',
  fallback,
  description,
  refuse: wantNumber(least, most),
})
const choice = <const C extends string>(
  choices: readonly C[],
  fallback: NoInfer<C>,
  description: string,
): Rule<C> => ({
  ...plain,
  kind: 'text',
  fallback,
  description,
  choices,
  refuse: (value) =>
    choices.some((one) => one === value) ? undefined : `expected one of ${choices.join(', ')}`,
})

/**
 * Everything that can be set. A key `limits.callMs` is the flag `--limits-call-ms` and the variable
 * `WARRANT_LIMITS_CALL_MS`; nothing else in the program reads the environment. A table and not a schema
 * library's, because it is built and checked at every start.
 */
const RULES = {
  root: text('.', 'Folder the server speaks about.'),
  stateDir: text('.warrant', 'Where state is kept, relative to the root.'),
  toolsets: names('Toolsets to switch on; none or "all" means every one.'),
  tools: names('Only these tools.'),
  excludeTools: names('Never these tools.'),
  readOnly: toggle('Offer no tool that writes. Wins over every other choice.'),
  toolNames: choice(
    ['underscore', 'dotted'],
    'underscore',
    'How tool names are listed; both spellings are always accepted.',
  ),
  dialect: choice(DIALECT_NAMES, 'standard', 'How failures look on the wire.'),
  host: text('127.0.0.1', 'Address to listen on. Off loopback, a token is required.'),
  port: whole(7331, 'Port to listen on; 0 picks a free one.', 0, 65_535),
  token: optional(
    'Bearer token that HTTP requests must carry.',
    (value) => (isText(value, 16) ? undefined : 'expected at least 16 characters'),
    true,
  ),
  issuer: optional('OAuth issuer to name in the protected-resource metadata.', (value) =>
    isText(value) && URL.canParse(value) ? undefined : 'expected a URL',
  ),
  allowedHosts: names('Host names to accept beside the loopback ones.'),
  allowedOrigins: names('Origin host names to accept beside the loopback ones.'),
  store: optional(
    'Where logs are kept: `memory`, a file, or a postgres:// address. A file in the state folder when absent.',
    // A file called redis:/… would be made without a word.
    (value) =>
      isText(value) && !/^(?!postgres(?:ql)?:)[a-z][a-z0-9+.-]*:\/\//i.test(value)
        ? undefined
        : 'expected memory, a file, or a postgres:// address',
    true,
  ),
  graph: text('default', 'Name of the belief graph.'),
  wire: choice(
    ['documented', 'legacy'],
    'documented',
    'Shapes the belief tools answer in; legacy is what an older server wrote.',
  ),
  allowCycles: toggle('Let a new belief graph have cycles. Part of its genesis.'),
  clock: choice(
    ['wall', 'deterministic'],
    'wall',
    'Time that entries carry; deterministic is for replays and tests.',
  ),
  sdd: choice(
    ['auto', 'always'],
    'auto',
    'When the gate asks for a specification: wherever there is an openspec folder, or always.',
  ),
  snapshotEvery: whole(1_000, 'Entries between two snapshots of a belief graph.'),
  packetRoot: text('.cpm', 'Folder for knowledge packets, relative to the root.'),
  registry: optional('Registry that packets come from, as host[:port]/path.', wantText),
  catalog: optional(
    'Catalog that packets are found in: a file of `warrant packet catalog`, or an oci:// reference.',
    wantText,
  ),
  registries: names('Further registry hosts to ask, also in private networks.'),
  plainRegistries: names('Registry hosts to speak to without TLS; loopback ones always are.'),
  allowedRegistries: names('The only registry hosts to ask, with all below them; none means any.'),
  maxPacketBytes: whole(16 * 1024 ** 3, 'Largest packet to fetch, in bytes.', 1, Number.MAX_SAFE_INTEGER),
  embeddingUrl: optional('Embedding server that speaks the protocol of OpenAI.', (value) =>
    isText(value) && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
      ? undefined
      : 'expected an http:// or https:// URL',
  ),
  embeddingModel: optional('Model to ask the embedding server for.', wantText),
  embeddingKey: optional('Key for the embedding server.', wantText, true),
  embeddingQueryPrefix: optional('What the model wants before a question, as "query: ".', wantText),
  embeddingDocumentPrefix: optional('What the model wants before a document, as "passage: ".', wantText),
  exportRoot: text('.', 'Folder that exports stay in, relative to the root.'),
  deny: names('Globs of paths that the project tools keep out of sight.'),
  denyHardlinks: toggle('Refuse to read files that have more than one name.'),
  oneFileSystem: toggle('Do not read across the mounts below the root.'),
  extensions: names('Endings of the files that project_* tools read; none means the usual text files.'),
  logLevel: choice(LOG_LEVELS, 'info', 'Least severe log line to write.'),
  logFormat: choice(LOG_FORMATS, 'json', 'How log lines look on stderr.'),
  'limits.lineBytes': whole(DEFAULT_LIMITS.lineBytes, 'Longest line accepted on stdio, in bytes.'),
  'limits.bodyBytes': whole(DEFAULT_LIMITS.bodyBytes, 'Largest body accepted on /mcp, in bytes.'),
  'limits.answerBytes': whole(DEFAULT_LIMITS.answerBytes, 'Largest answer of a tool, in bytes of JSON.'),
  'limits.callMs': whole(DEFAULT_LIMITS.callMs, 'Longest a call may run, in milliseconds.'),
  'limits.drainMs': whole(
    DEFAULT_LIMITS.drainMs,
    'Longest wait for answers under way when the client hangs up, in milliseconds.',
  ),
  'limits.headersMs': whole(10_000, 'Longest wait for the headers of a request, in milliseconds.'),
  'limits.requestMs': whole(30_000, 'Longest wait for a whole request, in milliseconds.'),
}

type Rules = typeof RULES
type ValueOf<R> = R extends Rule<infer T> ? T : never

export type Config = {
  readonly [K in keyof Rules as K extends `${string}.${string}` ? never : K]: ValueOf<Rules[K]>
} & {
  readonly limits: {
    readonly [K in keyof Rules as K extends `limits.${infer Name}` ? Name : never]: ValueOf<Rules[K]>
  }
  /** No setting: the keys whose values are the word of a file that merely lay there. */
  readonly found: readonly string[]
  /** No setting: what the file of providers says, when the operator asked for one. It may hold secrets. */
  readonly provider?: Provider
}

export interface Setting extends Rule<unknown> {
  /** Its place in `warrant.json`, dotted. */
  readonly key: string
  readonly flag: string
  readonly variable: string
}

const dashed = (key: string): string =>
  key.replaceAll('.', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Every setting under all of its names, in the order of the table. */
export const SETTINGS: readonly Setting[] = Object.entries(RULES).map(([key, rule]) => {
  const flag = dashed(key)
  return { ...rule, key, flag, variable: `WARRANT_${flag.replaceAll('-', '_').toUpperCase()}` }
})
