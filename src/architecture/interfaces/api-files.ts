import { optional } from '../../kernel/optional.ts'
import { joinRoutes } from '../connections/addresses.ts'
import type { Inbound, Outbound } from '../connections/framework.ts'
import type { Connections } from '../connections/interconnections.ts'
import { type ConfigEntry, readYamlSettings } from '../source/configuration.ts'
import { nameOf } from '../source/source-files.ts'

/** What OpenAPI and AsyncAPI files and GraphQL schemas declare. */

export interface DeclaredApi {
  readonly file: string
  readonly inbound: readonly Inbound[]
  readonly outbound: readonly Outbound[]
}

type Setting = Omit<ConfigEntry, 'file'>

const API_JSON = /(^|[._-])(openapi|swagger|asyncapi|api-docs)[\w.-]*\.json$/i
const API_YAML = /^['"]?(openapi|swagger|asyncapi)['"]?\s*:\s*['"]?\d/m
const HEAD = 4_000

/** JSON files that are read for their API, and no others. */
export const isApiJson = (path: string): boolean => API_JSON.test(nameOf(path))

export const isApiText = (path: string, text: string): boolean =>
  isApiJson(path) || (/\.ya?ml$/.test(path) && API_YAML.test(text.slice(0, HEAD)))

const OPERATION = /^paths\.(\/.*?)\.(get|put|post|delete|options|head|patch|trace)\./

const declaredIn = (file: string): string => `declared in ${nameOf(file)}`

/** The path before those of the operations: `basePath`, or the path of the first server. */
const basePath = (settings: readonly Setting[]): string => {
  const at = (key: string) => settings.find((one) => one.key === key)?.value ?? ''
  const server = at('servers[0].url').replace(/^[a-z]+:\/\/[^/]*/i, '')
  return at('basePath') || (server.includes('{') ? '' : server)
}

const openApi = (file: string, settings: readonly Setting[]): DeclaredApi => {
  const base = basePath(settings)
  const seen = new Map<string, Inbound>()
  for (const { key, line } of settings) {
    const [, path, verb] = OPERATION.exec(key) ?? []
    if (path === undefined || verb === undefined) continue
    const route = joinRoutes(base, path)
    const endpoint = `${verb.toUpperCase()} ${route}`
    if (seen.has(endpoint)) continue
    seen.set(endpoint, {
      protocol: 'REST',
      endpoint,
      source_file: file,
      line,
      handler: declaredIn(file),
      confidence: 'high',
      http_method: verb.toUpperCase(),
      path: route,
    })
  }
  return { file, inbound: [...seen.values()], outbound: [] }
}

const MESSAGE_PROTOCOLS: readonly (readonly [RegExp, string])[] = [
  [/^kafka/, 'Messaging-Kafka'],
  [/^amqp/, 'Messaging-RabbitMQ'],
  [/^mqtt/, 'Messaging-MQTT'],
  [/^nats/, 'Messaging-NATS'],
  [/^jms/, 'Messaging-JMS'],
  [/^sqs/, 'Messaging-SQS'],
  [/^redis/, 'Messaging-Redis'],
]

/** Version 2 is written for the clients: what they publish, the application receives. */
const channelDirections = (settings: readonly Setting[]) => {
  const named = new Map<string, string>()
  const found = new Map<string, { readonly channel: string; readonly isIn: boolean; readonly line: number }>()
  for (const { key, value } of settings) {
    const [, id] = /^channels\.(.+)\.address$/.exec(key) ?? []
    if (id !== undefined) named.set(id, value)
  }
  const operations = new Map(settings.map((one) => [one.key, one.value]))
  for (const { key, value, line } of settings) {
    const [, channel, verb] = /^channels\.(.+?)\.(publish|subscribe)\./.exec(key) ?? []
    if (channel !== undefined && !found.has(`${channel} ${verb}`))
      found.set(`${channel} ${verb}`, { channel, isIn: verb === 'publish', line })
    const [, operation] = /^operations\.([^.]+)\.action$/.exec(key) ?? []
    const reference = operations.get(`operations.${operation}.channel.$ref`)
    const id = reference?.replace(/^#\/channels\//, '').replaceAll('~1', '/')
    if (operation !== undefined && id !== undefined)
      found.set(`${operation} ${value}`, { channel: named.get(id) ?? id, isIn: value === 'receive', line })
  }
  return [...found.values()]
}

const asyncApi = (file: string, settings: readonly Setting[]): DeclaredApi => {
  const wire = settings.find(({ key }) => /^servers(\.[^.]+|\[\d+\])\.protocol$/.test(key))?.value ?? ''
  const protocol = MESSAGE_PROTOCOLS.find(([pattern]) => pattern.test(wire))?.[1]
  // Without the broker, there is nothing to say which box the channel belongs to.
  if (protocol === undefined) return { file, inbound: [], outbound: [] }
  const channels = channelDirections(settings)
  const place = { protocol, source_file: file, confidence: 'high' as const }
  return {
    file,
    inbound: channels
      .filter(({ isIn }) => isIn)
      .map(({ channel, line }) => ({ ...place, endpoint: channel, line, handler: declaredIn(file) })),
    outbound: channels
      .filter(({ isIn }) => !isIn)
      .map(({ channel, line }) => ({
        ...place,
        target_service: channel,
        type: declaredIn(file),
        line,
        caller: '',
      })),
  }
}

export const readApiFile = (file: string, text: string): DeclaredApi => {
  // JSON is YAML.
  const settings = readYamlSettings(text)
  return settings.some(({ key }) => key === 'asyncapi') ? asyncApi(file, settings) : openApi(file, settings)
}

/** A route with its parameters unnamed: `/users/:id`, `/users/{id}` and `/users/<int:id>` are one. */
const plainRoute = (endpoint: string): string =>
  endpoint
    .replace(/\/(:\w+|\{[^}]*\}|<[^>]*>|\[[^\]]*\])(?=\/|$)/g, '/{}')
    .replace(/\/+$/, '')
    .toLowerCase()

