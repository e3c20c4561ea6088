import type { SourceUnit, TypeUnit } from '../source/source-unit.ts'
import type { TypeScope } from '../source/type-scope.ts'
import { type Inbound, inboundAt } from './framework.ts'

/** A service in a `.proto` file. */
export interface ProtoService {
  readonly name: string
  /** With its package, as on the wire. */
  readonly fullName: string
  readonly methods: readonly string[]
  /** What a gateway serves for it, by the option `google.api.http`. */
  readonly routes: readonly { readonly method: string; readonly path: string }[]
}

const TOKEN =
  /\/\/[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|([A-Za-z_][\w.]*)|([{};])/g

const VERB = /^(get|put|post|delete|patch)$/

/** `/v1/{name=carts/*}` as `/v1/carts/{name}`. */
const plainPath = (template: string): string =>
  template.replace(/\{([\w.]+)=([^{}]*)\}/g, (_, name: string, pattern: string) =>
    pattern.replace(/\*+/g, `{${name}}`),
  )

/** Services, their methods and routes, found by tokens; all other content is skipped. */
export const readProto = (text: string): readonly ProtoService[] => {
  const words = [...text.matchAll(TOKEN)].flatMap(([, quoted, word, mark]) => quoted ?? word ?? mark ?? [])
  const at = words.indexOf('package')
  const prefix = at >= 0 && words[at + 2] === ';' ? `${words[at + 1]}.` : ''
  const found: (ProtoService & { methods: string[]; routes: { method: string; path: string }[] })[] = []
  let depth = 0
  let option = ''
  for (const [index, word] of words.entries()) {
    const next = words[index + 1] ?? ''
    if (word === '{') depth += 1
    else if (word === '}') depth -= 1
    else if (word === 'option') option = next
    else if (word === 'service' && depth === 0 && words[index + 2] === '{')
      found.push({ name: next, fullName: `${prefix}${next}`, methods: [], routes: [] })
    else if (word === 'rpc' && depth === 1) found.at(-1)?.methods.push(next)
    else if (depth > 1 && option === 'google.api.http' && VERB.test(word) && /^["']\//.test(next))
      found.at(-1)?.routes.push({ method: word.toUpperCase(), path: plainPath(next.slice(1, -1)) })
  }
  return found
}

/** The methods of a service that a call registers; the service alone when no `.proto` file declares it. */
export const grpcEndpoints = (
  service: string,
  found: ProtoService | undefined,
  scope: TypeScope,
  line: number,
  handler: string,
): readonly Inbound[] =>
  (found?.methods.map((one) => `${found.fullName}/${one}`) ?? [service]).map((text) =>
    inboundAt(
      scope,
      line,
      { text, confidence: found === undefined ? 'medium' : 'high' },
      { protocol: 'gRPC', handler },
    ),
  )

/** The base class of a service: `CartServiceGrpc.CartServiceImplBase`, or `CartServiceImplBase` with an import. */
const GRPC_BASE = /(?:^|\.)(\w+?)(?:Coroutine)?ImplBase$/

/** The gRPC service that a type of Java or Kotlin serves, by its base class, which is nested in a generated one. */
export const servedGrpcService = (type: TypeUnit, { imports }: SourceUnit): string | undefined => {
  const base = type.extends?.replace(/<.*$/s, '') ?? ''
  const [, name] = GRPC_BASE.exec(base) ?? []
  return name !== undefined && [base, ...imports].some((one) => one.includes(`${name}Grpc`))
    ? name
    : undefined
}
