import type { FindIn, Framework, Outbound } from '../../connections/framework.ts'
import { belowBase, HTTP_VERBS, httpRecord } from '../../connections/outbound-http.ts'
import type { CallExpression } from '../../source/source-unit.ts'
import { callIn, recordEntry } from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { fileCalls } from '../../source/type-scope.ts'

/** `fetch`, axios, got, ky, undici, superagent, Nest's HttpService and Angular's HttpClient. */

const METHODS = new Set([...HTTP_VERBS, 'request', 'stream'])
const CLIENTS = /^(axios|got|ky|superagent)$/
/** Modules whose exports have names that other code uses too. */
const MODULES = /^(axios|got|ky|undici|superagent|request|request-promise(-native)?|(node:)?https?)$/
const CLIENT_TYPES: Readonly<Record<string, string>> = {
  HttpService: 'HttpService',
  HttpClient: 'HttpClient',
  AxiosInstance: 'axios',
  Axios: 'axios',
  KyInstance: 'ky',
}

interface HttpClient {
  readonly type: string
  readonly base?: KnownText | undefined
}

/** The client that a name of a file is by itself or by its import. */
const clientModule = (name: string, { unit }: TypeScope): string | undefined => {
  const module = unit.bindings.get(name)?.module
  if (module === undefined) return CLIENTS.test(name) ? name : undefined
  return MODULES.test(module) ? module.replace(/^node:/, '') : undefined
}

/** A client made by `axios.create({ baseURL })`, `ky.extend({ prefixUrl })` or `got.extend(…)`, here or in another file. */
const createdClient: FindIn<string, HttpClient | undefined> = (name, scope, { modules, resolver }) => {
  const declared = modules.declaration(name, scope.unit)
  const there =
    declared.unit === scope.unit ? scope : scope.at(declared.unit, undefined, declared.unit.topLevel)
  for (const { value } of there.variables(declared.name)) {
    const call = callIn(value)
    if (call?.receiver?.kind !== 'name' || !/^(create|extend)$/.test(call.name)) continue
    const type = clientModule(call.receiver.name, there)
    if (type === undefined) continue
    const base = recordEntry(call.args[0], 'baseURL', 'prefixUrl', 'baseUrl')
    return { type, base: resolver.text(base, there) }
  }
  return undefined
}

/** Angular: `http = inject(HttpClient)`. */
const injectedType = (name: string, scope: TypeScope): string | undefined => {
  for (const { value } of scope.variables(name)) {
    const [type] = value?.kind === 'call' && value.call.name === 'inject' ? value.call.args : []
    if (type?.kind === 'name') return type.name
  }
  return undefined
}

const usedClient: FindIn<CallExpression, HttpClient | undefined> = (call, scope, context) => {
  const { receiver, name } = call
  if (receiver === undefined) {
    // Often imported from a wrapper of the project.
    const isFetch = name === 'fetch' && (scope.unit.bindings.has(name) || scope.variables(name).length === 0)
    const module = isFetch ? 'fetch' : clientModule(name, scope)
    return module === undefined ? createdClient(name, scope, context) : { type: module }
  }
  if (receiver.kind !== 'name') return undefined
  const owner = receiver.name
  if (name === 'fetch') return /^(globalThis|window|self)$/.test(owner) ? { type: 'fetch' } : undefined
  if (!METHODS.has(name)) return undefined
  const type = injectedType(owner, scope) ?? scope.typeOf(receiver)
  const module = clientModule(owner, scope)
  if (module !== undefined) return { type: module }
  if (owner === 'httpService') return { type: 'HttpService' }
  const created = createdClient(owner, scope, context)
  if (created !== undefined) return created
  return Object.hasOwn(CLIENT_TYPES, type) ? { type: CLIENT_TYPES[type] ?? '' } : undefined
}

/** An address with a host, or with an environment variable that is named after one. */
export const isServiceAddress = (text: string): boolean =>
  /^https?:\/\//i.test(text) ||
  /^\$\{\w*(URL|URI|HOST|ENDPOINT|ORIGIN|DOMAIN|SERVER|GATEWAY)\w*\}/i.test(text)

/** The method: the name of the call, or that of the options; without options, GET. */
const verbOf: FindIn<CallExpression, string | undefined> = ({ name, args }, scope, { resolver }) => {
  if (HTTP_VERBS.has(name)) return name.toUpperCase()
  const options = args[0]?.kind === 'record' ? args[0] : args[1]
  if (options === undefined) return 'GET'
  const given = recordEntry(options, 'method')
  if (given === undefined) return undefined
  const known = resolver.text(given, scope)
  return known?.confidence === 'high' ? known.text.toUpperCase() : undefined
}

const requestOf: FindIn<CallExpression, readonly Outbound[]> = (call, outer, context) => {
  if (
    call.makes ||
    !/^(get|post|put|patch|delete|head|options|request|stream|fetch|axios|got|ky)$/.test(call.name)
  )
    return []
  const scope = outer.atLine(call.line)
  const client = usedClient(call, scope, context)
  if (client === undefined) return []
  const [first] = call.args
  const path = context.resolver.text(first?.kind === 'record' ? recordEntry(first, 'url') : first, scope)
  const own = context.resolver.text(recordEntry(first, 'baseURL'), scope)
  if (path === undefined) return []
  const address = belowBase(path, own ?? client.base, isServiceAddress)
  if (!isServiceAddress(address.text)) return []
  const verb = verbOf(call, scope, context)
  // The text before placeholders were filled in is not shown.
  const { text, confidence } = address
  return [httpRecord({ address: { text, confidence }, type: client.type, call, verb, scope })]
}

export const SCRIPT_HTTP_CLIENTS: Framework = {
  name: 'fetch, axios, got, ky, undici',
  language: 'script',
  applies: () => true,
  outbound: (scope, context) =>
    fileCalls(scope).flatMap(({ call, scope: inside }) => requestOf(call, inside, context)),
}
