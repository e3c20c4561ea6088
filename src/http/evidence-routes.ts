import type { ServerResponse } from 'node:http'
import {
  COLLECTIONS,
  type CollectionName,
  type QueryProblem,
  readBoolean,
  readQuery,
} from '../evidence/query.ts'
import { type StatusOptions, statusView } from '../evidence/status.ts'
import type { EvidenceReader, EvidenceReading } from '../evidence/store.ts'
import { type EvidenceViews, viewsOf } from '../evidence/views.ts'
import { optional } from '../kernel/optional.ts'
import { COMPAT_HEADERS, compatRoute, sendCompat } from './routes.ts'
import type { HttpRequest, Route } from './server.ts'

/** Limits of the cache for queries: keys seen once, cached bodies, and the length of either. */
const RECENT = { keys: 1024, bodies: 128, bodyBytes: 64 * 1024, keyLength: 256 }

/** Longer bodies are not cached: sending them costs more than writing them, and they would fill the memory. */
const MAX_FIXED = 16 * 1024 * 1024

/** Response bodies of one version of the evidence file. */
class ResponseCache {
  readonly #fixed = new Map<string, Buffer>()
  readonly #recent = new Map<string, Buffer>()
  readonly #seenOnce = new Set<string>()

  /** A body without parameters: written once and kept. */
  fixed(name: string, write: () => string): Buffer {
    const kept = this.#fixed.get(name)
    if (kept !== undefined) return kept
    const body = Buffer.from(write())
    if (body.length <= MAX_FIXED) this.#fixed.set(name, body)
    return body
  }

  get(key: string): Buffer | undefined {
    return this.#recent.get(key)
  }

  /**
   * Caches the body from the second request for the same key on, and evicts the oldest body first. Clients repeat
   * the same few queries; one that turns pages asks for each page once and takes no memory.
   */
  set(key: string, text: string): string | Buffer {
    if (text.length > RECENT.bodyBytes || key.length > RECENT.keyLength) return text
    if (!this.#seenOnce.has(key)) {
      if (this.#seenOnce.size >= RECENT.keys) this.#seenOnce.clear()
      this.#seenOnce.add(key)
      return text
    }
    const body = Buffer.from(text)
    const [oldest] = this.#recent.size < RECENT.bodies ? [] : this.#recent.keys()
    if (oldest !== undefined) this.#recent.delete(oldest)
    this.#recent.set(key, body)
    return body
  }
}

interface EvidenceRoutePorts extends StatusOptions {
  readonly evidence: Pick<EvidenceReader, 'read'>
}

type Valid = Extract<EvidenceReading, { kind: 'valid' }>

const sendBody = (response: ServerResponse, body: string | Buffer, etag?: string): void => {
  response.writeHead(200, {
    ...COMPAT_HEADERS,
    'content-length': Buffer.byteLength(body),
    ...optional({ etag }),
  })
  response.end(body)
}

const etagOf = ({ digest }: Valid): string => `"${digest.slice('sha256:'.length, 'sha256:'.length + 32)}"`

/** Whether the client has this version. Weak comparison, because a proxy may have weakened the tag. */
const hasCopy = ({ raw }: HttpRequest, etag: string): boolean => {
  const asked = raw.headers['if-none-match']
  if (asked === undefined) return false
  return asked.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}

const notModified = (response: ServerResponse, etag: string): void => {
  response.writeHead(304, { etag, 'cache-control': COMPAT_HEADERS['cache-control'] })
  response.end()
}

const caches = new WeakMap<EvidenceReading, ResponseCache>()

const responseCache = (reading: EvidenceReading): ResponseCache => {
  const cache = caches.get(reading) ?? new ResponseCache()
  caches.set(reading, cache)
  return cache
}

const queryString = (url = ''): string => {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at + 1)
}

/** The response body, or the problem with the query. */
type Answer = (views: EvidenceViews, cache: ResponseCache, search: string) => string | Buffer | QueryProblem