/** The ends of a route, because a prefix may be set outside of the code. */
const routeEnds = (endpoint: string): readonly string[] => {
  const [verb = '', route = ''] = plainRoute(endpoint).split(' ')
  const steps = route.split('/').slice(1)
  return steps.flatMap((_, at) => (at < 4 ? [`${verb} ${steps.slice(at).join('/')}`] : []))
}

const top = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')

/** Folders of documents about an API: the code is elsewhere. */
const API_FOLDER =
  /^(|docs?|api|apis|open-?api|swagger|specs?|schemas?|asyncapi|contracts?|proto|packages|services|apps|src)$/

const appliesTo = (file: string, code: string): boolean =>
  API_FOLDER.test(top(file)) || top(file) === top(code)

/** A file of the folder whose endpoints a file declares, by most of them. */
const servingFile = (code: readonly Inbound[], declared: readonly Inbound[]): string | undefined => {
  const ends = new Set(declared.flatMap(({ endpoint }) => routeEnds(endpoint)))
  const files = code.flatMap(({ endpoint, source_file }) =>
    ends.has(plainRoute(endpoint).replace(' /', ' ')) ? [source_file] : [],
  )
  const counts = new Map<string, number>()
  const folder = (file: string) => file.split('/').slice(0, 2).join('/')
  for (const file of files) counts.set(folder(file), (counts.get(folder(file)) ?? 0) + 1)
  const [most] = [...counts].sort(([, a], [, b]) => b - a)
  return most === undefined ? undefined : files.find((file) => folder(file) === most[0])
}

/**
 * Adds declared endpoints that the code does not show. A file of which the code shows nothing, though it has other
 * endpoints, describes the API of another system.
 */
export const withDeclared = (found: Connections, apis: readonly DeclaredApi[]): Connections => {
  const added = apis.map(({ file, inbound, outbound }) => {
    const own = found.inbound.filter(({ source_file }) => appliesTo(file, source_file))
    const topics = new Set([
      ...own.map(({ protocol, endpoint }) => `${protocol} ${endpoint}`),
      ...found.outbound.map(({ protocol, target_service }) => `${protocol} ${target_service}`),
    ])
    const rest = own.filter(({ protocol }) => protocol === 'REST')
    const whole = new Set(rest.map(({ endpoint }) => plainRoute(endpoint).replace(' /', ' ')))
    const ends = new Set(rest.flatMap(({ endpoint }) => routeEnds(endpoint)))
    const hasResolvers = own.some(({ protocol }) => protocol === 'GraphQL')
    const isShown = (one: Inbound) =>
      one.protocol === 'GraphQL'
        ? hasResolvers
        : one.protocol === 'REST'
          ? ends.has(plainRoute(one.endpoint).replace(' /', ' ')) ||
            routeEnds(one.endpoint).some((end) => whole.has(end))
          : topics.has(`${one.protocol} ${one.endpoint}`)
    const missing = inbound.filter((one) => !isShown(one))
    const serving = servingFile(rest, inbound)
    const isOther = rest.length > 0 && inbound.length > 0 && missing.length === inbound.length
    return {
      inbound:
        isOther && inbound[0]?.protocol === 'REST'
          ? []
          : missing.map((one) => ({ ...one, ...optional({ served_by: serving }) })),
      outbound: outbound.filter((one) => !topics.has(`${one.protocol} ${one.target_service}`)),
    }
  })
  return {
    inbound: [...found.inbound, ...added.flatMap(({ inbound }) => inbound)],
    outbound: [...found.outbound, ...added.flatMap(({ outbound }) => outbound)],
  }
}
