import type { EnterpriseReader } from '../../gate/enterprise.ts'
import { findResource, findTool, RESOURCES, TOOLS, type ToolName } from '../../gate/enterprise-catalog.ts'
import type { Envelope } from '../../gate/enterprise-tools.ts'
import { GATE_STAGES, type GateStage } from '../../gate/stage.ts'
import { isRecord } from '../../kernel/json.ts'
import { type Route, sendJson } from './front.ts'

/** What the routes ask. Loaded when first used: a server that is only asked for its health stays small. */
export interface EnterpriseFace {
  readonly reader: () => Promise<EnterpriseReader>
  readonly run: (tool: ToolName, stage: GateStage, signal: AbortSignal) => Promise<Envelope>
}

const READ = ['GET', 'HEAD']

const WORDS: Readonly<Record<number, string>> = { 404: 'Not found', 405: 'Method not allowed' }

/** How this server says no, as its clients know it. */
export const plainError = (status: number, message: string) => ({ error: WORDS[status] ?? message })

interface ToolRequest {
  readonly tool: ToolName
  readonly stage: GateStage
}

type Refusal = readonly [status: number, body: object]

const isRefusal = (value: ToolRequest | Refusal): value is Refusal => Array.isArray(value)

const readStage = (args: unknown): GateStage | undefined => {
  const asked = isRecord(args) ? (args.stage ?? 'PRE_COMMIT') : 'PRE_COMMIT'
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
export const enterpriseRoutes = ({ reader, run }: EnterpriseFace): readonly Route[] => [
  {
    path: '/resources',
    summary: 'The resources that /resource reads.',
    methods: READ,
    refuse: plainError,
    handle: (_, response) => sendJson(response, 200, { resources: RESOURCES }),
  },
  {
    path: '/resource',
    summary: 'One resource by its `uri`.',
    methods: READ,
    refuse: plainError,
    async handle({ raw }, response) {
      const asked = queryOf(raw.url).get('uri')
      const uri = findResource(asked)
      if (uri === undefined) {
        return sendJson(response, 404, { error: 'Unknown enterprise resource URI', requestedUri: asked })
      }
      const controller = new AbortController()
      response.once('close', () => controller.abort())
      sendJson(response, 200, { uri, payload: await (await reader()).resource(uri, controller.signal) })
    },
  },
  {
    path: '/tools',
    summary: 'The tools that /tool runs.',
    methods: READ,
    refuse: plainError,
    handle: (_, response) => sendJson(response, 200, { tools: TOOLS }),
  },
  {
    path: '/tool',
    summary: 'Runs a tool, always as a dry run, and answers with one envelope.',
    methods: ['POST'],
    refuse: plainError,
    async handle({ body }, response) {
      const request = readRequest(body)
      if (isRefusal(request)) return sendJson(response, ...request)
      const controller = new AbortController()
      response.once('close', () => controller.abort())
      sendJson(response, 200, await run(request.tool, request.stage, controller.signal))
    },
  },
]

/** `/status` of the enterprise server. */
export const enterpriseStatus = ({ reader }: EnterpriseFace): Route => ({
  path: '/status',
  summary: 'What this server offers, what is installed, and whether there is evidence.',
  methods: READ,
  refuse: plainError,
  handle: async (_, response) => sendJson(response, 200, await (await reader()).status()),
})

/** `/status` where the evidence is served too: both servers' answers in one, each where its clients look. */
export const unitedStatus = (face: EnterpriseFace): Route => ({
  ...enterpriseStatus(face),
  async handle(_request, response) {
    const { status: _, evidence: both, ...rest } = await (await face.reader()).status()
    const { status, context_api, evidence } = both
    sendJson(response, 200, { status, ...rest, context_api, evidence: { ...evidence, ...both } })
  },
})
