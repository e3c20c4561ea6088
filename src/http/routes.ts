import type { ServerResponse } from 'node:http'
import { Fault } from '../kernel/fault.ts'
import type { StoreCheck } from '../kernel/ports.ts'
import type { Gauge, Metrics } from './metrics.ts'
import { type Route, sendJson, sendText } from './server.ts'

/** A log as static files: its newest checkpoint, and tiles that never change. */
interface TilePorts {
  readonly checkpoint: () => Promise<string | undefined>
  /** By the path below the address of the log. */
  readonly tile: (path: string) => Promise<Buffer | undefined>
}

const READ = ['GET', 'HEAD']
const PREFIX = '/tiles'
const CHECKPOINT = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' }
/** The content of a tile is part of its name: a partial tile that grew has another one. */
const TILE = { 'content-type': 'application/octet-stream', 'cache-control': 'max-age=31536000, immutable' }

/** The log of decisions as C2SP tlog-tiles. */
export const tileRoutes = (ports: TilePorts): readonly Route[] => {
  const send =
    (read: (path: string) => Promise<string | Buffer | undefined>, headers: object): Route['handle'] =>
    async ({ raw }, response) => {
      try {
        const [path = ''] = (raw.url ?? '').slice(PREFIX.length + 1).split('?')
        const body = await read(path)
        if (body === undefined)
          return sendJson(response, 404, { error: { status: 404, message: 'The log has no such tile' } })
        response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) })
        response.end(body)
      } catch (thrown) {
        if (!(thrown instanceof Fault)) throw thrown
        const { message, code, fix } = thrown
        sendJson(response, 503, { error: { status: 503, message, code, fix } })
      }
    }
  // The first request makes the key, and each checkpoint is a signature of it.
  const signed = { methods: READ, writes: true }
  return [
    {
      path: `${PREFIX}/checkpoint`,
      summary: 'The newest signed checkpoint of the log of decisions (c2sp.org/tlog-checkpoint).',
      ...signed,
      handle: send(ports.checkpoint, CHECKPOINT),
    },
    {
      path: `${PREFIX}/tile`,
      summary: 'Tiles and entry bundles of that log (c2sp.org/tlog-tiles), such as `/tiles/tile/0/000`.',
      ...signed,
      withBelow: true,
      handle: send(ports.tile, TILE),
    },
  ]
}

/** Response format of the compatibility servers, which their existing clients depend on. */

export const COMPAT_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
} as const

/** Error texts that existing clients compare; any other status keeps its own message. */
const REFUSALS: Readonly<Record<number, string>> = { 404: 'Not found', 405: 'Method not allowed' }

/** Defaults of all compatibility routes. */
export const compatRoute = {
  methods: ['GET', 'HEAD'],
  normalizePath: true,
  headers: COMPAT_HEADERS,
  refuse: (status: number, message: string) => ({ error: REFUSALS[status] ?? message }),
} satisfies Partial<Route>

export const sendCompat = (response: ServerResponse, status: number, value: object): void =>
  sendJson(response, status, value, COMPAT_HEADERS)

interface OperatorPorts {
  readonly store: StoreCheck
  readonly metrics: Metrics
  readonly gauges: () => Promise<readonly Gauge[]>
  /** The text of `/`. */
  readonly index: () => string
}

/** Routes for operators: liveness, readiness and metrics. */
export const operatorRoutes = (ports: OperatorPorts): readonly Route[] => [
  {
    path: '/',
    summary: 'The URLs of this server and the command that connects a client.',
    methods: READ,
    handle: (_, response) => sendText(response, ports.index()),
  },
  {
    path: '/health',
    summary: 'Liveness: 200 as long as the process answers.',
    methods: READ,
    open: true,
    handle: (_, response) => sendJson(response, 200, { status: 'ok' }),
  },
  {
    path: '/ready',
    summary: 'Readiness: 503 when the state folder or the open log of beliefs cannot be written.',
    methods: READ,
    async handle(_, response) {
      const { state } = await ports.store.health()
      const failing = state === 'failing'
      sendJson(response, failing ? 503 : 200, { status: failing ? 'failing' : 'ready', store: state })
    },
  },
  {
    path: '/metrics',
    summary: 'Calls, requests, memory, uptime and the open belief graph as Prometheus text.',
    methods: READ,
    handle: async (_, response) =>
      sendText(
        response,
        ports.metrics.write(await ports.gauges()),
        'text/plain; version=0.0.4; charset=utf-8',
      ),
  },
]

/** RFC 9728: tells clients which authorization server issues the tokens. */
export const metadataRoutes = (resource: () => string, issuer: string): readonly Route[] =>
  ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'].map((path) => ({
    path,
    summary: 'RFC 9728 metadata, when an issuer is configured.',
    methods: READ,
    open: true,
    handle: (_, response) =>
      sendJson(response, 200, {
        resource: resource(),
        authorization_servers: [issuer],
        bearer_methods_supported: ['header'],
      }),
  }))