const fixed =
  (name: string, view: (views: EvidenceViews) => object): Answer =>
  (views, cache) =>
    cache.fixed(name, () => JSON.stringify(view(views)))

const whole: Answer = (views, cache, search) => {
  const parameters = new URLSearchParams(search)
  const get = (name: string) => parameters.get(name)
  const view = get('view')?.trim().toLowerCase()
  const compact = view === 'compact' || (view !== 'full' && readBoolean(get, 'includeSuppressed') === false)
  return cache.fixed(compact ? 'compact' : 'full', () => JSON.stringify(views.whole(compact)))
}

const collection =
  (name: CollectionName): Answer =>
  (views, cache, search) => {
    const key = `${name}?${search}`
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const parameters = new URLSearchParams(search)
    const query = readQuery(name, (key) => parameters.get(key))
    if ('error' in query) return query
    const write = () => views.pageText(name, query)
    return search === '' ? cache.fixed(name, write) : cache.set(key, write())
  }

const ANSWERS: readonly { readonly under: string; readonly summary: string; readonly answer: Answer }[] = [
  { under: '', summary: 'The evidence file; `view=compact` leaves out suppressed findings.', answer: whole },
  {
    under: '/summary',
    summary: 'Counts of findings and of the other collections.',
    answer: fixed('summary', (views) => views.summary()),
  },
  {
    under: '/snapshot',
    summary: 'Stage, outcome and every finding, in order.',
    answer: fixed('snapshot', (views) => views.snapshot()),
  },
  ...COLLECTIONS.map((name) => ({
    under: `/${name}`,
    summary: `The ${name}, filtered and in pages.`,
    answer: collection(name),
  })),
]

/** The evidence file and its views, read-only. */
export const evidenceRoutes = ({ evidence, route }: Omit<EvidenceRoutePorts, 'path'>): readonly Route[] =>
  ANSWERS.map(({ under, summary, answer }) => ({
    ...compatRoute,
    path: under === '' ? route : `${route === '/' ? '' : route}${under}`,
    summary,
    async handle(request, response) {
      const reading = await evidence.read()
      if (reading.kind !== 'valid') {
        return sendCompat(response, 404, { error: 'Evidence file not found or invalid' })
      }
      const etag = etagOf(reading)
      const body = answer(viewsOf(reading.evidence), responseCache(reading), queryString(request.raw.url))
      if (typeof body === 'object' && 'error' in body) return sendCompat(response, 400, body)
      if (hasCopy(request, etag)) return notModified(response, etag)
      sendBody(response, body, etag)
    },
  }))

const HEALTH = Buffer.from(JSON.stringify({ status: 'ok' }))

/** Liveness, and whether valid evidence exists. */
const statusRoutes = (ports: EvidenceRoutePorts): readonly Route[] => [
  {
    ...compatRoute,
    path: '/health',
    summary: 'Liveness: 200 as long as the process answers.',
    open: true,
    handle: (_, response) => sendBody(response, HEALTH),
  },
  {
    ...compatRoute,
    path: '/status',
    summary: 'Whether valid evidence exists, its counts, and the supported filters.',
    async handle(request, response) {
      const reading = await ports.evidence.read()
      const body = responseCache(reading).fixed(`status ${ports.path} ${ports.route}`, () =>
        JSON.stringify(statusView(reading, ports)),
      )
      if (reading.kind !== 'valid') return sendBody(response, body)
      const etag = etagOf(reading)
      if (hasCopy(request, etag)) return notModified(response, etag)
      sendBody(response, body, etag)
    },
  },
]

/** All routes of the evidence server, and its answer to unknown paths. */
export const evidenceHttp = (ports: EvidenceRoutePorts) => ({
  routes: [...statusRoutes(ports), ...evidenceRoutes(ports)],
  fallback: {
    ...compatRoute,
    path: '*',
    summary: 'Unknown paths.',
    handle: (_, response) => sendCompat(response, 404, { error: 'Not found' }),
  } satisfies Route,
})
