import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord } from '../../kernel/encoding/json.ts'
import { Fault } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import type { RegistryRepository } from '../../packets/ports.ts'
import { withDeadline } from '../system/deadline.ts'
import { checkedLookup, checkPublic, checkRedirect, isLoopbackName } from './address.ts'
import { registryFaults } from './faults.ts'
import { type FindCredentials, OciLogin } from './login.ts'
import { type Body, type HttpResponse, sendRequest, type WireRequest } from './transport.ts'

/** Settings of registry access. */
export interface OciSettings {
  /** Hosts that the operator configured. Others must have public addresses. */
  readonly trusted: readonly string[]
  /** Hosts without TLS; loopback hosts are always among them. */
  readonly plain: readonly string[]
  /** When not empty, only these hosts and their subdomains are allowed. */
  readonly allowed: readonly string[]
  readonly credentials: FindCredentials
  /** Attempts of a request. */
  readonly attempts: number
  /** Delay before the first retry; doubled for each further one. */
  readonly backoffMs: number
  /** Deadline of a small request, retries included. */
  readonly requestMs: number
  /** Minimum transfer rate: the deadline of a blob is `requestMs` plus its size at this rate. */
  readonly bytesPerSecond: number
  /** Longest pause in a transfer before the rest is requested again. */
  readonly idleMs: number
  readonly maxBlobBytes: number
  /** Larger uploads are sent in chunks of this size. */
  readonly chunkBytes: number
}

const MiB = 1024 * 1024

export const DEFAULT_OCI: OciSettings = {
  trusted: [],
  plain: [],
  allowed: [],
  credentials: async () => undefined,
  attempts: 3,
  backoffMs: 200,
  requestMs: 30_000,
  bytesPerSecond: 64 * 1024,
  idleMs: 20_000,
  maxBlobBytes: 8 * 1024 * MiB,
  chunkBytes: 1024 * MiB,
}

/**
 * Aborts a stalled transfer. A lost network gives no error, and the deadline of a large blob may be hours away.
 * Only waiting for the registry counts, not time the consumer takes.
 */
export const watchIdle = (until: AbortSignal, idleMs: number) => {
  const idle = new AbortController()
  const forwardAbort = () => idle.abort(until.reason)
  const onIdle = () => idle.abort(Object.assign(new Error('no more bytes pass'), { code: 'ETIMEDOUT' }))
  const start = (ms: number) => setTimeout(onIdle, ms).unref()
  let timer = start(idleMs)
  const pause = () => clearTimeout(timer)
  until.addEventListener('abort', forwardAbort, { once: true })
  if (until.aborted) forwardAbort()
  return {
    signal: idle.signal,
    /** The cause of the end: the first reason, not what was thrown after it. */
    cause: (thrown: unknown): unknown => (idle.signal.aborted ? idle.signal.reason : thrown),
    pause,
    /** Begins to wait anew, `more` milliseconds longer than usual. */
    resume: (more = 0) => {
      pause()
      timer = start(idleMs + more)
    },
    end: () => {
      pause()
      until.removeEventListener('abort', forwardAbort)
    },
  }
}

interface OciRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH'
  /** A path below `/v2/<repository>/`, or a URL that the registry returned. */
  readonly target: string | URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Body
  /** Not retried: a part of an upload, which must be restarted as a whole. */
  readonly once?: boolean
  /** A large response is expected. */
  readonly bulk?: boolean
}

