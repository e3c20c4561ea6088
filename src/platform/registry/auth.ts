import { isRecord } from '../../kernel/encoding/json.ts'
import { registryFaults } from './faults.ts'

export type Credentials =
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'identity'; readonly token: string }
  | { readonly kind: 'bearer'; readonly token: string }

/** The credentials for a host; undefined when there are none. */
export type FindCredentials = (host: string) => Promise<Credentials | undefined>

export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service: string }

const PARAMETER = /([A-Za-z0-9_-]{1,40})\s*=\s*(?:"((?:[^"\\]|\\.){0,2048})"|([^\s,"]{1,2048}))/g
const MAX_HEADER = 8192

const readParameters = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(PARAMETER)].map(([, name = '', quoted, plain = '']) => [
      name.toLowerCase(),
      quoted?.replace(/\\(.)/g, '$1') ?? plain,
    ]),
  )

/** Parses the `www-authenticate` header of a 401. It may offer several schemes; Bearer is preferred. */
export const readChallenge = (header: string | null): Challenge | undefined => {
  if (header === null || header.length > MAX_HEADER) return undefined
  const bearer = /(?:^|,\s*)bearer\s+(.*)$/i.exec(header)?.[1]
  if (bearer !== undefined) {
    const found = readParameters(bearer)
    const realm = found.get('realm')
    return realm === undefined ? undefined : { scheme: 'bearer', realm, service: found.get('service') ?? '' }
  }
  return /(?:^|,\s*)basic(?:\s|$)/i.test(header) ? { scheme: 'basic' } : undefined
}

/** Docker Hub issues its tokens on another host. */
const TOKEN_HOSTS: Readonly<Record<string, string>> = { 'registry-1.docker.io': 'auth.docker.io' }

/**
 * Whether the token service may receive the registry's password: on the registry's own host and port, on another port
 * of that host that the operator named, and with TLS where one host name contains the other. Otherwise a registry, or a proxy before it,
 * could have the password sent anywhere.
 */
export const maySeePassword = (registry: URL, realm: URL, isNamed: (host: string) => boolean): boolean => {
  const [a, b] = [registry.hostname, realm.hostname]
  if (realm.origin === registry.origin || (a === b && isNamed(realm.host))) return true
  const isName = (host: string) => /[a-z]/.test(host) && host.includes('.') && !host.startsWith('[')
  if (realm.protocol !== 'https:' || !isName(a) || !isName(b)) return false
  return a === b || TOKEN_HOSTS[a] === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`)
}

export const TOKEN = /^[\x21-\x7e]{1,16384}$/
const MAX_LIFE_S = 3600
const MIN_LIFE_S = 60

export interface Token {
  readonly token: string
  readonly seconds: number
}

/** Reads the token of a token service. It becomes a header, so it may contain no line break. */
export const readToken = (value: unknown): Token => {
  const found = isRecord(value) ? (value.token ?? value.access_token) : undefined
  if (typeof found !== 'string' || !TOKEN.test(found))
    throw registryFaults.garbled('the token service of the registry returned no token')
  const life = isRecord(value) && typeof value.expires_in === 'number' ? value.expires_in : MIN_LIFE_S
  return { token: found, seconds: Math.min(Math.max(life, 0), MAX_LIFE_S) }
}

export const basicHeader = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
