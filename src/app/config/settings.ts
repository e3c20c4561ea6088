import type { Option } from '../../cli/command/command.ts'
import { DEFAULT_PROTECTED_BRANCHES } from '../../gate/protected-branches.ts'
import { RULE_PROFILES } from '../../gate/rules/profile.ts'
import { DEFAULT_LIMITS } from '../../kernel/limits.ts'
import { DIALECT_NAMES } from '../../mcp/dialect.ts'
import type { Provider } from '../../packets/embed.ts'
import { LOG_FORMATS, LOG_LEVELS } from '../../platform/system/log.ts'

/** Every setting in the group of what uses it. The help of a command lists the groups that the command names. */
const SETTING_KEYS = {
  repository: ['root', 'gitFolders', 'stateDir', 'readOnly'],
  tools: ['toolsets', 'tools', 'excludeTools', 'toolAccess', 'outputSchemas', 'toolNames', 'dialect'],
  http: ['host', 'port', 'token', 'readToken', 'issuer', 'allowedHosts', 'allowedOrigins'],
  store: ['store', 'clock'],
  beliefs: ['graph', 'wire', 'revealTopology', 'allowCycles', 'snapshotEvery'],
  gate: ['profile', 'sdd', 'policyFrom', 'protectedBranches', 'openspec'],
  receipts: ['signingKey', 'signer'],
  preflight: ['requireReceipt'],
  packets: [
    'packetRoot',
    'registry',
    'registries',
    'allowedRegistries',
    'maxPacketBytes',
    'embedder',
    'embeddingUrl',
    'embeddingModel',
    'embeddingKey',
  ],
  project: ['exportRoot', 'deny', 'denyHardlinks', 'oneFileSystem', 'extensions'],
  logging: ['logLevel', 'logFormat'],
  limits: [
    'limits.lineBytes',
    'limits.bodyBytes',
    'limits.answerBytes',
    'limits.callMs',
    'limits.drainMs',
    'limits.headersMs',
    'limits.requestMs',
  ],
} as const

export type SettingGroup = keyof typeof SETTING_KEYS

const GROUP_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(SETTING_KEYS).flatMap(([group, keys]) => keys.map((key) => [key, group] as const)),
)

const VALUE_NAMES: Readonly<Record<Setting['kind'], string>> = {
  text: 'TEXT',
  number: 'N',
  switch: '',
  list: 'A,B',
}

const asOption = ({ key, flag, kind, description, choices }: Setting): Option => ({
  flag,
  kind: kind === 'switch' ? 'switch' : 'text',
  value: VALUE_NAMES[kind],
  description,
  choices,
  group: GROUP_OF.get(key) ?? 'other',
})

const CONFIG_OPTION: Option = {
  flag: 'config',
  kind: 'text',
  value: 'FILE',
  description: 'Settings file, instead of warrant.json in the current folder.',
}

/** Every setting as an option, and `--config`. */
export const configOptions = (): readonly Option[] => [CONFIG_OPTION, ...SETTINGS.map(asOption)]

/** The rule for one setting. `T` is the type of its value. */
interface Rule<T> {
  readonly kind: 'text' | 'number' | 'switch' | 'list'
  readonly fallback: T
  readonly description: string
  readonly choices: readonly string[]
  readonly secret: boolean
  /** Why a value is invalid; undefined when it is valid. */
  readonly refuse: (value: unknown) => string | undefined
}

type Refuse = Rule<unknown>['refuse']

const isText = (value: unknown, minLength = 1): value is string =>
  typeof value === 'string' && value.length >= minLength
const wantText: Refuse = (value) => (isText(value) ? undefined : 'expected text')
const wantToken: Refuse = (value) => (isText(value, 16) ? undefined : 'expected at least 16 characters')
const wantList: Refuse = (value) =>
  Array.isArray(value) && value.every((item) => isText(item)) ? undefined : 'expected a list of names'
