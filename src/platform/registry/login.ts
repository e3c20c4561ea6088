import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isRecord } from '../../kernel/encoding/json.ts'
import { registryFaults } from './faults.ts'
import type { HttpResponse, WireRequest } from './transport.ts'

const MAX_FILE = 1024 * 1024
const HUB_KEY = 'https://index.docker.io/v1/'
const HELPER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
const HELPER_MS = 10_000
const HELPER_BYTES = 64 * 1024

const readEntry = (entry: unknown): Credentials | undefined => {
  if (!isRecord(entry)) return undefined
  const { auth, identitytoken, registrytoken } = entry
  if (typeof registrytoken === 'string' && TOKEN.test(registrytoken))
    return { kind: 'bearer', token: registrytoken }
  if (typeof identitytoken === 'string' && identitytoken !== '')
    return { kind: 'identity', token: identitytoken }
  const text = typeof auth === 'string' ? Buffer.from(auth, 'base64').toString('utf8') : ''
  const colon = text.indexOf(':')
  return colon <= 0
    ? undefined
    : { kind: 'password', user: text.slice(0, colon), password: text.slice(colon + 1).replace(/\0+$/, '') }
}

const loadFile = async (path: string): Promise<Record<string, unknown>> => {
  const bytes = await readFile(path).catch(() => undefined)
  if (bytes === undefined) return {}
  try {
    const value: unknown = bytes.length > MAX_FILE ? undefined : JSON.parse(bytes.toString('utf8'))
    if (isRecord(value)) return value
  } catch {
    // Falls through; the file may contain passwords, so nothing of it is quoted.
  }
  throw registryFaults.denied('the file with registry credentials cannot be read')
}

/** The value of the first of these keys in a table. */
const pick = (table: unknown, keys: readonly string[]): unknown => {
  const key = isRecord(table) ? keys.find((one) => Object.hasOwn(table, one)) : undefined
  return isRecord(table) && key !== undefined ? table[key] : undefined
}

/** Runs a Docker credential helper. A helper that is missing or fails gives no credentials. */
const askHelper = async (
  name: unknown,
  server: string,
  path: string,
  env: NodeJS.ProcessEnv,
): Promise<Credentials | undefined> => {
  if (typeof name !== 'string' || !HELPER.test(name)) return undefined
  const options = { cwd: dirname(path), env, ms: HELPER_MS, bytes: HELPER_BYTES, input: `${server}\n` }
  const { runProgram } = await import('../programs/program.ts')
  const done = await runProgram(`docker-credential-${name}`, ['get'], options)
  if (done?.exitCode !== 0 || done.cut !== undefined) return undefined
  try {
    const value: unknown = JSON.parse(done.stdout)
    const { Username: user, Secret: secret } = isRecord(value) ? value : {}
    if (typeof user !== 'string' || typeof secret !== 'string' || secret === '') return undefined
    return user === '<token>'
      ? { kind: 'identity', token: secret }
      : { kind: 'password', user, password: secret }
  } catch {
    return undefined
  }
}

/** Credentials of `docker login`: from its `config.json`, or from the helper it names. */
export const dockerCredentials =
  (path: string, env: NodeJS.ProcessEnv): FindCredentials =>
  async (host) => {
    const { auths, credHelpers, credsStore } = await loadFile(path)
    const isHub = host === 'registry-1.docker.io'
    const keys = [host, `https://${host}`, `http://${host}`, ...(isHub ? [HUB_KEY] : [])]
    const server = isHub ? HUB_KEY : host
    const own = pick(credHelpers, keys)
    if (own !== undefined) return askHelper(own, server, path, env)
    return readEntry(pick(auths, keys)) ?? (await askHelper(credsStore, server, path, env))
  }

export type Credentials =
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'identity'; readonly token: string }
  | { readonly kind: 'bearer'; readonly token: string }

/** The credentials for a host; undefined when there are none. */
export type FindCredentials = (host: string) => Promise<Credentials | undefined>

type Challenge =
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

interface Token {
  readonly token: string
  readonly seconds: number
}

/** Reads the token of a token service. It becomes a header, so it may contain no line break. */
const readToken = (value: unknown): Token => {
  const found = isRecord(value) ? (value.token ?? value.access_token) : undefined
  if (typeof found !== 'string' || !TOKEN.test(found))
    throw registryFaults.garbled('the token service of the registry returned no token')
  const life = isRecord(value) && typeof value.expires_in === 'number' ? value.expires_in : MIN_LIFE_S
  return { token: found, seconds: Math.min(Math.max(life, 0), MAX_LIFE_S) }
}

