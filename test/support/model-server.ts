import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ToolExample } from './every-tool.ts'

/** The name that the agents know our server by. */
export const SERVER_NAME = 'warrant'
const PREFIX = `mcp__${SERVER_NAME}`

type Json = Readonly<Record<string, unknown>>

interface Exchange {
  /** The names of our tools that the request offers the model. */
  readonly offered: readonly string[]
  /** The results of tools so far, as the model reads them, in the order of the calls. */
  readonly results: readonly string[]
  /** The events that let the agent call a tool, or end its turn. */
  readonly reply: (call: ToolExample | undefined) => readonly Json[]
}

interface TextPart {
  readonly text?: string
}

const joinText = (content: string | readonly TextPart[]): string =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n')

interface AnthropicBody {
  readonly model: string
  readonly tools?: readonly { readonly name: string }[]
  readonly messages: readonly {
    readonly content:
      | string
      | readonly { readonly type: string; readonly content?: string | readonly TextPart[] }[]
  }[]
}

/** The Messages API of Anthropic. */
const readAnthropic = ({ model, tools = [], messages }: AnthropicBody): Exchange => {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map(({ content = '' }) => joinText(content))
  const id = String(results.length)
  return {
    offered: tools.flatMap(({ name }) =>
      name.startsWith(`${PREFIX}__`) ? [name.slice(PREFIX.length + 2)] : [],
    ),
    results,
    reply: (call) => {
      const block = call
        ? { type: 'tool_use', id: `toolu_${id}`, name: `${PREFIX}__${call.name}`, input: {} }
        : { type: 'text', text: '' }
      const delta = call
        ? { type: 'input_json_delta', partial_json: JSON.stringify(call.args) }
        : { type: 'text_delta', text: 'done' }
      const usage = { input_tokens: 1, output_tokens: 1 }
      const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, content: [], usage }
      return [
        { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
        { type: 'content_block_start', index: 0, content_block: block },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        {
          type: 'message_delta',
          delta: { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null },
          usage,
        },
        { type: 'message_stop' },
      ]
    },
  }
}

interface OpenAiBody {
  readonly tools?: readonly {
    readonly name?: string
    readonly tools?: readonly { readonly name: string }[]
  }[]
  readonly input: readonly { readonly type: string; readonly output?: string | readonly TextPart[] }[]
}

/** The Responses API of OpenAI. Codex lists the tools of a server under a namespace. */
const readOpenAi = ({ tools = [], input }: OpenAiBody): Exchange => {
  const results = input
    .filter(({ type }) => type === 'function_call_output')
    .map(({ output = '' }) => joinText(output))
  const id = String(results.length)
  return {
    offered: tools.find(({ name }) => name === PREFIX)?.tools?.map(({ name }) => name) ?? [],
    results,
    reply: (call) => [
      { type: 'response.created', response: { id: `resp_${id}` } },
      {
        type: 'response.output_item.done',
        item: call
          ? {
              type: 'function_call',
              id: `fc_${id}`,
              call_id: `call_${id}`,
              namespace: PREFIX,
              name: call.name,
              arguments: JSON.stringify(call.args),
            }
          : {
              type: 'message',
              role: 'assistant',
              id: 'msg',
              content: [{ type: 'output_text', text: 'done' }],
            },
      },
      {
        type: 'response.completed',
        response: { id: `resp_${id}`, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
      },
    ],
  }
}

const READERS: Readonly<Record<string, (body: never) => Exchange>> = {
  '/v1/messages': readAnthropic,
  '/v1/responses': readOpenAi,
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

/** Stands in for a model on loopback: lets an agent call one tool after another, and keeps what reaches the model. */
export class ModelServer {
  offered: readonly string[] = []
  results: readonly string[] = []
  readonly #calls: readonly ToolExample[]
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((cause: unknown) => response.writeHead(500).end(String(cause)))
  })

  constructor(calls: readonly ToolExample[]) {
    this.#calls = calls
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    const read = READERS[request.url?.replace(/\?.*$/, '') ?? '']
    if (read === undefined)
      return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    const { offered, results, reply } = read(JSON.parse(body) as never)
    // An agent also asks for titles and summaries, without our tools.
    const isSession = offered.length > 0
    if (isSession) Object.assign(this, { offered, results })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of reply(isSession ? this.#calls[results.length] : undefined))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    response.end()
  }
}
