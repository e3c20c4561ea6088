import type { DetectionContext, Framework, Outbound } from '../../connections/framework.ts'
import type { Expression, Variable } from '../../source/source-unit.ts'
import { keyword, recordEntry } from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { CLIENT_TARGETS, type ClientTarget } from '../client-targets.ts'
import { pythonStore, pythonStoreTarget } from './data-clients.ts'
import { positional, pythonText } from './python-calls.ts'

/** Stores and brokers in the settings of Django, Flask and Celery: variables with names that these libraries read. */

const { ANY_SQL, REDIS } = CLIENT_TARGETS

/** Variables that hold an address: the name of the setting, the type of the connection. */
const ADDRESSES: readonly (readonly [RegExp, string])[] = [
  [/^(config\[)?SQLALCHEMY_DATABASE_URI\]?$/, 'SQLAlchemy'],
  [/^(config\[)?(CELERY_)?BROKER_URL\]?$|(^|\.)conf\.broker_url$/, 'Broker'],
  [/^(config\[)?CELERY_RESULT_BACKEND(_URL)?\]?$|(^|\.)conf\.result_backend$/, 'Result backend'],
  [/^(config\[)?MONGO(DB)?_UR[IL]\]?$/, 'PyMongo'],
]

/** An address without a domain: the name of a container, or the machine of a developer. */
const PROJECT_ADDRESS = /^https?:\/\/(?:[a-z][\w-]*|127\.0\.0\.1)(?::\d+)?(?=\/|$)/i

/** A field of a class such as `Settings` that is named after an address. */
const isServiceSetting = ({ name }: Variable, { type }: TypeScope): boolean =>
  type !== undefined &&
  /(settings|config(uration)?)$/i.test(type.name) &&
  /(^|_)(ur[il]|address|endpoint|base_?ur[il])$/i.test(name)

const DATABASE_FUNCTIONS = /^(config|parse|db|db_url|dj_db_url)$/
const MAX_DEPTH = 4

interface Setting {
  readonly variable: Variable
  readonly scope: TypeScope
}

class SettingsReader {
  readonly #context: DetectionContext
  readonly #file: string

  constructor(scope: TypeScope, context: DetectionContext) {
    this.#context = context
    this.#file = scope.unit.file
  }

  #text(expression: Expression | undefined, scope: TypeScope): KnownText | undefined {
    return expression === undefined ? undefined : pythonText(expression, scope, this.#context)
  }

