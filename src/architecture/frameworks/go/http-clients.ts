import { callChain } from '../../connections/client-base-url.ts'
import {
  type DetectionContext,
  type Framework,
  importsModule,
  type Outbound,
} from '../../connections/framework.ts'
import { belowBase, httpRecord } from '../../connections/outbound-http.ts'
import type { Expression } from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import type { PlacedCall, TypeScope } from '../../source/type-scope.ts'
import { goCalls, moduleOf } from './go-calls.ts'
import { GoValues } from './go-values.ts'

/** Requests of net/http and resty, and reverse proxies of httputil. */

const VERBS = new Set(['Get', 'Post', 'Put', 'Patch', 'Delete', 'Head', 'Options'])
const RESTY = /^(github\.com\/go-resty\/resty(\/v\d+)?|resty\.dev\/v\d+|gopkg\.in\/resty\.v\d+)$/

interface HttpRequest {
  readonly type: string
  readonly url: Expression | undefined
  readonly base?: KnownText | undefined
  readonly verb?: string | undefined
}

class RequestFinder {
  readonly #values: GoValues

  constructor({ resolver }: DetectionContext) {
    this.#values = new GoValues(resolver)
  }

  /** `"GET"` or `http.MethodGet`. */
  #verb(expression: Expression | undefined, scope: TypeScope): string | undefined {
    if (expression?.kind === 'name') {
      const [, verb] = /\bMethod(\w+)$/.exec(expression.name) ?? []
      if (verb !== undefined) return verb.toUpperCase()
    }
    const known = this.#values.text(expression, scope)?.text ?? ''
    return /^[A-Z]+$/.test(known) ? known : undefined
  }

  /** Whether a name is an `http.Client`. */
  #isClient(receiver: Expression | undefined, scope: TypeScope): boolean {
    if (receiver?.kind !== 'name') return false
    if (receiver.name === 'http.DefaultClient') return true
    const made = this.#values.source(receiver, scope)?.value
    if (made?.kind === 'record' && made.type === 'http.Client') return true
    const declared = [...scope.method.parameters, ...scope.method.locals].find(
      ({ name, type }) => name === receiver.name && type !== '',
    )
    return declared !== undefined && /^\*?http\.Client$/.test(declared.type)
  }

  request({ call, scope }: PlacedCall): HttpRequest | undefined {
    const { name, args, receiver, makes } = call
    if (makes) return undefined
    const module = moduleOf(call, scope)
    if (module === 'net/http') {
      if (name === 'NewRequest') return { type: 'net/http', url: args[1], verb: this.#verb(args[0], scope) }
      if (name === 'NewRequestWithContext')
        return { type: 'net/http', url: args[2], verb: this.#verb(args[1], scope) }
      if (name === 'PostForm') return { type: 'net/http', url: args[0], verb: 'POST' }
      return /^(Get|Post|Head)$/.test(name)
        ? { type: 'net/http', url: args[0], verb: name.toUpperCase() }
        : undefined
    }
    if (module === 'net/http/httputil' && name === 'NewSingleHostReverseProxy')
      return { type: 'reverse proxy', url: args[0] }
    if (/^(Get|Post|Head|PostForm)$/.test(name) && this.#isClient(receiver, scope))
      return { type: 'net/http', url: args[0], verb: name === 'PostForm' ? 'POST' : name.toUpperCase() }
    return this.#resty({ call, scope })
  }

  /** `client.R().SetBody(x).Post(url)` */
  #resty({ call, scope }: PlacedCall): HttpRequest | undefined {
    if (!VERBS.has(call.name) || !importsModule(RESTY)(scope.unit)) return undefined
    const chain = callChain(call)
    const made = chain.find(({ name, args }) => name === 'R' && args.length === 0)
    return made === undefined
      ? undefined
      : {
          type: 'resty',
          url: call.args[0],
          verb: call.name.toUpperCase(),
          base: this.#base(made.receiver, scope),
        }
  }

  /** The base address of a client: where it is made, or set on it in the same function. */
  #base(client: Expression | undefined, scope: TypeScope): KnownText | undefined {
    const made = this.#values.source(client, scope)
    const chain = made?.value.kind === 'call' ? callChain(made.value.call) : []
    const isBase = ({ name }: { readonly name: string }) => name === 'SetBaseURL' || name === 'SetHostURL'
    const set = chain.find(isBase)
    if (set !== undefined && made !== undefined) return this.#values.text(set.args[0], made.scope)
    const own = scope.unit.functions.flatMap((method) =>
      method.calls.filter(isBase).map((call) => ({ call, method })),
    )
    const [only] = own
    return only === undefined || own.length > 1
      ? undefined
      : this.#values.text(only.call.args[0], scope.at(scope.unit, undefined, only.method))
  }

  outbound(placed: PlacedCall): readonly Outbound[] {
    const request = this.request(placed)
    if (request === undefined) return []
    const { call, scope } = placed
    return this.#values.texts(request.url, scope).flatMap((path) => {
      const address = belowBase(path, request.base, isHttpAddress)
      const { type, verb } = request
      return isHttpAddress(address.text)
        ? [httpRecord({ address, type, call, verb, scope, caller: scope.method.name })]
        : []
    })
  }
}

/** An address with a host, or with an environment variable that is named after one. */
const isHttpAddress = (text: string): boolean =>
  /^https?:\/\/[^/]/i.test(text) ||
  /^\$\{\w*(URL|URI|HOST|ENDPOINT|ORIGIN|DOMAIN|SERVER|GATEWAY|ADDR)\w*\}/i.test(text)

export const GO_HTTP_CLIENTS: Framework = {
  name: 'net/http client, resty',
  language: 'go',
  applies: (unit) => importsModule(/^net\/http(\/httputil)?$/)(unit) || importsModule(RESTY)(unit),
  outbound: (scope, context) => {
    const finder = new RequestFinder(context)
    return goCalls(scope).flatMap((placed) => finder.outbound(placed))
  },
}
