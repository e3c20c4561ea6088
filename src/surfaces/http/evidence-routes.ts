import type { ServerResponse } from 'node:http'
import { COLLECTIONS, type CollectionName, readQuery, readSwitch } from '../../evidence/query.ts'
import { type StatusOptions, statusView } from '../../evidence/status.ts'
import type { EvidenceReader, Reading } from '../../evidence/store.ts'
import { type EvidenceViews, viewsOf } from '../../evidence/views.ts'
import { type FrontRequest, type Route, sendJson } from './front.ts'

export interface EvidencePorts extends StatusOptions {
  readonly evidence: Pick<EvidenceReader, 'read'>
}

type Valid = Extract<Reading, { kind: 'valid' }>

const READ = ['GET', 'HEAD']
const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

/** The words of each refusal that clients know by heart; any other is said as it is. */
const REFUSALS: Readonly<Record<number, string>> = { 404: 'Not found', 405: 'Method not allowed' }

/** What all routes of these clients share: they read, and they refuse in one line. */
const common = {
  methods: READ,
  loose: true,
  headers: HEADERS,
  refuse: (status: number, message: string) => ({ error: REFUSALS[status] ?? message }),
} satisfies Partial<Route>

const sendError = (response: ServerResponse, status: number, value: object): void =>
  sendJson(response, status, value, HEADERS)

const sendBody = (response: ServerResponse, body: string | Buffer, etag?: string): void => {
  response.writeHead(200, {
    ...HEADERS,
    'content-length': typeof body === 'string' ? Buffer.byteLength(body) : body.length,
    ...(etag !== undefined && { etag }),
  })
  response.end(body)
}

const etagOf = ({ digest }: Valid): string => `"${digest.slice('sha256:'.length, 'sha256:'.length + 32)}"`

/** Whether the client has it already. Tags are compared as the weak ones a proxy may have made of them. */
const hasCopy = ({ raw }: FrontRequest, etag: string): boolean => {
  const asked = raw.headers['if-none-match']
  if (asked === undefined) return false
  return asked.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}

const notModified = (response: ServerResponse, etag: string): void => {
  response.writeHead(304, { etag, 'cache-control': HEADERS['cache-control'] })
  response.end()
}

const bodies = new WeakMap<Reading, Map<string, Buffer>>()

/** The bytes of an answer that is the same as long as the file is: written once. */
const keptBody = (reading: Reading, name: string, write: () => string): Buffer => {
  const kept = bodies.get(reading) ?? new Map<string, Buffer>()
  bodies.set(reading, kept)
  const body = kept.get(name) ?? Buffer.from(write())
  kept.set(name, body)
  return body
}

const searchOf = (url = ''): string => {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at + 1)
}

/** Answers from valid evidence; anything else is what a client takes for "there is none". */
type Answer = (views: EvidenceViews, reading: Valid, search: string) => string | Buffer | object

const fixed =
  (name: string, view: (views: EvidenceViews) => object): Answer =>
  (views, reading) =>
    keptBody(reading, name, () => JSON.stringify(view(views)))

const whole: Answer = (views, reading, search) => {
  const parameters = new URLSearchParams(search)
  const get = (name: string) => parameters.get(name)
  const view = get('view')?.trim().toLowerCase()
  const compact = view === 'compact' || (view !== 'full' && readSwitch(get, 'includeSuppressed') === false)
  return keptBody(reading, compact ? 'compact' : 'full', () => JSON.stringify(views.whole(compact)))
}

const collection =
  (name: CollectionName): Answer =>
  (views, reading, search) => {
    const parameters = new URLSearchParams(search)
    const query = readQuery(name, (key) => parameters.get(key))
    if ('error' in query) return query
    if (search === '') return keptBody(reading, name, () => views.pageText(views.page(name, query)))
    return views.pageText(views.page(name, query))
  }

const ANSWERS: readonly { readonly under: string; readonly summary: string; readonly answer: Answer }[] = [
  { under: '', summary: 'The evidence file; `view=compact` leaves out what was suppressed.', answer: whole },
  {
    under: '/summary',
    summary: 'Counts of everything.',
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

/** The evidence under its route, read-only. */
export const evidenceRoutes = ({ evidence, route }: Omit<EvidencePorts, 'path'>): readonly Route[] =>
  ANSWERS.map(({ under, summary, answer }) => ({
    ...common,
    path: under === '' ? route : `${route === '/' ? '' : route}${under}`,
    summary,
    async handle(request, response) {
      const reading = await evidence.read()
      if (reading.kind !== 'valid') {
        return sendError(response, 404, { error: 'Evidence file not found or invalid' })
      }
      const etag = etagOf(reading)
      const body = answer(viewsOf(reading.evidence), reading, searchOf(request.raw.url))
      if (typeof body !== 'string' && !Buffer.isBuffer(body)) return sendError(response, 400, body)
      if (hasCopy(request, etag)) return notModified(response, etag)
      sendBody(response, body, etag)
    },
  }))

const HEALTH = Buffer.from(JSON.stringify({ status: 'ok' }))

/** Liveness, and whether there is evidence to go by. */
const ownRoutes = (ports: EvidencePorts): readonly Route[] => [
  {
    ...common,
    path: '/health',
    summary: 'Alive: 200 as long as the process answers.',
    open: true,
    handle: (_, response) => sendBody(response, HEALTH),
  },
  {
    ...common,
    path: '/status',
    summary: 'Whether there is valid evidence, its figures, and what can be asked.',
    async handle(request, response) {
      const reading = await ports.evidence.read()
      const body = keptBody(reading, `status ${ports.path} ${ports.route}`, () =>
        JSON.stringify(statusView(reading, ports)),
      )
      if (reading.kind !== 'valid') return sendBody(response, body)
      const etag = etagOf(reading)
      if (hasCopy(request, etag)) return notModified(response, etag)
      sendBody(response, body, etag)
    },
  },
]

/** All a server of evidence alone has, and what it says where it has nothing. */
export const evidenceServer = (ports: EvidencePorts) => ({
  routes: [...ownRoutes(ports), ...evidenceRoutes(ports)],
  fallback: {
    ...common,
    path: '*',
    summary: 'Nothing.',
    handle: (_, response) => sendError(response, 404, { error: 'Not found' }),
  } satisfies Route,
})