  #row(type: string, line: number, target: ReturnType<typeof pythonStoreTarget>): readonly Outbound[] {
    const isBroker = target.protocol.startsWith('Messaging')
    return [{ ...target, type: isBroker ? 'Broker' : type, source_file: this.#file, line, caller: '' }]
  }

  /** `ORDERS_URL = "http://orders:8000"` in a class of settings: a service of the same system. */
  #service(name: string, value: Expression, line: number, scope: TypeScope): readonly Outbound[] {
    const address = this.#text(value, scope)
    const [target] = PROJECT_ADDRESS.exec(address?.text ?? '') ?? []
    if (address === undefined || target === undefined) return []
    const row = { target_service: target, protocol: 'Configuration', type: 'Service URL', path: name }
    return [{ ...row, source_file: this.#file, line, caller: '', confidence: address.confidence }]
  }

  outbound({ variable, scope }: Setting): readonly Outbound[] {
    const { name, value, line } = variable
    if (value === undefined) return []
    if (!SETTING.test(name)) return this.#service(name, value, line, scope)
    if (/^DATABASES(\[["']\w+["']\](\[["']\w+["']\])?)?$/.test(name))
      return this.#databases(value, line, scope, 0)
    if (/^CACHES(\[["']\w+["']\])?$/.test(name)) return this.#caches(value, line, scope, 0)
    if (name === 'CHANNEL_LAYERS') return this.#channels(value, line, scope)
    const [, type] = ADDRESSES.find(([pattern]) => pattern.test(name)) ?? []
    if (type === undefined) return []
    const address = this.#text(value, scope)
    const kind = address === undefined ? undefined : pythonStore(address.text)
    if (type === 'SQLAlchemy') return this.#row(type, line, pythonStoreTarget(ANY_SQL, address))
    // `django-db` and `cache+memory://` are no servers; a variable without a default says nothing about the kind.
    return kind === undefined ? [] : this.#row(type, line, pythonStoreTarget(kind, address))
  }

  /** `{"default": {"ENGINE": …}}`, one such entry, or an address that is parsed. */
  #databases(value: Expression, line: number, scope: TypeScope, depth: number): readonly Outbound[] {
    if (value.kind === 'call' && DATABASE_FUNCTIONS.test(value.call.name)) {
      const { args } = value.call
      const first = this.#text(positional(args, 0), scope)
      const given = keyword(args, 'default')
      const address = this.#text(given, scope) ?? (first?.text.includes('://') === true ? first : undefined)
      return this.#row('Django', line, pythonStoreTarget(ANY_SQL, address))
    }
    if (value.kind !== 'record' || depth > MAX_DEPTH) return []
    const engine = this.#text(value.entries.get('ENGINE'), scope)
    if (engine === undefined)
      return [...value.entries.values()].flatMap((one) => this.#databases(one, line, scope, depth + 1))
    const kind =
      pythonStore(engine.text.replace(/^.*?(\w+)$/, '$1').replace(/^postgis$/, 'postgresql')) ?? ANY_SQL
    const name = this.#text(value.entries.get('NAME'), scope)
    if (kind.technology === 'SQLite') return this.#row('Django', line, pythonStoreTarget(kind, name))
    return this.#row('Django', line, pythonStoreTarget(kind, this.#server(kind, value, scope)))
  }

  #server(kind: ClientTarget, value: Expression, scope: TypeScope): KnownText | undefined {
    const entry = (key: string) =>
      value.kind === 'record' ? this.#text(value.entries.get(key), scope) : undefined
    const host = entry('HOST')
    if (host === undefined || host.text === '' || /[{$]/.test(host.text)) return host
    const [port, database] = [entry('PORT')?.text ?? '', entry('NAME')?.text ?? '']
    return {
      ...host,
      text: `${kind.scheme}://${host.text}${/^\d+$/.test(port) ? `:${port}` : ''}${/^[\w-]+$/.test(database) ? `/${database}` : ''}`,
    }
  }

  #caches(value: Expression, line: number, scope: TypeScope, depth: number): readonly Outbound[] {
    if (value.kind !== 'record' || depth > MAX_DEPTH) return []
    const backend = this.#text(value.entries.get('BACKEND'), scope)
    if (backend === undefined)
      return [...value.entries.values()].flatMap((one) => this.#caches(one, line, scope, depth + 1))
    const [, found] = /(redis|valkey|memcached)/i.exec(backend.text) ?? []
    const kind =
      found === undefined
        ? undefined
        : pythonStore(`${found.replace(/d$/, '')}:`.replace('memcache:', 'memcached'))
    return kind === undefined
      ? []
      : this.#row(
          'Django',
          line,
          pythonStoreTarget(kind, this.#location(kind, value.entries.get('LOCATION'), scope)),
        )
  }

  /** `redis://cache:6379/1`, `cache:11211`, or a list of them. */
  #location(kind: ClientTarget, given: Expression | undefined, scope: TypeScope): KnownText | undefined {
    const known = this.#text(given?.kind === 'list' ? given.items[0] : given, scope)
    return known === undefined || /:\/\/|[{$]/.test(known.text)
      ? known
      : { ...known, text: `${kind.scheme}://${known.text}` }
  }

  /** Django Channels: `{"default": {"CONFIG": {"hosts": [("redis", 6379)]}}}`. */
  #channels(value: Expression, line: number, scope: TypeScope): readonly Outbound[] {
    const layer = recordEntry(value, 'default')
    const config = recordEntry(layer, 'CONFIG')
    const hosts = recordEntry(config, 'hosts')
    if (hosts?.kind !== 'list') return []
    const [first] = hosts.items
    const host = first?.kind === 'list' ? first.items[0] : first
    return this.#row('Django Channels', line, pythonStoreTarget(REDIS, this.#location(REDIS, host, scope)))
  }
}

/** Variables of the module, of its functions, and fields and attributes of classes such as `Config`. */
const settingsOf = (scope: TypeScope): readonly Setting[] => {
  const { unit } = scope
  return [
    ...unit.topLevel.locals.map((variable) => ({ variable, scope: scope.atLine(variable.line) })),
    ...unit.types.flatMap((type) => {
      const inside = scope.at(unit, type, unit.topLevel)
      return type.fields.map((variable) => ({ variable, scope: inside }))
    }),
  ]
}

const SETTING =
  /^(config\[)?(DATABASES|CACHES|CHANNEL_LAYERS|SQLALCHEMY_DATABASE|(CELERY_)?BROKER|CELERY_RESULT|MONGO)|\.conf\./

export const PYTHON_SETTINGS: Framework = {
  name: 'settings of Django, Flask and Celery',
  language: 'python',
  applies: () => true,
  outbound: (scope, context) => {
    const settings = settingsOf(scope).filter(
      ({ variable, scope: inside }) => SETTING.test(variable.name) || isServiceSetting(variable, inside),
    )
    if (settings.length === 0) return []
    const reader = new SettingsReader(scope, context)
    return settings.flatMap((one) => reader.outbound(one))
  },
}
