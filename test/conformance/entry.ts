import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isLegacyRequest, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { Metrics } from '../../src/http/metrics.ts'
import { createHttpServer, type HttpRequest, type Route, sendJson } from '../../src/http/server.ts'
import { buildCatalog } from '../../src/kernel/catalog.ts'
import { ChangeEmitter } from '../../src/kernel/change-events.ts'
import { isRecord } from '../../src/kernel/encoding/json.ts'
import { createInvoke } from '../../src/kernel/invoke.ts'
import { DEFAULT_LIMITS } from '../../src/kernel/limits.ts'
import { DIALECTS } from '../../src/mcp/dialect.ts'
import { answerRequest, mcpEndpoint, webRequest } from '../../src/mcp/http.ts'
import { createSdkServer } from '../../src/mcp/sdk.ts'
import { Service } from '../../src/mcp/service.ts'
import { systemClock } from '../../src/platform/system/clock.ts'
import { randomIds } from '../../src/platform/system/ids.ts'
import { createLog } from '../../src/platform/system/log.ts'
import { conversationToolset, decorateServer, isConversation } from './conversations.ts'
import { fixtureToolset } from './fixtures.ts'

const SESSION = 'mcp-session-id'

/** The product's service, with the suite's fixtures for a catalog. */
const fixtureService = (metrics: Metrics): Service => {
  const clock = systemClock
  const changes = new ChangeEmitter()
  const write = (line: string) => void process.stderr.write(`${line}\n`)
  const log = createLog({ level: 'warn', format: 'json', clock, write })
  const selection = { toolsets: [], tools: [], excludeTools: [], readOnly: false }
  return new Service({
    identity: { name: 'warrant-fixtures', title: 'Warrant under test', version: '0' },
    instructions: 'For the conformance suite alone.',
    catalog: buildCatalog([fixtureToolset(changes), conversationToolset], selection),
    invoke: createInvoke({ clock, log, recorder: metrics, limits: DEFAULT_LIMITS, guards: [] }),
    dialect: DIALECTS.standard,
    limits: DEFAULT_LIMITS,
    clock,
    log,
    changes,
  })
}

/**
 * Sessions for clients of the older revisions. The product has none: it never asks a client anything, so
 * nothing has to be remembered between two requests.
 */
const openSessions = (service: Service) => {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

  const open = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await createSdkServer(service, 'legacy', { decorate: decorateServer }).connect(transport)
    return transport
  }

  return {
    /** False when the request belongs to no session and opens none. */
    async handle({ raw }: HttpRequest, body: unknown, response: ServerResponse): Promise<boolean> {
      const id = raw.headers[SESSION]
      const opens = isRecord(body) && body.method === 'initialize'
      if (id === undefined && !opens) return false
      const transport = id === undefined ? await open() : sessions.get(String(id))
      if (transport === undefined) {
        sendJson(response, 404, {
          jsonrpc: '2.0',
          error: { code: -32001, message: 'No such session' },
          id: null,
        })
      } else {
        await answerRequest(response, (signal) =>
          transport.handleRequest(webRequest(raw, signal), { parsedBody: body }),
        )
      }
      return true
    },
    close: () => Promise.all([...sessions.values()].map((transport) => transport.close())),
  }
}

const parseBody = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

const nameIn = (body: unknown): unknown =>
  isRecord(body) && isRecord(body.params) ? body.params.name : undefined

export interface FixtureServer {
  readonly url: string
  close(): Promise<void>
}

/**
 * The product as the conformance suite wants to meet it, on a free port. Without sessions the older revisions
 * are served as the product serves them.
 */
export const startFixtures = async (
  options: { readonly sessions?: boolean } = {},
): Promise<FixtureServer> => {
  const { sessions: sessionful = true } = options
  const metrics = new Metrics()
  const service = fixtureService(metrics)
  const sessions = openSessions(service)
  const endpoint = mcpEndpoint(service, { decorate: decorateServer })
  // The shortcut past the SDK knows nothing of conversations; all else must be graded the way it ships.
  const talking = mcpEndpoint(service, { decorate: decorateServer, direct: false })
  const route: Route = {
    ...endpoint.route,
    async handle(request, response) {
      const body = parseBody(request.body)
      const asked = webRequest(request.raw, new AbortController().signal)
      const legacy = await isLegacyRequest(asked, request.method === 'POST' ? (body ?? {}) : undefined)
      if (legacy && sessionful && (await sessions.handle(request, body, response))) return
      const { handle } = isConversation(nameIn(body)) ? talking.route : endpoint.route
      await handle(request, response)
    },
  }
  const front = createHttpServer({
    routes: [route],
    access: { allowedHosts: [], allowedOrigins: [], token: undefined },
    headersMs: 10_000,
    requestMs: 30_000,
    log: service.parts.log,
    ids: randomIds,
    observe: (path, status) => metrics.request(path, status),
    challenge: () => 'Bearer',
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const { port } = front.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      front.close()
      await Promise.all([sessions.close(), endpoint.close(), talking.close()])
      front.closeAllConnections()
    },
  }
}