const wantSwitch: Refuse = (value) => (typeof value === 'boolean' ? undefined : 'expected true or false')
const wantNumber =
  (min: number, max: number): Refuse =>
  (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
      ? undefined
      : `expected a whole number from ${min} to ${max}`

const rule = <T>(
  kind: Rule<T>['kind'],
  fallback: T,
  rest: Pick<Rule<T>, 'description' | 'refuse'> & Partial<Rule<T>>,
): Rule<T> => ({ choices: [], secret: false, kind, fallback, ...rest })

const text = (fallback: string, description: string) =>
  rule('text', fallback, { description, refuse: wantText })
const optional = (description: string, refuse: Refuse, secret = false) =>
  rule<string | undefined>('text', undefined, { description, refuse, secret })
const names = (description: string, fallback: readonly string[] = []) =>
  rule<readonly string[]>('list', fallback, { description, refuse: wantList })
const toggle = (description: string) => rule<boolean>('switch', false, { description, refuse: wantSwitch })
const whole = (fallback: number, description: string, min = 1, max = 2 ** 31 - 1) =>
  rule('number', fallback, { description, refuse: wantNumber(min, max) })
const choice = <const C extends string>(
  choices: readonly C[],
  fallback: NoInfer<C>,
  description: string,
): Rule<C> => {
  const refuse = (value: unknown) =>
    choices.some((one) => one === value) ? undefined : `expected one of ${choices.join(', ')}`
  return rule('text', fallback, { description, choices, refuse })
}

/**
 * Every setting. The key `limits.callMs` is also the flag `--limits-call-ms` and the variable
 * `WARRANT_LIMITS_CALL_MS`. A plain table instead of a schema library, because it is built and checked at every start.
 */
const RULES = {
  root: text('.', 'Folder of the project that is served.'),
  gitFolders: names(
    'Folders outside the repository that git may use for it: a separate git folder, or alternates.',
  ),
  stateDir: text('.warrant', 'Folder for state (logs, keys), relative to the root.'),
  toolsets: names(
    'Toolsets to offer, with every tool of theirs listed; "all" names each of them. Empty offers all and lists the usual tools.',
  ),
  tools: names('Offer only these tools.'),
  excludeTools: names('Do not offer these tools.'),
  readOnly: toggle('Offer no tool that writes. Overrides every other setting.'),
  outputSchemas: toggle(
    'List the schemas of the answers too. They cost clients more than the rest of the list.',
  ),
  toolAccess: choice(
    ['state', 'all'],
    'state',
    'Which tools are offered while the gate blocks: state leaves only reading, diagnosis and gate_run; all changes nothing.',
  ),
  toolNames: choice(
    ['underscore', 'dotted'],
    'underscore',
    'Spelling of tool names in listings; calls accept both spellings.',
  ),
  dialect: choice(DIALECT_NAMES, 'standard', 'Format of error answers.'),
  host: text('127.0.0.1', 'Address to listen on.'),
  port: whole(7331, 'Port to listen on; 0 takes a free port.', 0, 65_535),
  token: optional(
    'Bearer token that HTTP requests must carry. Default: the one of this user, made at the first start.',
    wantToken,
    true,
  ),
  readToken: optional('Second bearer token: its clients get only what reads.', wantToken, true),
  issuer: optional('OAuth issuer that the protected-resource metadata names.', (value) =>
    isText(value) && URL.canParse(value) ? undefined : 'expected a URL',
  ),
  allowedHosts: names('Host names to accept in addition to loopback.'),
  allowedOrigins: names('Host names of Origin headers to accept in addition to loopback.'),
  store: optional(
    'Store of the logs: `memory`, a file, or a postgres:// address. Default: a file in the state folder.',
    // Without this check a mistaken redis://… would create a file of that name.
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
    'Output format of the belief tools; legacy is the format of the older server.',
  ),
  revealTopology: toggle('Let belief_explain name the nodes that influence a belief.'),
  allowCycles: toggle('Allow cycles in a new belief graph. Fixed in its genesis.'),
  clock: choice(
    ['wall', 'deterministic'],
    'wall',
    'Timestamps of log entries; deterministic is for replays and tests.',
  ),
  profile: choice(
    RULE_PROFILES,
    'default',
    'Rules of the gate; `seed` adds the rules of earlier versions with their severities.',
  ),
  sdd: choice(
    ['auto', 'always'],
    'auto',
    'When the gate requires a specification: auto where an openspec folder exists, or always.',
  ),
  signingKey: optional(
    'Private key that signs receipts: the file of an Ed25519 key in PEM, or its text. Default: the key of this machine.',
    wantText,
    true,
  ),
  signer: choice(
    ['file', 'ssh'],
    'file',
    'What signs receipts: the key file, or an Ed25519 key that the ssh-agent of this user holds.',
  ),
  policyFrom: choice(
    ['base', 'worktree'],
    'base',
    'Policy that the command `gate` judges by: the stricter one of base and change, or that of the working tree alone, which the receipt says and no commit is covered by. For the push of a change of the policy that is reviewed: WARRANT_POLICY_FROM=worktree git push.',
  ),
  requireReceipt: toggle(
    'Whether ai_gate_check asks for a receipt of the evidence by a key of .warrant/keys.yml. A repository with that file asks for one in any case.',
  ),
  protectedBranches: names(
    'Branches that no change is made on; "none" protects no branch.',
    DEFAULT_PROTECTED_BRANCHES,
  ),
  openspec: optional(
    'Path of the openspec program. Default: the one on the PATH; a program of the repository runs only when it is named here.',
    wantText,
  ),
  snapshotEvery: whole(1_000, 'Number of log entries between two snapshots of a belief graph.'),
  packetRoot: text('.cpm', 'Folder for knowledge packets, relative to the root.'),
  registry: optional('Default registry of packets, as host[:port]/path.', wantText),
  registries: names(
    'Further registry hosts to connect to, private networks included; without TLS those that begin with http:// and loopback hosts.',
  ),
  allowedRegistries: names(
    'Connect only to these registry hosts and their subdomains; empty allows every host.',
  ),
  maxPacketBytes: whole(16 * 1024 ** 3, 'Largest packet to download, in bytes.', 1, Number.MAX_SAFE_INTEGER),
  embedder: optional(
    'How packets are embedded: minilm (built in, needs no network), words (no vectors) or server. Default: server where embeddingUrl is set, else minilm.',
    (value) =>
      ['minilm', 'words', 'server'].includes(String(value))
        ? undefined
        : 'expected one of minilm, words, server',
  ),
  embeddingUrl: optional('URL of an embedding server with an OpenAI-compatible API.', (value) =>
    isText(value) && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
      ? undefined
      : 'expected an http:// or https:// URL',
  ),
  embeddingModel: optional('Model that the embedding server should use.', wantText),
  embeddingKey: optional('API key for the embedding server.', wantText, true),
  exportRoot: text('.', 'Folder that exports are written to, relative to the root.'),
  deny: names('Globs of paths that the project tools hide.'),
  denyHardlinks: toggle('Refuse to read files that have more than one hard link.'),
  oneFileSystem: toggle('Do not read across mount points below the root.'),
  extensions: names('Extensions of the files that project_* tools read; empty means the usual text files.'),
  logLevel: choice(LOG_LEVELS, 'info', 'Lowest severity of log lines to write.'),
  logFormat: choice(LOG_FORMATS, 'json', 'Format of log lines on stderr.'),
  'limits.lineBytes': whole(DEFAULT_LIMITS.lineBytes, 'Largest line accepted on stdio, in bytes.'),
  'limits.bodyBytes': whole(DEFAULT_LIMITS.bodyBytes, 'Largest request body accepted on /mcp, in bytes.'),
  'limits.answerBytes': whole(DEFAULT_LIMITS.answerBytes, 'Largest result of a tool, in bytes of JSON.'),
  'limits.callMs': whole(DEFAULT_LIMITS.callMs, 'Time limit of a tool call, in milliseconds.'),
  'limits.drainMs': whole(
    DEFAULT_LIMITS.drainMs,
    'Time that running calls have to finish after the client disconnects, in milliseconds.',
  ),
  'limits.headersMs': whole(10_000, 'Time limit for the headers of a request, in milliseconds.'),
  'limits.requestMs': whole(30_000, 'Time limit for a whole request, in milliseconds.'),
}

type Rules = typeof RULES
type ValueOf<R> = R extends Rule<infer T> ? T : never

export type Config = {
  readonly [K in keyof Rules as K extends `${string}.${string}` ? never : K]: ValueOf<Rules[K]>
} & {
  readonly limits: {
    readonly [K in keyof Rules as K extends `limits.${infer Name}` ? Name : never]: ValueOf<Rules[K]>
  }
  /** Not a setting: the embedding provider that the operator chose. It may hold secrets. */
  readonly provider?: Provider
}

export interface Setting extends Rule<unknown> {
  /** Dotted path in `warrant.json`. */
  readonly key: string
  readonly flag: string
  readonly variable: string
}

const dashed = (key: string): string =>
  key.replaceAll('.', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Every setting with its key, flag and variable, in the order of the table. */
export const SETTINGS: readonly Setting[] = Object.entries(RULES).map(([key, rule]) => {
  const flag = dashed(key)
  return { ...rule, key, flag, variable: `WARRANT_${flag.replaceAll('-', '_').toUpperCase()}` }
})
