import { resolve } from 'node:path'
import { type Flags, requireRoot } from '../../app/config/load-config.ts'
import type { Config } from '../../app/config/settings.ts'
import { VERSION } from '../../app/config/version.ts'
import type { GraphStatus } from '../../app/open/lazy-services.ts'
import { openPublishedLog, publishedFiles } from '../../app/open/lineage/published-log.ts'
import { serveTokenPath } from '../../app/open/user-state.ts'
import { loadServer, loadSettings } from '../../app/process-context.ts'
import { listen, openAccess, serveFaults } from '../../app/servers/listen.ts'
import { onShutdown } from '../../app/shutdown.ts'
import { combinedStatus, enterpriseRoutes } from '../../http/enterprise-routes.ts'
import { evidenceRoutes } from '../../http/evidence-routes.ts'
import { isReader } from '../../http/guards.ts'
import { type Gauge, Metrics } from '../../http/metrics.ts'
import { metadataRoutes, operatorRoutes, tileRoutes } from '../../http/routes.ts'
import { createHttpServer, type Route } from '../../http/server.ts'
import { Fault } from '../../kernel/fault.ts'
import { keysOf } from '../../kernel/keys-of.ts'
import type { Log } from '../../kernel/ports.ts'
import { DECISION_LOG } from '../../lineage/origin.ts'
import { mcpEndpoint } from '../../mcp/http.ts'
import { randomIds } from '../../platform/system/ids.ts'
import { chosenFlags, serverCommand } from '../client-command.ts'
import { clientConfig, httpCommand } from '../command/client-config.ts'
import type { Invocation } from '../command/command.ts'

const EVIDENCE_ROUTE = '/ai-evidence'

/** Settings that a server over stdio does not use. */
const HTTP_FLAGS = new Set([
  'host',
  'port',
  'issuer',
  'allowed-hosts',
  'allowed-origins',
  'limits-body-bytes',
  'limits-headers-ms',
  'limits-request-ms',
])

const banner = (url: string, config: Config, flags: Flags): string => {
  const tokenFile = config.token === undefined ? serveTokenPath() : undefined
  return `Warrant ${VERSION}

  MCP      ${url}/mcp
  Health   ${url}/health
  Ready    ${url}/ready
  Metrics  ${url}/metrics
  Evidence ${url}${EVIDENCE_ROUTE}
  Tiles    ${url}/tiles/checkpoint

Every path but /health needs the bearer token${tokenFile === undefined ? ' that is set' : ` in ${tokenFile}`}. Connect an MCP client over HTTP:

  ${httpCommand(`${url}/mcp`, tokenFile)}

or over stdio:

  ${clientConfig('claude-code', serverCommand({}, chosenFlags(flags, HTTP_FLAGS))).text}
`
}

const processGauges = (): readonly Gauge[] => [
  { name: 'process_resident_memory_bytes', help: 'Resident memory.', value: process.memoryUsage.rss() },
  { name: 'process_uptime_seconds', help: 'Seconds since the start.', value: process.uptime() },
]

const GRAPH_GAUGES = {
  node_count: ['warrant_graph_nodes', 'Nodes of the belief graph.'],
  edge_count: ['warrant_graph_edges', 'Edges of the belief graph.'],
  tick: ['warrant_graph_tick', 'Number of propagations.'],
  lineage_length: ['warrant_lineage_entries', 'Entries of the lineage.'],
  log_bytes: ['warrant_lineage_bytes', 'Size of the store of the lineage.'],
  drift: [
    'warrant_graph_drift',
    'Deviation of the energy from exact conservation; 1 when the log does not verify.',
  ],
} as const

/** Empty until a call has opened the graph: reading metrics must not open it. */
const graphGauges = (status: GraphStatus | undefined): readonly Gauge[] =>
  status === undefined
    ? []
    : keysOf(GRAPH_GAUGES).map((key) => {
        const [name, help] = GRAPH_GAUGES[key]
        return { name, help, value: status[key] }
      })

/** A failing store must not hide the other metrics: operators need them most then. */
const undefinedOnFault = (
  status: Promise<GraphStatus | undefined>,
  log: Log,
): Promise<GraphStatus | undefined> =>
  status.catch((thrown: unknown) => {
    if (!(thrown instanceof Fault)) throw thrown
    log.write('warn', 'no metrics of the belief graph', { cause: thrown.message })
    return undefined
  })

/** Serves HTTP until a signal stops it. */
export const run = async (invocation: Invocation): Promise<number> => {
  const loaded = loadSettings(invocation)
  const { config } = loaded
  requireRoot(config)
  const { headersMs, requestMs } = config.limits
  if (headersMs > requestMs) {
    throw serveFaults.times(`limits.headersMs (${headersMs}) is larger than limits.requestMs (${requestMs})`)
  }
  const access = await openAccess(config)
  const metrics = new Metrics()
  const serve = async (readOnly: boolean) => {
    const server = await loadServer({ ...loaded, config: { ...config, readOnly } }, { recorder: metrics })
    return { ...server, endpoint: mcpEndpoint(server.service) }
  }
  const writing = await serve(config.readOnly)
  const { store, evidence, log, enterprise, graphStatus } = writing
  const reading = config.readToken === undefined ? undefined : await serve(true)
  const mcpRoute: Route = {
    ...writing.endpoint.route,
    handle: (request, response) => {
      const { endpoint } = reading !== undefined && isReader(request.raw, access) ? reading : writing
      return endpoint.route.handle(request, response)
    },
  }
  const decisionLog = openPublishedLog(config, resolve(config.root), DECISION_LOG)
  let url = ''
  const resource = () => `${url}/mcp`
  const server = createHttpServer({
    routes: [
      mcpRoute,
      ...operatorRoutes({
        store,
        metrics,
        gauges: async () => [...processGauges(), ...graphGauges(await undefinedOnFault(graphStatus(), log))],
        index: () => banner(url, config, invocation.flags),
      }),
      ...evidenceRoutes({ evidence, route: EVIDENCE_ROUTE }),
      ...tileRoutes(publishedFiles(decisionLog)),
      combinedStatus(enterprise),
      ...enterpriseRoutes(enterprise),
      ...(config.issuer === undefined ? [] : metadataRoutes(resource, config.issuer)),
    ],
    access,
    headersMs: config.limits.headersMs,
    requestMs: config.limits.requestMs,
    log,
    ids: randomIds,
    observe: (route, status) => metrics.request(route, status),
    challenge: () =>
      config.issuer === undefined
        ? 'Bearer'
        : `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`,
  })
  url = await listen(server, config)
  const { print } = invocation.terminal
  print(
    invocation.json
      ? JSON.stringify({ url, mcp: resource(), version: VERSION })
      : banner(url, config, invocation.flags),
  )
  return new Promise(() => {
    const stop = async () => {
      server.close()
      await Promise.all([writing.endpoint.close(), reading?.endpoint.close()])
      server.closeAllConnections()
      await decisionLog.close()
      await Promise.all([writing.close(), reading?.close()])
    }
    onShutdown(stop, { orphaned: 'stay' })
  })
}