const CERTIFICATE = /^(?:ERR_TLS_CERT|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/
const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
const AGAIN = [408, 429, 500, 502, 503, 504]
/** Longest `retry-after` that is honoured. */
const MAX_WAIT_MS = 20_000
const MAX_DEADLINE_MS = 24 * 3_600_000

/** Aliases of hosts. */
const HOSTS: ReadonlyMap<string, string> = new Map(
  ['docker.io', 'index.docker.io'].map((name) => [name, 'registry-1.docker.io']),
)

const retryAfter = (answer: HttpResponse, now: number): number | undefined => {
  const text = answer.header('retry-after')
  if (text === null) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}

/** A request on its way. */
interface Sending {
  /** The registry that the request is for. */
  readonly base: URL
  /** Where it is sent; another host after a redirect. */
  readonly url: URL
  readonly request: OciRequest
  readonly signal: AbortSignal
}

/** HTTP for registries: allowed hosts, logins, redirects, retries and deadlines. */
export class OciHttp {
  readonly settings: OciSettings
  readonly #login: OciLogin

  constructor(settings: OciSettings) {
    this.settings = settings
    this.#login = new OciLogin({
      credentials: settings.credentials,
      isNamed: (host) => this.#isNamed(host),
      send: (base, url, request, signal) => this.#send(base, url, request, signal),
      readSmall: (answer, max, signal) => this.readSmall(answer, max, signal),
    })
  }

  /** The deadline of one operation, retries, logins and waiting included. */
  deadline(signal: AbortSignal, bytes = 0): AbortSignal {
    const { requestMs, bytesPerSecond } = this.settings
    const ms = Math.ceil(requestMs + (bytes / bytesPerSecond) * 1000)
    return withDeadline(signal, Math.min(ms, MAX_DEADLINE_MS))
  }

  /** Sends a request and retries it on network errors and on status codes that a retry may change. */
  async send(at: RegistryRepository, request: OciRequest, signal: AbortSignal): Promise<HttpResponse> {
    const base = await this.#open(at.host)
    const url =
      typeof request.target === 'string'
        ? new URL(`/v2/${at.repository}/${request.target}`, base)
        : request.target
    for (let attempt = 1; ; attempt++) {
      const last = request.once === true || attempt >= this.settings.attempts
      const answer = await this.#attempt({ base, url, request, signal }, at).catch((cause: unknown) => {
        if (last || !(cause instanceof Fault) || cause.code !== 'registry.unreachable') throw cause
        return undefined
      })
      if (answer !== undefined && !AGAIN.includes(answer.status)) return answer
      const wait = answer === undefined ? undefined : retryAfter(answer, Date.now())
      answer?.discard()
      if (last || (wait ?? 0) > MAX_WAIT_MS)
        throw registryFaults.unavailable(`${at.host} answered ${answer?.status}`, {
          ...(wait !== undefined && { detail: { retryAfterMs: wait } }),
        })
      await this.pause(attempt, signal, wait)
    }
  }

  /** Waits before a retry. */
  async pause(attempt: number, signal: AbortSignal, wait?: number): Promise<void> {
    const ms = wait ?? this.settings.backoffMs * 2 ** (attempt - 1)
    await sleep(ms, undefined, { signal }).catch((cause: unknown) => {
      throw this.failure(cause, signal)
    })
  }

  /** Maps an error to a fault. A passed deadline is the registry's fault; a cancellation is thrown as it is. */
  failure(cause: unknown, signal: AbortSignal, host = 'the registry'): unknown {
    if (cause instanceof Fault) return cause
    if (signal.aborted)
      return isTimeout(signal.reason)
        ? registryFaults.slow(`${host} took too long`, { cause })
        : signal.reason
    if (isRecord(cause) && CERTIFICATE.test(String(cause.code)))
      return registryFaults.certificate('the certificate of the registry is not trusted', { cause })
    return registryFaults.unreachable(
      `${host} cannot be reached, or closed the connection${reasonIn(cause)}`,
      { cause },
    )
  }

  /** Resolves an address that the registry returned, and checks that it may be followed. */
  async checkLocation(host: string, location: string | null, from: URL): Promise<URL> {
    const base = await this.#open(host)
    if (location === null || !URL.canParse(location, from.href))
      throw registryFaults.garbled('the registry returned no valid redirect address')
    const target = new URL(location, from)
    await checkRedirect(base, target, {
      mayBePlain: (one) => this.#isPlain(one),
      isNamed: (one) => this.#isNamed(one),
    })
    return target
  }

  /** Whether the operator configured this host, with this port. */
  #isNamed(host: string): boolean {
    return this.settings.trusted.some((one) => (HOSTS.get(one) ?? one) === host)
  }

  #isPlain(host: string): boolean {
    return isLoopbackName(new URL(`http://${host}`).hostname) || this.settings.plain.includes(host)
  }

  async #open(name: string): Promise<URL> {
    const host = HOSTS.get(name) ?? name
    const { allowed, trusted } = this.settings
    if (allowed.length > 0 && !allowed.some((one) => host === one || host.endsWith(`.${one}`)))
      throw registryFaults.not_allowed(`registry host '${host}' is not in OCI allowlist`)
    const url = new URL(`${this.#isPlain(host) ? 'http' : 'https'}://${host}`)
    if (!trusted.includes(name)) await checkPublic(url.hostname)
    return url
  }

  /** Sends a request with its login. After a 401 it logs in and repeats it once. */
  async #attempt(sending: Sending, at: RegistryRepository): Promise<HttpResponse> {
    const { base, url, request, signal } = sending
    const scope = `repository:${at.repository}:${request.method === 'GET' || request.method === 'HEAD' ? 'pull' : 'pull,push'}`
    const known = this.#login.known(base, scope)
    const first = await this.#follow(sending, known)
    if (first.status !== 401 || url.origin !== base.origin) return first
    const challenge = first.header('www-authenticate')
    first.discard()
    const checkRealm = (text: string) => this.checkLocation(at.host, text, base)
    const header = await this.#login.answer({ base, scope, challenge, checkRealm, signal })
    const second = await this.#follow(sending, header)
    if (second.status !== 401) return second
    second.discard()
    this.#login.forget(base, scope)
    throw registryFaults.denied(`${base.host} does not accept the credentials`)
  }

  async #follow(sending: Sending, login: string | undefined): Promise<HttpResponse> {
    const { base, signal } = sending
    const { method, headers, body, bulk } = sending.request
    let { url } = sending
    for (let hops = 0; ; hops++) {
      // Credentials are sent to the registry's origin only: another host or port is another party.
      const own = login !== undefined && url.origin === base.origin ? { authorization: login } : {}
      const request = {
        method,
        headers: { ...headers, ...own },
        ...optional({ body, bulk }),
      }
      const answer = await this.#send(base, url, request, signal)
      if (!REDIRECTS.includes(answer.status)) return answer
      answer.discard()
      if (hops === MAX_REDIRECTS) throw registryFaults.garbled(`${base.host} redirects too often`)
      if (method !== 'GET' && method !== 'HEAD')
        throw registryFaults.garbled(`${base.host} redirects an upload`)
      url = await this.checkLocation(base.host, answer.header('location'), url)
    }
  }

  /** A configured registry may resolve to any address; redirect targets and other registries may not. */
  async #lookup(base: URL, url: URL): Promise<Pick<WireRequest, 'lookup'>> {
    const own = url.hostname === base.hostname && this.#isNamed(base.host)
    if (own || this.#isNamed(url.host)) return {}
    return { lookup: await checkedLookup(base, url) }
  }

  async #send(base: URL, url: URL, request: WireRequest, signal: AbortSignal): Promise<HttpResponse> {
    try {
      const headers = { 'accept-encoding': 'identity', 'user-agent': 'warrant', ...request.headers }
      const judged = await this.#lookup(base, url)
      const answer = await sendRequest(url, { ...request, headers, ...judged }, signal)
      // Compressed responses were not requested and could expand to any size.
      if ((answer.header('content-encoding') ?? 'identity') === 'identity') return answer
      answer.discard()
    } catch (cause) {
      throw this.failure(cause, signal, url.host)
    }
    throw registryFaults.garbled('the registry sent a compressed response, which was not requested')
  }

  /** Reads a small body, with a limit on the declared and the received size. */
  async readSmall(answer: HttpResponse, max: number, signal: AbortSignal): Promise<Uint8Array> {
    const tooLarge = registryFaults.too_large(`the registry's response has more than ${max} bytes`)
    if (Number(answer.header('content-length') ?? 0) > max) {
      answer.discard()
      throw tooLarge
    }
    const chunks: Uint8Array[] = []
    let seen = 0
    try {
      for await (const chunk of answer.body) {
        seen += chunk.length
        if (seen > max) throw tooLarge
        chunks.push(chunk)
      }
    } catch (cause) {
      throw this.failure(cause, signal)
    }
    return Buffer.concat(chunks)
  }
}

/** The errno name, which can be searched for. */
const reasonIn = (cause: unknown): string =>
  isRecord(cause) && typeof cause.code === 'string' && /^E[A-Z]+$/.test(cause.code) ? ` (${cause.code})` : ''

const isTimeout = (reason: unknown): boolean => isRecord(reason) && reason.name === 'TimeoutError'
