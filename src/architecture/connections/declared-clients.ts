import { optional } from '../../kernel/optional.ts'
import { type Annotation, simpleName, type TypeUnit } from '../source/source-unit.ts'
import type { KnownText, TextResolver } from '../source/text-resolver.ts'
import type { TypeScope } from '../source/type-scope.ts'
import { joinAddress, plainAddress } from './addresses.ts'
import { CreatedClients } from './client-creations.ts'
import type { ResolveIn } from './framework.ts'
import { type Outbound, outboundAt } from './framework.ts'
import { type EndpointRoute, isSpringController, jaxRoutes, prefixesOf, springRoutes } from './inbound-web.ts'

interface DeclaredClient {
  readonly label: string
  /** Settings that hold the address; `{}` stands for the name of the client. */
  readonly settings: readonly string[]
}

const CLIENTS: Readonly<Record<string, DeclaredClient>> = {
  FeignClient: {
    label: 'FeignClient',
    settings: ['spring.cloud.openfeign.client.config.{}.url', 'feign.client.config.{}.url'],
  },
  RegisterRestClient: {
    label: 'RestClient',
    settings: ['quarkus.rest-client.{}.url', 'quarkus.rest-client."{}".url', '{}/mp-rest/url'],
  },
  HttpExchange: { label: 'HttpExchange', settings: ['spring.http.serviceclient.{}.base-url'] },
}

const hasExchanges = ({ methods }: TypeUnit): boolean =>
  methods.some(({ annotations }) =>
    annotations.some(({ name }) => /^(Get|Post|Put|Patch|Delete|Http)Exchange$/.test(name)),
  )

/** Whether a controller of the project implements an interface: then it declares endpoints. */
const isServed = ({ name }: TypeUnit, { index }: TypeScope): boolean =>
  index.units.some(({ types }) =>
    types.some((type) => isSpringController(type) && type.implements.some((one) => simpleName(one) === name)),
  )

/** The annotation that declares a client; an interface may have it on its methods only. */
const declarationsOf = (type: TypeUnit, scope: TypeScope): readonly Annotation[] => {
  const own = type.annotations.filter(({ name }) => Object.hasOwn(CLIENTS, name))
  const exchanges = type.kind === 'interface' && (hasExchanges(type) || own.some(isExchange))
  if (!exchanges) return own.filter((one) => !isExchange(one))
  if (isServed(type, scope)) return []
  return own.length > 0 ? own : [{ name: 'HttpExchange', line: type.line, args: new Map() }]
}

const isExchange = ({ name }: Annotation): boolean => name === 'HttpExchange'

/** The group of `@ImportHttpServices(group = "orders", types = Orders.class)`, which has the settings of a client. */
const serviceGroup = ({ name }: TypeUnit, { index }: TypeScope, resolver: TextResolver, scope: TypeScope) => {
  for (const unit of index.units) {
    if (!unit.imports.some((one) => one.startsWith('org.springframework.web.service.'))) continue
    for (const { annotations } of unit.types) {
      const found = annotations.find(
        (one) =>
          one.name === 'ImportHttpServices' && JSON.stringify([...one.args]).includes(`"${name}.class"`),
      )
      if (found !== undefined) return resolver.text(found.args.get('group'), scope)?.text
    }
  }
  return undefined
}

/** The address of a client in the settings of its module: the value of the first of these keys. */
export const configuredAddress = (
  keys: readonly string[],
  { configuration }: TextResolver,
  file: string,
): KnownText | undefined => {
  for (const key of keys) {
    const setting = configuration.find(key, file)
    if (setting === undefined) continue
    const { text, complete } = configuration.fill(setting.value, file)
    return { text, confidence: complete ? 'medium' : 'low', origin: `\${${key}}` }
  }
  return undefined
}

const clientRoutes = (
  type: TypeUnit,
  label: string,
  resolver: TextResolver,
  scope: TypeScope,
): readonly EndpointRoute[] => {
  if (label === 'RestClient') return type.methods.flatMap((one) => jaxRoutes(type, one, resolver, scope))
  // The address of an exchange may be the prefix of its routes.
  const prefixes = prefixesOf(type, resolver, scope).map((one) =>
    /^[a-z]+:\/\//i.test(one.text) || one.text.startsWith('${') ? { ...one, text: '' } : one,
  )
  return type.methods.flatMap((method) => springRoutes(prefixes, method, resolver, scope))
}

/** A declarative HTTP client. Its mapped methods are outbound calls, not endpoints. */
export const declaredClient: ResolveIn<TypeUnit, readonly Outbound[]> = (type, resolver, scope) =>
  declarationsOf(type, scope).flatMap((annotation) => {
    const client = CLIENTS[annotation.name]
    if (client === undefined) return []
    const { label } = client
    const get = (...names: readonly string[]) =>
      names
        .map((name) => resolver.text(annotation.args.get(name), scope))
        .find((one) => one !== undefined && one.text !== '')
    const isNamed = label !== 'HttpExchange'
    const name = isNamed ? get('name', 'value', 'serviceId', 'contextId', 'configKey') : undefined
    const path = isNamed ? get('path') : undefined
    const names = [
      ...(name === undefined ? [] : [name.text]),
      `${scope.unit.package}.${type.name}`,
      ...(isNamed ? [] : [serviceGroup(type, scope, resolver, scope) ?? '']),
    ].filter((one) => one !== '')
    const given = isNamed ? get('url', 'baseUri') : wholeAddress(get('url', 'value'))
    const keys = names.flatMap((one) => client.settings.map((key) => key.replace('{}', one)))
    const configured = given ?? configuredAddress(keys, resolver, scope.unit.file)
    const url =
      configured ?? (isNamed ? undefined : new CreatedClients(resolver).baseOf(type.name, scope.index))
    const address = url === undefined ? undefined : { ...url, text: plainAddress(url.text) }
    // The key of a MicroProfile client is the name of its settings: the address says more.
    const target = label === 'RestClient' && given === undefined ? (address ?? name) : (name ?? address)
    const calls = [
      ...new Set(
        clientRoutes(type, label, resolver, scope).map(
          (route) => `${route.method} ${joinAddress(path?.text ?? '', route.path)}`,
        ),
      ),
    ].sort()
    const origin = [name?.origin, url?.origin].find((one) => one !== undefined)
    return [
      outboundAt(scope, type.line, target ?? { text: type.name, confidence: 'low' }, {
        protocol: 'REST',
        type: label,
        caller: type.name,
        ...optional({ url: url && plainAddress(url.text) }),
        ...optional({ path: path?.text }),
        ...(calls.length > 0 && { calls }),
        ...optional({ origin }),
      }),
    ]
  })

const wholeAddress = (text: KnownText | undefined): KnownText | undefined =>
  text !== undefined && /^([a-z][a-z0-9+.-]*:\/\/|\$\{)/i.test(text.text) ? text : undefined
