import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { Toolset } from '../../src/kernel/catalog.ts'
import { definePrompt } from '../../src/kernel/prompt.ts'
import { defineTool, NoInput, NoOutput } from '../../src/kernel/tool.ts'
import type { Decorate } from '../../src/mcp/sdk.ts'

type Arguments = Readonly<Record<string, unknown>>
/** One round of a tool or prompt that talks with the client, which no tool of the kernel can. */
type Converse = (ctx: ServerContext, args: Arguments) => object | Promise<object>
type Questions = (args: Arguments, ctx: ServerContext) => InputRequests

const LOG_MS = 50

const seal = createRequestStateCodec<{ readonly step: number }>({ key: randomBytes(32) })

const toolSays = (words: string) => ({ content: [{ type: 'text', text: words }] })

const isAnswered = ({ mcpReq }: ServerContext, questions: InputRequests): boolean =>
  Object.keys(questions).every((key) => mcpReq.inputResponses?.[key] !== undefined)

/** Asks until every question has an answer, then says what the answers were. */
const ask =
  (questions: Questions, say: (words: string) => object = toolSays): Converse =>
  (ctx, args) => {
    const inputRequests = questions(args, ctx)
    return isAnswered(ctx, inputRequests)
      ? say(JSON.stringify(ctx.mcpReq.inputResponses))
      : inputRequired({ inputRequests })
  }

const stepOf = async (ctx: ServerContext): Promise<number> => {
  const state = ctx.mcpReq.requestState<string>()
  if (state === undefined) return 0
  const opened = await seal.verify(state, ctx).catch(() => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState')
  })
  return opened.step
}

/** Asks step after step; how far it got is sealed and kept by the client. */
const askSteps =
  (...steps: readonly InputRequests[]): Converse =>
  async (ctx) => {
    const step = await stepOf(ctx)
    const asked = steps[step - 1]
    const next = asked !== undefined && !isAnswered(ctx, asked) ? step : step + 1
    const inputRequests = steps[next - 1]
    if (inputRequests === undefined) return toolSays('state-ok')
    return inputRequired({ inputRequests, requestState: await seal.mint({ step: next }) })
  }

const log: Converse = async (ctx) => {
  await ctx.mcpReq.log('info', 'Tool execution started')
  for (const words of ['Tool processing data', 'Tool execution completed']) {
    await sleep(LOG_MS)
    await ctx.mcpReq.log('info', words)
  }
  return toolSays('Logged.')
}

type Properties = Parameters<typeof inputRequired.elicit>[0]['requestedSchema'] extends infer Schema
  ? Schema extends { readonly type: 'object'; properties: infer Fields }
    ? Fields
    : never
  : never

const form = (message: string, properties: Properties) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
  })

const sample = (words: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: words } }],
    maxTokens: 100,
  })

const askName = form('What is your name?', { name: { type: 'string' } })
const confirm = form('Please confirm', { ok: { type: 'boolean' } })

const options = (...pairs: readonly [value: string, title: string][]) =>
  pairs.map(([value, title]) => ({ const: value, title }))

const NAMES = ['option1', 'option2', 'option3']
const CHOICES = options(['value1', 'First Choice'], ['value2', 'Second Choice'], ['value3', 'Third Choice'])

const defaults = form('Please look these over', {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
})

const enums = form('Please choose', {
  untitledSingle: { type: 'string', enum: NAMES },
  titledSingle: { type: 'string', oneOf: CHOICES },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: NAMES } },
  titledMulti: { type: 'array', items: { anyOf: CHOICES } },
})

type Envelope = { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities }

const whatTheClientCan: Questions = (_, { mcpReq }) => {
  const { [CLIENT_CAPABILITIES_META_KEY]: can } = (mcpReq.envelope ?? {}) as Envelope
  return {
    ...(can?.sampling !== undefined && { capital_question: sample('What is the capital of France?') }),
    ...(can?.elicitation !== undefined && { user_name: askName }),
  }
}

