import type { IncomingMessage } from 'node:http'
import { lazyCrypto } from '../kernel/encoding/crypto.ts'
import { digestBytes } from '../kernel/encoding/hash.ts'

export interface AccessRules {
  /** Host names accepted in `Host`, beside the loopback ones. */
  readonly allowedHosts: readonly string[]
  /** Host names accepted in `Origin`, beside the loopback ones. */
  readonly allowedOrigins: readonly string[]
  readonly token: string | undefined
  /** A second token, of clients that may only read. */
  readonly readToken?: string | undefined
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i
const MAX_PORT = 65_535

const hostName = (header: string | undefined): string | undefined => {
  const [, host, port = '0'] = HOST.exec(header ?? '') ?? []
  return Number(port) > MAX_PORT ? undefined : host?.toLowerCase()
}

const countHosts = (raw: readonly string[]): number =>
  raw.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length

/** A browser sends scheme, host and port, and nothing else. */
const originName = (header: string): string | undefined => hostName(/^https?:\/\/(.+)$/i.exec(header)?.[1])

// Digests have equal length, so the time of the comparison reveals nothing about the token.
const sameSecret = (a: string, b: string): boolean =>
  lazyCrypto().timingSafeEqual(Buffer.from(digestBytes(a)), Buffer.from(digestBytes(b)))

const sentToken = ({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined =>
  /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]

const carries = (request: Pick<IncomingMessage, 'headers'>, token: string | undefined): boolean => {
  const sent = token === undefined ? undefined : sentToken(request)
  return sent !== undefined && sameSecret(sent, token ?? '')
}

/** Whether a request that was let in carries the token of clients that may only read. */
export const isReader = (request: Pick<IncomingMessage, 'headers'>, { readToken }: AccessRules): boolean =>
  carries(request, readToken)

interface HttpRefusal {
  readonly status: 401 | 403
  readonly message: string
}

/** Checks Host, Origin and token. Web pages can send requests to loopback, so loopback is checked too. */
export const accessGuard = (rules: AccessRules) => {
  const hosts = new Set([...LOOPBACK, ...rules.allowedHosts.map((host) => host.toLowerCase())])
  const origins = new Set([...LOOPBACK, ...rules.allowedOrigins.map((host) => host.toLowerCase())])
  return (request: IncomingMessage, open: boolean): HttpRefusal | undefined => {
    const { headers, rawHeaders } = request
    const host = hostName(headers.host)
    // Node keeps the first of two Host headers; a proxy in front may have used the second.
    if (host === undefined || !hosts.has(host) || countHosts(rawHeaders) !== 1)
      return { status: 403, message: 'Host is not allowed' }
    if (headers.origin !== undefined) {
      const origin = originName(headers.origin)
      if (origin === undefined || !origins.has(origin))
        return { status: 403, message: 'Origin is not allowed' }
    } else if (headers['sec-fetch-site'] === 'cross-site') {
      // A page that loads us as an image or script sends no Origin. It cannot read the answer, but it learns that
      // the server exists and makes it work.
      return { status: 403, message: 'Requests of other sites are not allowed' }
    }
    if (open || rules.token === undefined) return undefined
    if (carries(request, rules.token) || isReader(request, rules)) return undefined
    return { status: 401, message: 'A bearer token is required' }
  }
}

export const isLoopback = (host: string): boolean =>
  LOOPBACK.includes(host) || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
