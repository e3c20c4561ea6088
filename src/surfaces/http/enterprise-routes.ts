import type { ServerResponse } from 'node:http'
import {
  findResource,
  findTool,
  RESOURCE_LIST,
  TOOL_LIST,
  type ToolName,
} from '../../gate/enterprise/catalog.ts'
import type { EnterpriseService } from '../../gate/enterprise/toolset.ts'
import { GATE_STAGES, type GateStage } from '../../gate/stage.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { COMPAT_HEADERS, compatRoute, sendCompat } from './compat-route.ts'
import type { Route } from './server.ts'

/** Fires when the client is gone: nobody is left to answer. */
const goneSignal = (response: ServerResponse): AbortSignal => {
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  return controller.signal
}

interface ToolRequest {
  readonly tool: ToolName
  readonly stage: GateStage
}

type Refusal = readonly [status: number, body: object]

const isRefusal = (value: ToolRequest | Refusal): value is Refusal => Array.isArray(value)

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

/** What a body asks for, or why it asks for nothing. `dryRun` is not looked at: it is always so. */
const readRequest = (body: Buffer): ToolRequest | Refusal => {
  const parsed = body.length === 0 ? { value: {} } : parseJson(body.toString('utf8'))
  if (parsed === undefined) return [400, { error: 'Invalid JSON body.' }]
  const { value } = parsed
  if (value === null || typeof value !== 'object') return [400, { error: 'Invalid request body.' }]
  const { name, args } = value as { name?: unknown; args?: unknown }
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

const queryOf = (url: string | undefined): URLSearchParams => {
  const at = url?.indexOf('?') ?? -1
  return new URLSearchParams(at === -1 ? '' : url?.slice(at))
}

/** The catalogues, the resources and the tools, over plain HTTP. */
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
      const asked = queryOf(raw.url).get('uri')
      const uri = findResource(asked)
      if (uri === undefined) {
        return sendCompat(response, 404, { error: 'Unknown enterprise resource URI', requestedUri: asked })
      }
      sendCompat(response, 200, { uri, payload: await (await reader()).resource(uri, goneSignal(response)) })
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
    summary: 'Runs a tool, always as a dry run, and answers with one envelope.',
    methods: ['POST'],
    async handle({ body }, response) {
      const request = readRequest(body)
      if (isRefusal(request)) return sendCompat(response, ...request)
      sendCompat(response, 200, await run(request.tool, request.stage, goneSignal(response)))
    },
  },
]

/** `/status` where the evidence is served too: both servers' answers in one, each where its clients look. */
export const combinedStatus = ({ reader }: EnterpriseService): Route => ({
  ...compatRoute,
  path: '/status',
  summary: 'What this server offers, what is installed, and whether there is evidence to go by.',
  async handle(_, response) {
    const { status: _ok, evidence: both, ...rest } = await (await reader()).status()
    const { status, context_api, evidence } = both
    sendCompat(response, 200, { status, ...rest, context_api, evidence: { ...evidence, ...both } })
  },
})

/** All that the enterprise server has of its own, and what it says where it has nothing. */
export const enterpriseHttp = (service: EnterpriseService) => ({
  routes: [
    {
      ...compatRoute,
      path: '/health',
      summary: 'Alive: 200 as long as the process answers.',
      open: true,
      handle: (_, response) => sendCompat(response, 200, { status: 'ok' }),
    },
    {
      ...compatRoute,
      path: '/status',
      summary: 'What this server offers, what is installed, and whether there is evidence.',
      handle: async (_, response) => sendCompat(response, 200, await (await service.reader()).status()),
    },
    ...enterpriseRoutes(service),
  ] satisfies readonly Route[],
  // The path is judged before the method: where there is nothing, no method would do.
  fallback: {
    path: '*',
    summary: 'Nothing.',
    headers: COMPAT_HEADERS,
    refuse: compatRoute.refuse,
    handle: (_, response) => sendCompat(response, 404, { error: 'Not found' }),
  } satisfies Route,
})
