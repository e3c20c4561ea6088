import { optional } from '../../kernel/optional.ts'
import type { ConfigEntry, Configuration, FilledText } from '../source/configuration.ts'
import { isTestPath } from '../source/discovery-rules.ts'
import { nameOf } from '../source/source-files.ts'
import { isTemplatePath } from '../source/text-resolver.ts'
import { databaseOf, isNamespaceUrl, originOf } from './addresses.ts'
import type { Outbound } from './framework.ts'

const ADDRESS = /\b(?:[a-z][a-z0-9+.-]{0,30}:){1,4}\/\/[^\s"'<>,]{1,2000}/gi

interface AddressKind {
  readonly scheme: RegExp
  readonly protocol: string
  readonly type: string
  /** Whether the path belongs to the target: it names the database. */
  readonly whole: boolean
}

const ADDRESS_KINDS: readonly AddressKind[] = [
  { scheme: /^https?:/i, protocol: 'Configuration', type: 'Service URL', whole: false },
  { scheme: /^wss?:/i, protocol: 'Configuration', type: 'Service URL', whole: false },
  { scheme: /^grpc:|^static:|^dns:/i, protocol: 'gRPC', type: 'Service URL', whole: false },
  { scheme: /^jdbc:/i, protocol: 'JDBC', type: 'Data source', whole: true },
  { scheme: /^r2dbc:/i, protocol: 'R2DBC', type: 'Data source', whole: true },
  {
    scheme: /^(postgres(ql)?|mysql|mariadb|sqlserver|mssql|cockroachdb)(\+\w+)?:/i,
    protocol: 'SQL',
    type: 'Data source',
    whole: true,
  },
  { scheme: /^mongodb/i, protocol: 'MongoDB', type: 'Data source', whole: true },
  { scheme: /^nats:/i, protocol: 'Messaging-NATS', type: 'Broker', whole: false },
  { scheme: /^mqtts?:/i, protocol: 'Messaging-MQTT', type: 'Broker', whole: false },
  { scheme: /^kafka:/i, protocol: 'Messaging-Kafka', type: 'Broker', whole: false },
  { scheme: /^rediss?:/i, protocol: 'Redis', type: 'Data source', whole: false },
  { scheme: /^amqps?:/i, protocol: 'Messaging-RabbitMQ', type: 'Broker', whole: false },
  { scheme: /^tcp:|^ssl:|^failover:/i, protocol: 'Messaging-JMS', type: 'Broker', whole: false },
]

/** Settings that name a server by host, without a scheme. */
const HOST_SETTINGS: readonly (readonly [RegExp, string, string, string?])[] = [
  [/^spring\.kafka\.bootstrap-?servers(\[\d+\])?$/i, 'Messaging-Kafka', 'Broker'],
  [/^spring\.rabbitmq\.(host|addresses)$/i, 'Messaging-RabbitMQ', 'Broker'],
  [/^spring\.(data\.)?redis\.host$/i, 'Redis', 'Data source'],
  [/^spring\.data\.mongodb\.host$/i, 'MongoDB', 'Data source'],
  [/^([A-Z]+_)*(REDIS|VALKEY)_(HOST|HOSTNAME|SERVER|ADDR|ADDRESS)$/, 'Redis', 'Data source'],
  [/^([A-Z]+_)*MONGO(DB)?_(HOST|HOSTNAME|SERVER)$/, 'MongoDB', 'Data source'],
  [
    /^([A-Z]+_)*(KAFKA_(BROKERS?|BOOTSTRAP_SERVERS?|HOST|ADDR)|BOOTSTRAP_SERVERS)$/,
    'Messaging-Kafka',
    'Broker',
  ],
  [/^([A-Z]+_)*RABBITMQ_(HOST|HOSTNAME|ADDR)$/, 'Messaging-RabbitMQ', 'Broker'],
  [/^([A-Z]+_)*(ELASTIC(SEARCH)?|OPENSEARCH)_(HOST|HOSTS|NODE)$/, 'Elasticsearch', 'Data source'],
  [/^([A-Z]+_)*(POSTGRES|POSTGRESQL|PG)_?(HOST|HOSTNAME|SERVER)$/, 'SQL', 'Data source', 'postgresql://'],
  [/^([A-Z]+_)*(MYSQL|MARIADB)_(HOST|HOSTNAME|SERVER)$/, 'SQL', 'Data source', 'mysql://'],
]

const DESCRIPTIVE_KEY =
  /(^|\.)(\$schema|\$ref|\$id|schemaLocation|namespace|homepage|license|termsOfService|externalDocs|contact|repository|scm|targetNamespace|documentation|\w*(runbook|schema|docs|documentation|source|repo(sitory)?|bug|issue|homepage|icon|logo|avatar)s?[_-]?ur[il]|social\[\d+\]|git\.url|annotations|description|\w*(LINK|TOS|TERMS|PRIVACY|SUPPORT|HELP|FORUM)(_URL)?|home|sources\[\d+\]|icon|summary)(\.|$)/i

/** Builds, checks, documents and packages; and containers, whose addresses are read with the container. */
const DESCRIPTION_FILE =
  /^(pom.*\.xml|gradle-wrapper\.properties|(checkstyle|pmd|spotbugs|logback|log4j2?)[\w-]*\.(xml|ya?ml)|pnpm-(lock|workspace)\.yaml|(mkdocs|cloudbuild|skaffold|pubspec|Chart|Chart\.lock|appveyor|codecov|azure-pipelines|bitbucket-pipelines|buildspec|crowdin|devtools_options|analysis_options|_config|antora|netlify|renovate|dependabot|manifest|strings)[\w.-]*\.(ya?ml|lock|xml)|(docker-|podman-)?compose([.-][\w.-]+)?\.ya?ml)$/

/** Texts and layouts of an Android application: their addresses are shown, not called. */
const ANDROID_RESOURCE = /(^|\/)(res\/[a-z]+[\w+-]*\/[^/]+|assets\/([^/]+\/)*[^/]+)\.xml$/

/**
 * Whether a value is a sentence, a page, a command or a regular expression that holds an address: words stand around
 * it. Lists of addresses have none.
 */
const isProse = (value: string): boolean => {
  const rest = value.replace(ADDRESS, ' ').replace(/\$\{[^}]*\}/g, '')
  return (
    /\p{L}{2,}[.,:;!?]?\s+\S|\S\s+\p{L}{2,}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(
      rest.trim(),
    ) || /<\w+[\s>]|\]\(\s|\(\?[:=!<]|\\[.dws]|[.)\]][*+]/.test(rest)
  )
}

