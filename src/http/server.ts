import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { stackOf } from '../kernel/invoke.ts'
import type { Ids, Log } from '../kernel/ports.ts'
import { type ClientLimits, ClientTable, clientLimits, type PausedBody } from './client-limits.ts'
import { type AccessRules, accessGuard, isReader } from './guards.ts'

/** Bodies that are announced with no more than this are read without a pause: as many as fit have room. */
const SHORT_BODY = 48 * 1024

interface BodyOptions {
  readonly limit: number
  /** Called with the number of bytes in memory each time it changes. False: there is no room for more now. */
  readonly keep: (bytes: number) => boolean
  readonly pause: (body: PausedBody) => void
}

/**
 * The whole body; undefined when it is longer than `limit`, and then none of it is kept. The parts are copied into
 * one buffer that doubles, because a body in parts of one byte would take a hundred times its size.
 */
export const readBody = (
  request: IncomingMessage,
  { limit, keep, pause }: BodyOptions,
): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const announced = request.headers['content-length']
    const most = announced === undefined ? limit : Number(announced)
    if (most > limit) {
      request.resume()
      return resolve(undefined)
    }
    let kept: Buffer | undefined
    let size = 0
    const add = (part: Buffer): Buffer => {
      if (kept === undefined) return part
      if (size + part.length > kept.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(2 * kept.length, size + part.length)))
        kept.copy(larger, 0, 0, size)
        kept = larger
      }
      part.copy(kept, size)
      return kept
    }
    const drop = () => {
      kept = undefined
      keep(0)
    }
    const onData = (part: Buffer) => {
      if (size + part.length > limit) {
        drop()
        request.off('data', onData)
        request.resume()
        return resolve(undefined)
      }
      kept = add(part)
      size += part.length
      if (!keep(kept.length) && size !== most && most > SHORT_BODY) {
        request.pause()
        pause({ missingBytes: most - size, resume: () => request.resume() })
      }
    }
    request.on('data', onData)
    request.on('end', () => {
      resolve(kept?.subarray(0, size) ?? Buffer.alloc(0))
      drop()
    })
    request.on('error', reject)
    request.on('close', () => {
      // Most have ended: an error with its stack would be a tenth of the CPU of a call.
      if (request.readableEnded) return
      drop()
      reject(new Error('the client went away'))
    })
  })

/** A request whose body has been read and is within the route's limit. */
export interface HttpRequest {
  readonly raw: IncomingMessage
  readonly method: string
  readonly body: Buffer
}

type Headers = Readonly<Record<string, string>>

export interface Route {
  readonly path: string
  /** One sentence for the reference page. */
  readonly summary: string
  /** Undefined: the handler accepts every method. */
  readonly methods?: readonly string[]
  readonly bodyBytes?: number
  /** Refuses bodies that are not called JSON, so that a web page cannot send one without the browser asking first. */
  readonly jsonOnly?: boolean
  /** Needs no token: for liveness and discovery. */
  readonly open?: boolean
  /** Appends, signs or runs: not for a token that may only read. */
  readonly writes?: boolean
  /** The JSON body of a refusal. Undefined: the default format. */
  readonly refuse?: (status: number, message: string) => object
  /** Headers of a refusal. */
  readonly headers?: Headers
  /** Also matches paths with trailing slashes and dot segments, which `new URL` resolves. */
  readonly normalizePath?: boolean
  /** Also matches every path below it. */
  readonly withBelow?: boolean
  readonly handle: (request: HttpRequest, response: ServerResponse) => void | Promise<void>
}

export interface HttpServerSettings {
  readonly routes: readonly Route[]
  /** Answers unknown paths. Undefined: 404 in the default format. */
  readonly fallback?: Route
  readonly access: AccessRules
  readonly headersMs: number
  readonly requestMs: number
  /** Undefined: the defaults. */
  readonly clientLimits?: ClientLimits
  readonly log: Log
  readonly ids: Ids
  /** Called after each response, for the metrics. */
  readonly observe: (route: string, status: number) => void
  /** Value of `WWW-Authenticate` on a 401. */
  readonly challenge: () => string
}

const REST_BODY_BYTES = 1024 * 1024
const JSON_TYPE = /^application\/json\s*(;|$)/i

interface JsonResponse {
  readonly status: number
  readonly value: unknown
  readonly headers?: Headers | undefined
}

/** Writes the headers of a JSON response and returns its body. */
const beginJson = (response: ServerResponse, { status, value, headers }: JsonResponse): string => {
  const body = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  })
  return body
}

export const sendJson = (
  response: ServerResponse,
  status: number,
  value: unknown,
  headers?: Headers,
): void => {
  response.end(beginJson(response, { status, value, headers }))
}

