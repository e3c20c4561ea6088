import { optional } from '../../kernel/optional.ts'
import type { Configuration } from '../source/configuration.ts'
import { isTestPath } from '../source/discovery-rules.ts'
import type { Inbound, Outbound } from './framework.ts'
import { toInbound } from './inbound-web.ts'

/** Routes of Spring Cloud Gateway and Zuul in configuration files: endpoints, and calls to the services behind them. */

/** A route before it is complete: settings of one file may come in any order. */
interface RouteDraft {
  readonly file: string
  line: number
  id: string
  uri?: string
  paths: string[]
  methods: string[]
}

const GATEWAY =
  /^spring\.cloud\.gateway\.(?:server\.(?:webflux|webmvc)\.|mvc\.)?routes\[(\d+)\]\.(id|uri|predicates\[(\d+)\](?:\.(name|args\..+))?)$/i
const ZUUL = /^zuul\.routes\.([\w-]+)(?:\.(path|url|service-?id))?$/i

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** `Path=/orders/**,/carts/**` and `Method=GET,POST`. */
const addPredicate = (draft: RouteDraft, name: string, values: readonly string[]): void => {
  if (name === 'Path') draft.paths.push(...values)
  if (name === 'Method') draft.methods.push(...values)
}

class RouteReader {
  readonly drafts = new Map<string, RouteDraft>()
  /** Names of predicates that are written as records, by route and number. */
  readonly #names = new Map<string, string>()

  #draft(file: string, key: string, line: number): RouteDraft {
    const known = this.drafts.get(`${file}\0${key}`) ?? { file, line, id: '', paths: [], methods: [] }
    this.drafts.set(`${file}\0${key}`, known)
    return known
  }

  setting(file: string, key: string, value: string, line: number): void {
    const gateway = GATEWAY.exec(key)
    if (gateway !== null) return this.#gateway(file, gateway, value, line)
    const [, name, field] = ZUUL.exec(key) ?? []
    if (name === undefined) return
    const draft = this.#draft(file, `zuul ${name}`, line)
    draft.id = name
    if (field === undefined || field === 'path') {
      draft.paths.push(value)
      draft.line = line
    } else draft.uri = field === 'url' ? value : `lb://${value}`
  }

  #gateway(file: string, match: RegExpExecArray, value: string, line: number): void {
    const [, number = '', field = '', predicate, part] = match
    const draft = this.#draft(file, number, line)
    if (field === 'id') draft.id = value
    else if (field === 'uri') {
      draft.uri = value
      draft.line = line
    } else if (part === undefined) {
      const [name = '', ...rest] = value.split('=')
      addPredicate(draft, name.trim(), listOf(rest.join('=')))
    } else if (part === 'name') this.#names.set(`${file}\0${number}\0${predicate}`, value)
    else addPredicate(draft, this.#names.get(`${file}\0${number}\0${predicate}`) ?? '', listOf(value))
  }
}

export const gatewayConnections = (
  configuration: Configuration,
): { readonly inbound: readonly Inbound[]; readonly outbound: readonly Outbound[] } => {
  const reader = new RouteReader()
  for (const { file, key, value, line } of configuration.settings)
    if (/^(spring\.cloud\.gateway|zuul)\./i.test(key) && !isTestPath(file))
      reader.setting(file, key, value, line)
  const inbound: Inbound[] = []
  const outbound: Outbound[] = []
  for (const { file, line, id, uri, paths, methods } of reader.drafts.values()) {
    for (const path of paths)
      for (const method of methods.length === 0 ? ['ANY'] : methods) {
        const { text, complete } = configuration.fill(path, file)
        inbound.push(
          toInbound(
            { method, path: text, confidence: complete ? 'high' : 'low' },
            { file, line, handler: id },
          ),
        )
      }
    const target = uri ?? (paths.length > 0 && id !== '' ? `lb://${id}` : undefined)
    if (target === undefined || /^(forward|no):/.test(target)) continue
    const { text, complete, origin } = configuration.fill(target, file)
    outbound.push({
      target_service: text,
      protocol: 'REST',
      type: 'Gateway route',
      source_file: file,
      line,
      caller: '',
      confidence: complete ? (origin === undefined ? 'high' : 'medium') : 'low',
      ...(paths.length > 0 && { path: paths.join(', ') }),
      ...optional({ origin }),
    })
  }
  return { inbound, outbound }
}