/** Addresses that the program does not connect to. */
const isDescription = ({ file, key }: ConfigEntry): boolean =>
  DESCRIPTION_FILE.test(nameOf(file)) || ANDROID_RESOURCE.test(file) || DESCRIPTIVE_KEY.test(key)

const addressRecord = (
  given: string,
  setting: ConfigEntry,
  { origin, complete }: FilledText,
): readonly Outbound[] => {
  // `spring.config.import`: the address of a configuration server.
  const url = given.replace(/^(?:optional:)?configserver:/i, '')
  const kind = ADDRESS_KINDS.find(({ scheme }) => scheme.test(url))
  const target = kind?.whole === true ? databaseOf(url) : originOf(url)
  if (kind === undefined || target === undefined || isNamespaceUrl(url)) return []
  return [
    {
      target_service: target,
      protocol: kind.protocol,
      type: kind.type,
      source_file: setting.file,
      line: setting.line,
      caller: '',
      confidence: complete ? 'high' : 'low',
      path: setting.key,
      ...optional({ origin }),
    },
  ]
}

/** Addresses in configuration files, shortened to scheme, host and port; credentials are masked. */
export const configOutbound = (configuration: Configuration): readonly Outbound[] => {
  // Addresses in manifests are read with the containers.
  const manifests = new Set(
    configuration.settings.flatMap(({ file, key }) =>
      key === 'metadata.name' || isTemplatePath(file) ? [file] : [],
    ),
  )
  return configuration.settings
    .filter((setting) => !isTestPath(setting.file) && !manifests.has(setting.file) && !isDescription(setting))
    .flatMap((setting) => {
      const filled = configuration.fill(setting.value, setting.file)
      const { text, complete } = filled
      const named = HOST_SETTINGS.find(([key]) => key.test(setting.key))
      if (named !== undefined) {
        const base = {
          source_file: setting.file,
          line: setting.line,
          caller: '',
          confidence: complete ? ('high' as const) : ('low' as const),
        }
        const [, protocol, type, scheme = ''] = named
        return text.split(',').flatMap((one) => {
          const target = originOf(one) ?? `${scheme}${one.trim()}`
          return one.trim() === ''
            ? []
            : [{ ...base, target_service: target, protocol, type, path: setting.key }]
        })
      }
      if (isProse(text)) return []
      return [...text.matchAll(ADDRESS)].flatMap(([url]) => addressRecord(url, setting, filled))
    })
}