export const sendText = (
  response: ServerResponse,
  text: string,
  type = 'text/plain; charset=utf-8',
): void => {
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

const LINGER_MS = 2_000

/**
 * Refuses a request whose body is still arriving. The body is discarded for up to two seconds before the connection
 * is closed, because a client that is cut off while sending never reads the response.
 */
const rejectUnread = (
  request: IncomingMessage,
  response: ServerResponse,
  { headers, ...rest }: JsonResponse,
): void => {
  response.write(beginJson(response, { ...rest, headers: { ...headers, connection: 'close' } }))
  const timer = setTimeout(() => response.end(), LINGER_MS)
  const finish = () => {
    clearTimeout(timer)
    response.end()
  }
  request.once('end', finish)
  request.once('close', finish)
  request.resume()
}

const plainRefusal = (status: number, message: string) => ({ error: { status, message } })

/** The normalized path; undefined for an invalid URL and for one that names a host, such as `//x`. */
const resolvePath = (url: string): string | undefined => {
  if (url.startsWith('//')) return undefined
  try {
    return new URL(url, 'http://localhost').pathname.replace(/\/+$/, '') || '/'
  } catch {
    return undefined
  }
}

/** Finds the route of a request by its exact path, else by its normalized path. */
const routeFinder = ({ routes, fallback }: Pick<HttpServerSettings, 'routes' | 'fallback'>) => {
  const exact = new Map(routes.map((route) => [route.path, route]))
  const normalized = new Map(
    routes.filter((route) => route.normalizePath).map((route) => [route.path, route]),
  )
  const folders = routes.filter((route) => route.withBelow)
  return (url: string): Route | undefined => {
    const end = url.indexOf('?')
    const found =
      exact.get(end === -1 ? url : url.slice(0, end)) ??
      folders.find(({ path }) => url.startsWith(`${path}/`))
    if (found !== undefined) return found
    const path = normalized.size === 0 ? undefined : resolvePath(url)
    return (path === undefined ? undefined : normalized.get(path)) ?? fallback
  }
}

/** False for an absolute address, which a proxy would be asked for. */
const isPath = (target: string): boolean => target.startsWith('/') || target === '*'

const NO_BODY = Buffer.alloc(0)

const hasBody = ({ headers }: IncomingMessage): boolean =>
  (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined

/** The HTTP server of all programs: checks Host, Origin and token, limits bodies, then calls a route. */
export const createHttpServer = (options: HttpServerSettings): Server => {
  const { log, ids, observe, challenge } = options
  const findRoute = routeFinder(options)
  const guard = accessGuard(options.access)
  const largestBody = Math.max(REST_BODY_BYTES, ...options.routes.map(({ bodyBytes = 0 }) => bodyBytes))
  const clients = new ClientTable(options.clientLimits ?? clientLimits(largestBody), () =>
    observe('other', 503),
  )

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const route = findRoute(request.url ?? '')
    const withBody = hasBody(request)
    const method = request.method ?? ''
    response.on('finish', () => observe(route?.path ?? 'other', response.statusCode))
    response.setHeader('x-content-type-options', 'nosniff')
    const refuse = (status: number, message: string) => {
      const value = (route?.refuse ?? plainRefusal)(status, message)
      if (request.complete || !withBody) sendJson(response, status, value, route?.headers)
      else rejectUnread(request, response, { status, value, headers: route?.headers })
    }
    if (!isPath(request.url ?? '')) return refuse(400, 'The target of a request must be a path')
    const refusal = guard(request, route?.open ?? false)
    if (refusal !== undefined) {
      if (refusal.status === 401) response.setHeader('www-authenticate', challenge())
      return refuse(refusal.status, refusal.message)
    }
    if (route?.writes && isReader(request, options.access))
      return refuse(403, 'The token of this client may only read')
    const limit = route?.bodyBytes ?? REST_BODY_BYTES
    const { socket } = request
    clients.beginRequest(socket)
    const body = withBody
      ? await readBody(request, {
          limit,
          keep: (bytes) => clients.keepBytes(socket, bytes),
          pause: (paused) => clients.pauseBody(socket, paused),
        })
      : NO_BODY
    if (body === undefined) return refuse(413, `The body must not exceed ${limit} bytes`)
    if (route === undefined) return refuse(404, 'There is nothing at this path')
    if (route.methods !== undefined && !route.methods.includes(method)) {
      response.setHeader('allow', route.methods.join(', '))
      return refuse(405, `Use ${route.methods.join(' or ')}`)
    }
    if (route.jsonOnly && !JSON_TYPE.test(request.headers['content-type'] ?? '')) {
      return refuse(415, 'Content-Type must be application/json')
    }
    clients.beginRun(socket)
    try {
      await route.handle({ raw: request, method, body }, response)
    } finally {
      clients.endRun(socket)
    }
  }

  const server = createServer(
    {
      headersTimeout: options.headersMs,
      requestTimeout: options.requestMs,
      // By default Node checks for slow clients every 30 s, which makes a 10 s limit a 40 s one.
      connectionsCheckingInterval: Math.min(1_000, options.headersMs),
    },
    (request, response) => {
      serve(request, response).catch((cause: unknown) => {
        if (response.destroyed || !request.complete) return
        const id = ids.next()
        log.write('error', 'bug in the HTTP server', { id, stack: stackOf(cause) })
        if (response.headersSent) response.destroy()
        else sendJson(response, 500, plainRefusal(500, `Internal error ${id}: the log has the details`))
      })
    },
  )
  server.on('connection', (socket) => clients.open(socket))
  // Node would silently drop headers beyond the 2000th, `Origin` among them. Their total size is limited anyway.
  server.maxHeadersCount = 0
  return server
}