const basicHeader = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** Sends one request of the login to `url`, on behalf of the registry `base`. */
type Send = (base: URL, url: URL, request: WireRequest, signal: AbortSignal) => Promise<HttpResponse>
type ReadSmall = (answer: HttpResponse, max: number, signal: AbortSignal) => Promise<Uint8Array>
/** Parses the address of a token service and checks that it may be contacted. */
type CheckRealm = (text: string) => Promise<URL>
type Bearer = Extract<Challenge, { scheme: 'bearer' }>

const MAX_TOKEN_ANSWER = 64 * 1024

interface KnownLogin {
  readonly header: string
  readonly until: number
}

/** A 401 to be answered. */
interface LoginRequest {
  readonly base: URL
  readonly scope: string
  /** The `www-authenticate` header. */
  readonly challenge: string | null
  readonly checkRealm: CheckRealm
  readonly signal: AbortSignal
}

/** Where a token is requested, and as whom. */
interface TokenRequest {
  readonly url: URL
  readonly service: string
  readonly who: Credentials | undefined
}

interface LoginPorts {
  readonly credentials: FindCredentials
  /** Whether the operator configured this host. */
  readonly isNamed: (host: string) => boolean
  readonly send: Send
  readonly readSmall: ReadSmall
}

/** Logs in to registries and keeps the result in memory until it expires. */
export class OciLogin {
  readonly #ports: LoginPorts
  readonly #known = new Map<string, KnownLogin>()

  constructor(ports: LoginPorts) {
    this.#ports = ports
  }

  known(base: URL, scope: string): string | undefined {
    const found = this.#known.get(`${base.origin} ${scope}`)
    return found !== undefined && found.until > Date.now() ? found.header : undefined
  }

  forget(base: URL, scope: string): void {
    this.#known.delete(`${base.origin} ${scope}`)
  }

  /** The authorization header for a challenge. */
  async answer(request: LoginRequest): Promise<string> {
    const { base, scope } = request
    const asked = readChallenge(request.challenge)
    if (asked === undefined)
      throw registryFaults.denied(`${base.host} denies access and does not say how to log in`)
    const who = await this.#ports.credentials(base.host)
    const known =
      asked.scheme === 'basic'
        ? { header: this.#basic(base, who), until: Number.POSITIVE_INFINITY }
        : await this.#bearer(request, asked, who)
    this.#known.set(`${base.origin} ${scope}`, known)
    return known.header
  }

  #basic(base: URL, who: Credentials | undefined): string {
    if (who?.kind !== 'password')
      throw registryFaults.denied(`${base.host} requires a user name and a password`)
    return basicHeader(who.user, who.password)
  }

  async #bearer(
    request: LoginRequest,
    { realm, service }: Bearer,
    who: Credentials | undefined,
  ): Promise<KnownLogin> {
    const { base, checkRealm, signal } = request
    if (who?.kind === 'bearer') return { header: `Bearer ${who.token}`, until: Number.POSITIVE_INFINITY }
    const url = await checkRealm(realm)
    const trusted = maySeePassword(base, url, this.#ports.isNamed) ? who : undefined
    const answer = await this.#requestToken(request, { url, service, who: trusted })
    const { token, seconds } = await this.#readToken(base, answer, signal)
    return { header: `Bearer ${token}`, until: Date.now() + seconds * 900 }
  }

  // The scope is computed here and not read from the challenge: a registry must not make us request more.
  #requestToken({ base, scope, signal }: LoginRequest, { url, service, who }: TokenRequest) {
    if (who?.kind === 'identity') {
      const form = new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: who.token,
        client_id: 'warrant',
        service,
        scope,
      })
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return this.#ports.send(
        base,
        url,
        { method: 'POST', headers, body: Buffer.from(form.toString()) },
        signal,
      )
    }
    url.searchParams.set('scope', scope)
    if (service !== '') url.searchParams.set('service', service)
    const login = who?.kind === 'password' ? { authorization: basicHeader(who.user, who.password) } : {}
    return this.#ports.send(base, url, { method: 'GET', headers: login }, signal)
  }

  async #readToken(base: URL, answer: HttpResponse, signal: AbortSignal): Promise<Token> {
    if (answer.status !== 200) {
      answer.discard()
      throw registryFaults.denied(`the token service of ${base.host} denies access`)
    }
    const bytes = await this.#ports.readSmall(answer, MAX_TOKEN_ANSWER, signal)
    try {
      return readToken(JSON.parse(Buffer.from(bytes).toString('utf8')))
    } catch (cause) {
      throw registryFaults.garbled(`the token service of ${base.host} returned no token`, { cause })
    }
  }
}