const TOOLS: Readonly<Record<string, Converse>> = {
  test_tool_with_logging: log,
  test_logging_tool: log,
  test_sampling: ask(({ prompt }) => ({ answer: sample(String(prompt)) })),
  test_elicitation: ask(({ message }) => ({
    user: form(String(message), { username: { type: 'string' }, email: { type: 'string' } }),
  })),
  test_elicitation_sep1034_defaults: ask(() => ({ values: defaults })),
  test_elicitation_sep1330_enums: ask(() => ({ choices: enums })),
  test_missing_capability: ask(() => ({ answer: sample('May I?') })),
  test_streaming_elicitation: ask(() => ({ user_name: askName })),
  test_input_required_result_elicitation: ask(() => ({ user_name: askName })),
  test_input_required_result_sampling: ask(() => ({
    capital_question: sample('What is the capital of France?'),
  })),
  test_input_required_result_list_roots: ask(() => ({ client_roots: inputRequired.listRoots() })),
  test_input_required_result_capabilities: ask(whatTheClientCan),
  test_input_required_result_request_state: askSteps({ confirm }),
  test_input_required_result_tampered_state: askSteps({ confirm }),
  test_input_required_result_multiple_inputs: askSteps({
    user_name: askName,
    greeting: sample('Generate a greeting'),
    client_roots: inputRequired.listRoots(),
  }),
  test_input_required_result_multi_round: askSteps(
    { step1: form('Step 1: What is your name?', { name: { type: 'string' } }) },
    { step2: form('Step 2: What is your favorite color?', { color: { type: 'string' } }) },
  ),
}

const PROMPTS: Readonly<Record<string, Converse>> = {
  test_input_required_result_prompt: ask(
    () => ({ user_context: form('What context should the prompt use?', { context: { type: 'string' } }) }),
    (words) => ({ messages: [{ role: 'user', content: { type: 'text', text: words } }] }),
  ),
}

const INPUTS: Readonly<Record<string, z.ZodObject>> = {
  test_sampling: z.strictObject({ prompt: z.string() }),
  test_elicitation: z.strictObject({ message: z.string() }),
}

const unreachable = () => {
  throw new TypeError('a conversation was left to the kernel')
}

/** The conversations as the kernel lists them. */
export const conversationToolset: Toolset = {
  name: 'conversations',
  title: 'Conformance fixtures that talk back',
  tools: Object.keys(TOOLS).map((name) =>
    defineTool({
      name,
      title: name,
      description: `Conformance fixture ${name}.`,
      effect: 'read',
      input: INPUTS[name] ?? NoInput,
      output: NoOutput,
      run: unreachable,
    }),
  ),
  resources: [],
  prompts: Object.keys(PROMPTS).map((name) =>
    definePrompt({
      name,
      title: name,
      description: `Conformance fixture ${name}.`,
      args: z.strictObject({}),
      get: unreachable,
    }),
  ),
}

export const isConversation = (name: unknown): boolean =>
  typeof name === 'string' && (Object.hasOwn(TOOLS, name) || Object.hasOwn(PROMPTS, name))

const PARAMS = { params: z.looseObject({}).optional() }

/** Answers the conversations; whatever else comes goes to the handler that was there before. */
const intercept = (server: Server, method: string, table: Readonly<Record<string, Converse>>): void => {
  // biome-ignore lint/complexity/useLiteralKeys: the lookup is protected, and only this spelling passes
  const before = server['_getRequestHandler'](method)
  if (before === undefined) throw new TypeError(`nobody answers ${method}`)
  server.setRequestHandler(method, PARAMS, async (params = {}, ctx) => {
    const converse = Object.hasOwn(table, String(params.name)) ? table[String(params.name)] : undefined
    if (converse !== undefined) return { ...(await converse(ctx, (params.arguments ?? {}) as Arguments)) }
    const { id, _meta } = ctx.mcpReq
    return before({ jsonrpc: '2.0', id, method, params: { ...params, ...(_meta && { _meta }) } }, ctx)
  })
}

export const decorateServer: Decorate = (server) => {
  server.registerCapabilities({ logging: {} })
  intercept(server, 'tools/call', TOOLS)
  intercept(server, 'prompts/get', PROMPTS)
}
