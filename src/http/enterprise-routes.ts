import type { ServerResponse } from 'node:http'
import { GATE_STAGES, type GateStage } from '../evidence/stage.ts'
import {
  findResource,
  findTool,
  RESOURCE_LIST,
  TOOL_LIST,
  type ToolName,
} from '../gate/enterprise/catalog.ts'
import type { EnterpriseService } from '../gate/enterprise/toolset.ts'
import { isRecord } from '../kernel/encoding/json.ts'
import { Fault } from '../kernel/fault.ts'
import { COMPAT_HEADERS, compatRoute, sendCompat } from './routes.ts'
import type { Route } from './server.ts'

/** Aborted when the client disconnects. */
const disconnectSignal = (response: ServerResponse): AbortSignal => {
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  return controller.signal
}

interface ToolRequest {
  readonly tool: ToolName
  readonly stage: GateStage
}

type ErrorResponse = readonly [status: number, body: object]

const isErrorResponse = (value: ToolRequest | ErrorResponse): value is ErrorResponse => Array.isArray(value)

const readStage = (args: unknown): GateStage | undefined => {
  const named = isRecord(args) ? args.stage : undefined
  const asked = named === undefined ? 'PRE_COMMIT' : named
  return GATE_STAGES.find((stage) => stage === asked)
}

const parseJson = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Parses the body of a tool call. `dryRun` is ignored: every call is a dry run. */
const readRequest = (body: Buffer): ToolRequest | ErrorResponse => {
  const parsed = body.length === 0 ? { value: {} } : parseJson(body.toString('utf8'))
  if (parsed === undefined) return [400, { error: 'Invalid JSON body.' }]
  const { value } = parsed
  if (value === null || typeof value !== 'object') return [400, { error: 'Invalid request body.' }]
  const { name, args }: { readonly name?: unknown; readonly args?: unknown } = value
  const tool = findTool(name)
  if (tool === undefined) {
    const requestedTool = typeof name === 'string' ? name : null
    return [404, { error: 'Unknown enterprise tool.', requestedTool }]
  }
  const stage = readStage(args)
  if (stage === undefined) {
    return [400, { error: 'Unknown stage.', parameter: 'stage', expected: GATE_STAGES }]
  }
  return { tool, stage }
}

const queryParameters = (url: string | undefined): URLSearchParams => {
  const at = url?.indexOf('?') ?? -1
  return new URLSearchParams(at === -1 ? '' : url?.slice(at))
}

/** Tools and resources over plain HTTP, with their listings. */
export const enterpriseRoutes = ({ reader, run }: EnterpriseService): readonly Route[] => [
  {
    ...compatRoute,
    path: '/resources',
    summary: 'The resources that /resource reads.',
    handle: (_, response) => sendCompat(response, 200, { resources: RESOURCE_LIST }),
  },
  {
    ...compatRoute,
    path: '/resource',
    summary: 'One resource by its `uri`.',
    async handle({ raw }, response) {
      const asked = queryParameters(raw.url).get('uri')
      const uri = findResource(asked)
      if (uri === undefined) {
        return sendCompat(response, 404, { error: 'Unknown enterprise resource URI', requestedUri: asked })
      }
      sendCompat(response, 200, {
        uri,
        payload: await (await reader()).resource(uri, disconnectSignal(response)),
      })
    },
  },
  {
    ...compatRoute,
    path: '/tools',
    summary: 'The tools that /tool runs.',
    handle: (_, response) => sendCompat(response, 200, { tools: TOOL_LIST }),
  },
  {
    ...compatRoute,
    path: '/tool',
    summary: 'Runs a tool as a dry run and returns its envelope.',
    methods: ['POST'],
    jsonOnly: true,
    writes: true,
    async handle({ body }, response) {
      const request = readRequest(body)
      if (isErrorResponse(request)) return sendCompat(response, ...request)
      try {
        sendCompat(response, 200, await run(request.tool, request.stage, disconnectSignal(response)))
      } catch (thrown) {
        if (!(thrown instanceof Fault)) throw thrown
        const { message, code, fix } = thrown
        sendCompat(response, 503, { error: message, code, fix })
      }
    },
  },
]

/** `/status` of a server that also serves the evidence: merges the answers of both compatibility servers. */
export const combinedStatus = ({ reader }: EnterpriseService): Route => ({
  ...compatRoute,
  path: '/status',
  summary: 'Tools and resources of this server, the installation, and whether valid evidence exists.',
  async handle(_, response) {
    const { status: _ok, evidence: both, ...rest } = await (await reader()).status()
    const { status, context_api, evidence } = both
    sendCompat(response, 200, { status, ...rest, context_api, evidence: { ...evidence, ...both } })
  },
})

/** All routes of the enterprise server, and its answer to unknown paths. */
export const enterpriseHttp = (service: EnterpriseService) => ({
  routes: [
    {
      ...compatRoute,
      path: '/health',
      summary: 'Liveness: 200 as long as the process answers.',
      open: true,
      handle: (_, response) => sendCompat(response, 200, { status: 'ok' }),
    },
    {
      ...compatRoute,
      path: '/status',
      summary: 'Tools and resources of this server, the installation, and whether evidence exists.',
      handle: async (_, response) => sendCompat(response, 200, await (await service.reader()).status()),
    },
    ...enterpriseRoutes(service),
  ] satisfies readonly Route[],
  // An unknown path is 404 for every method, never 405.
  fallback: {
    path: '*',
    summary: 'Unknown paths.',
    headers: COMPAT_HEADERS,
    refuse: compatRoute.refuse,
    handle: (_, response) => sendCompat(response, 404, { error: 'Not found' }),
  } satisfies Route,
})
