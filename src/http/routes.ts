import type { StoreCheck } from '../kernel/ports.ts'
import type { Gauge, Metrics } from './metrics.ts'
import { type Route, sendJson, sendText } from './server.ts'

interface OperatorPorts {
  readonly store: StoreCheck
  readonly metrics: Metrics
  readonly gauges: () => Promise<readonly Gauge[]>
  /** The text of `/`. */
  readonly index: () => string
}

const READ = ['GET', 'HEAD']

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
    summary: 'Readiness: 503 when the store fails.',
    methods: READ,
    open: true,
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
