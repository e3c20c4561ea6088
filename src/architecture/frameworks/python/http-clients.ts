import { joinAddress } from '../../connections/addresses.ts'
import type { FindIn, Framework, Outbound } from '../../connections/framework.ts'
import { httpRecord } from '../../connections/outbound-http.ts'
import type { CallExpression, Expression } from '../../source/source-unit.ts'
import { keyword } from '../../source/source-unit.ts'
import { type KnownText, weaker } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { annotatedType, makerOf, positional, pythonCalls, pythonText, qualifiedName } from './python-calls.ts'

/** requests, httpx, aiohttp, urllib and urllib3: functions of the module, sessions and clients. */

const VERBS = /^(get|post|put|patch|delete|head|options)$/
const REQUESTS = /^(get|post|put|patch|delete|head|options|request|stream|ws_connect|urlopen|Request)$/
const FUNCTIONS =
  /^(requests|httpx|aiohttp|niquests)\.(api\.)?(get|post|put|patch|delete|head|options|request|stream)$|^(urllib)\.request\.(urlopen|Request)$|^(urllib3)\.request$/
const CLIENTS =
  /^(requests|httpx|aiohttp|urllib3|niquests)\.(\w+\.)*(Session|session|Client|AsyncClient|AsyncSession|ClientSession|PoolManager)$/
/** Names that objects of these libraries usually have, where it cannot be seen how they were made. */
const CLIENT_NAMES = /(^|[._])(session|client|http|http_client|async_client)$/i

interface HttpClient {
  readonly library: string
  readonly base?: KnownText | undefined
}

const libraryOf = (name: string): string => name.replace(/\..*$/, '')

/** The client that a call is made on; undefined for calls on other objects. */
const sessionOf: FindIn<CallExpression, HttpClient | undefined> = ({ receiver }, scope, context) => {
  const made = makerOf(receiver, scope, context, (name) => CLIENTS.test(name))
  if (made !== undefined) {
    const base = keyword(made.call.args, 'base_url') ?? positional(made.call.args, 0)
    return {
      library: libraryOf(qualifiedName(made.call, made.scope) ?? ''),
      base: pythonText(base, made.scope, context),
    }
  }
  const type = annotatedType(receiver, scope)
  return CLIENTS.test(type) ? { library: libraryOf(type) } : undefined
}

/** The only HTTP library that a file imports. */
const importedLibrary = ({ unit }: TypeScope): string | undefined =>
  unit.imports.map(libraryOf).find((name) => /^(requests|httpx|aiohttp)$/.test(name))

/** An address whose host or variable is known, or a path below a base that is known only at run time. */
const isKnownUrl = (text: string): boolean => /^(https?|wss?):\/\/|^\$\{|^\{[\w.[\]]+\}\/./i.test(text)

const methodOf: FindIn<CallExpression, string | undefined> = ({ name, args }, scope, context) => {
  if (VERBS.test(name)) return name.toUpperCase()
  if (name === 'ws_connect') return undefined
  const given = keyword(args, 'method') ?? (/^url|^Request$/.test(name) ? undefined : positional(args, 0))
  if (given === undefined) return keyword(args, 'data') === undefined ? 'GET' : 'POST'
  const known = pythonText(given, scope, context)
  return known?.confidence === 'high' && /^[A-Za-z]+$/.test(known.text) ? known.text.toUpperCase() : undefined
}

const addressOf = ({ name, args }: CallExpression): Expression | undefined =>
  keyword(args, 'url') ?? positional(args, /^(request|stream)$/.test(name) ? 1 : 0)

const pythonRequest: FindIn<CallExpression, readonly Outbound[]> = (call, scope, context) => {
  if (!REQUESTS.test(call.name)) return []
  const called = qualifiedName(call, scope)
  const isFunction = called !== undefined && FUNCTIONS.test(called)
  const made = isFunction ? { library: libraryOf(called) } : sessionOf(call, scope, context)
  const named = call.receiver?.kind === 'name' && CLIENT_NAMES.test(call.receiver.name)
  const library = made?.library ?? (named ? importedLibrary(scope) : undefined)
  if (library === undefined) return []
  const path = pythonText(addressOf(call), scope, context)
  if (path === undefined) return []
  const base = made !== undefined && 'base' in made ? made.base : undefined
  const address =
    base === undefined || isKnownUrl(path.text)
      ? path
      : {
          ...base,
          text: joinAddress(base.text, path.text),
          confidence: weaker(base.confidence, path.confidence),
        }
  // Without a view of how the client was made, only a whole address shows that it is one.
  if (!isKnownUrl(address.text) || (made === undefined && !/^(https?:\/\/|\$\{)/.test(address.text)))
    return []
  return [httpRecord({ address, type: library, call, verb: methodOf(call, scope, context), scope })]
}

export const PYTHON_HTTP_CLIENTS: Framework = {
  name: 'requests, httpx, aiohttp, urllib',
  language: 'python',
  // A client may be made in another file and imported from there.
  applies: () => true,
  outbound: (scope, context) =>
    pythonCalls(scope).flatMap(({ call, scope: inside }) => pythonRequest(call, inside, context)),
}
