import type { FindIn } from '../../connections/framework.ts'
import { type Framework, importsModule, type Outbound } from '../../connections/framework.ts'
import { httpRecord } from '../../connections/outbound-http.ts'
import type { CallExpression, Expression } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { labelled, SwiftValues, swiftCalls, unlabelled } from './swift-values.ts'

/** Requests of URLSession, Alamofire and Vapor's client. */

interface HttpRequest {
  readonly type: string
  readonly url: Expression | undefined
  readonly verb?: string | undefined
}

const importsAlamofire = importsModule(/^Alamofire$/)
const importsVapor = importsModule(/^Vapor$/)

/** `.post`, or that of `request.httpMethod = "POST"`. */
const namedVerb = (expression: Expression | undefined): string | undefined => {
  const name = expression?.kind === 'text' ? expression.text : undefined
  const implied = expression?.kind === 'name' ? /\.(\w+)$/.exec(expression.name)?.[1] : undefined
  const verb = (name ?? implied ?? '').toUpperCase()
  return /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/.test(verb) ? verb : undefined
}

/** The method that is set on the request which a call makes. */
const assignedVerb = (call: CallExpression, { method }: TypeScope): string | undefined => {
  const made = method.locals.find(({ value }) => value?.kind === 'call' && value.call.args === call.args)
  const set =
    made === undefined ? undefined : method.locals.find(({ name }) => name === `${made.name}.httpMethod`)
  return namedVerb(set?.value)
}

const isSession = (receiver: Expression | undefined): boolean =>
  receiver?.kind === 'name' && /(^|\.)(URLSession\.shared|\w*[sS]ession)$/.test(receiver.name)

const isVaporClient = (receiver: Expression | undefined): boolean =>
  receiver?.kind === 'name' && /(^|\.)client$/.test(receiver.name)

const swiftRequest = (call: CallExpression, scope: TypeScope): HttpRequest | undefined => {
  const { name, receiver } = call
  const [first] = unlabelled(call)
  if (name === 'URLRequest')
    return { type: 'URLSession', url: labelled(call, 'url'), verb: assignedVerb(call, scope) }
  if (
    importsAlamofire(scope.unit) &&
    first !== undefined &&
    /^(request|upload|download|streamRequest)$/.test(name) &&
    receiver?.kind === 'name' &&
    /^(AF|Alamofire)$|[sS]ession(\.default)?$/.test(receiver.name)
  )
    return { type: 'Alamofire', url: first, verb: namedVerb(labelled(call, 'method')) ?? 'GET' }
  if (/^(data|dataTask|download|downloadTask|upload|uploadTask)$/.test(name) && isSession(receiver))
    // A request that is given was found where it was made.
    return { type: 'URLSession', url: labelled(call, 'from', 'with'), verb: 'GET' }
  if (importsVapor(scope.unit) && isVaporClient(receiver) && /^(get|post|put|patch|delete)$/.test(name))
    return { type: 'Vapor client', url: first, verb: name.toUpperCase() }
  return undefined
}

const isServerAddress = (text: string): boolean =>
  /^https?:\/\/[^/]/i.test(text) || /^\$\{\w*(URL|URI|HOST|ENDPOINT|SERVER)\w*\}/i.test(text)

const requestRow: FindIn<CallExpression, readonly Outbound[]> = (call, scope, { resolver }) => {
  const request = swiftRequest(call, scope)
  if (request === undefined) return []
  const values = new SwiftValues(resolver)
  const made = values.call(request.url, scope)
  if (made?.name === 'URLRequest') return []
  const address = values.text(request.url, scope)
  if (address === undefined || !isServerAddress(address.text)) return []
  const target = address.text.replace(/(?<!:)\/{2,}/g, '/')
  const { type, verb } = request
  const caller = scope.type?.name ?? scope.method.name
  return [
    httpRecord({
      address: { text: target, confidence: address.confidence },
      type,
      call,
      verb,
      scope,
      caller,
    }),
  ]
}

export const SWIFT_HTTP_CLIENTS: Framework = {
  name: 'URLSession, Alamofire',
  language: 'swift',
  applies: importsModule(/^(Foundation|FoundationNetworking|UIKit|SwiftUI|AppKit|Alamofire|Vapor|Combine)$/),
  outbound: (scope, context) =>
    swiftCalls(scope).flatMap(({ call, scope: inside }) => requestRow(call, inside, context)),
}
