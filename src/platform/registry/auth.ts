import { isRecord } from '../../kernel/encoding/json.ts'
import { registryFaults } from './faults.ts'

export type Credentials =
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'identity'; readonly token: string }
  | { readonly kind: 'bearer'; readonly token: string }

/** Who we are to a host; undefined when we have no name there. */
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

/** What a registry asks for with its 401. Several schemes may stand in one header; Bearer is preferred. */
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

/** The hub's tokens come from another host of the same house. */
const TOKEN_HOUSES: Readonly<Record<string, string>> = { 'registry-1.docker.io': 'auth.docker.io' }

/**
 * May a registry's token service hear the password we have for the registry? Only when one of the two hosts
 * contains the other: otherwise a registry, or whoever sits before it, could have it sent anywhere.
 */
export const maySeePassword = (registry: URL, realm: URL): boolean => {
  const [a, b] = [registry.hostname, realm.hostname]
  if (a === b || TOKEN_HOUSES[a] === b) return true
  const isName = (host: string) => /[a-z]/.test(host) && host.includes('.') && !host.startsWith('[')
  return isName(a) && isName(b) && (a.endsWith(`.${b}`) || b.endsWith(`.${a}`))
}

export const TOKEN = /^[\x21-\x7e]{1,16384}$/
const MAX_LIFE_S = 3600
const MIN_LIFE_S = 60

export interface Token {
  readonly token: string
  readonly seconds: number
}

/** A token out of a token service's answer. It becomes a header, so it may hold nothing that ends one. */
export const readToken = (value: unknown): Token => {
  const found = isRecord(value) ? (value.token ?? value.access_token) : undefined
  if (typeof found !== 'string' || !TOKEN.test(found))
    throw registryFaults.garbled('the token service of the registry gave no token')
  const life = isRecord(value) && typeof value.expires_in === 'number' ? value.expires_in : MIN_LIFE_S
  return { token: found, seconds: Math.min(Math.max(life, 0), MAX_LIFE_S) }
}

export const basicHeader = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
