import {
  basicHeader,
  type Challenge,
  type Credentials,
  type FindCredentials,
  maySeePassword,
  readChallenge,
  readToken,
  type Token,
} from './auth.ts'
import { registryFaults } from './faults.ts'
import type { HttpResponse, WireRequest } from './transport.ts'

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
