import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineFaults } from '../../src/kernel/fault.ts'
import { TextAnswer } from '../../src/kernel/text-answer.ts'
import { defineTool, NoInput, NoOutput, type Tool } from '../../src/kernel/tool.ts'
import { DIALECT_NAMES, type DialectName } from '../../src/mcp/dialect.ts'
import { Envelopes } from '../../src/mcp/envelope.ts'
import { isEnvelope } from '../../src/mcp/sdk.ts'
import { caseCount } from '../support/case-count.ts'
import { startFront, type TestFront } from '../support/front.ts'
import { CAPABILITIES_KEY, envelope, initialize, request, VERSION_KEY } from '../support/messages.ts'
import { makeService, Wire } from '../support/service.ts'

/**
 * `tools/call`, `tools/list` and the handshake are answered on two paths: straight from the kernel, and
 * through the SDK. A client must not be able to tell which.
 */

const faults = defineFaults('two', {
  gone: { kind: 'missing', fix: 'Look elsewhere.' },
  full: { kind: 'exhausted', fix: 'Empty it.' },
})

const Anything = z.json()

const tools: Tool[] = [
  defineTool({
    name: 'echo',
    title: 'Echo',
    description: 'Gives back what it got.',
    effect: 'read',
    input: z.strictObject({ value: Anything, wait: z.boolean().default(false) }),
    output: z.strictObject({ value: Anything }),
    run: ({ value, wait }) => (wait ? Promise.resolve({ value }) : { value }),
  }),
  defineTool({
    name: 'show.pictures',
    title: 'Show pictures',
    description: 'Content blocks of every kind.',
    effect: 'read',
    input: NoInput,
    output: NoOutput,
    run: () => undefined,
    render: () => [
      { type: 'text', text: 'a\u2028b"\\' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'x://y', mimeType: 'text/plain', text: 't' } },
      { type: 'resource', resource: { uri: 'x://y', mimeType: 'image/png', blob: 'AAAA' } },
    ],
  }),
  defineTool({
    name: 'tell',
    title: 'Tell',
    description: 'A text, facts about it and a note.',
    effect: 'read',
    input: NoInput,
    output: NoOutput,
    run: async () => new TextAnswer({ lines: 1, more: { deep: [null] } }, ['a\u2028b"\\', 'c'], 'and more'),
  }),
  defineTool({
    name: 'fail',
    title: 'Fail',
    description: 'Fails as told.',
    effect: 'write',
    destructive: true,
    input: z.strictObject({ how: z.enum(['gone', 'full', 'bug', 'shape']) }),
    output: z.strictObject({}),
    run: async ({ how }) => {
      if (how === 'bug') throw new Error('secret detail')
      if (how === 'shape') return { extra: 1 } as never
      throw faults[how]('it failed', { detail: { how } })
    },
  }),
  defineTool({
    name: 'steps',
    title: 'Steps',
    description: 'Reports progress.',
    effect: 'read',
    input: NoInput,
    output: z.strictObject({ done: z.int() }),
    run: (_, call) => {
      call.progress(1, 2, 'half')
      call.progress(2, 2)
      return { done: 2 }
    },
  }),
]

const toolset = { tools, resources: [], prompts: [] }

// The SDK answers within its own schema's idea of JSON; a lone surrogate or `__proto__` is for other tests.
const value = fc
  .jsonValue({ maxDepth: 3, noUnicodeString: false })
  .filter((one) => !JSON.stringify(one).includes('__proto__'))

const callParams = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ name: fc.constant('echo'), arguments: fc.record({ value, wait: fc.boolean() }) }),
  },
  fc.record({ name: fc.constantFrom('show.pictures', 'show_pictures', 'steps', 'tell') }),
  fc.record({
    name: fc.constant('fail'),
    arguments: fc.record({ how: fc.constantFrom('gone', 'full', 'bug', 'shape', 'other') }),
  }),
  fc.record({ name: fc.constantFrom('nope', 'constructor', 'tools/list'), arguments: fc.constant({}) }),
  fc.record({
    name: fc.constant('echo'),
    arguments: fc.constantFrom({}, { value: 1, more: 2 }, { wait: 3 }),
  }),
)
const id = fc.oneof(fc.integer({ min: 0, max: 10_000 }), fc.string({ minLength: 1, maxLength: 8 }))
const token = fc.option(
  fc.oneof(fc.integer({ min: 0, max: 99 }), fc.string({ minLength: 1, maxLength: 5 })),
  {
    nil: undefined,
  },
)
const traceKeys = fc.option(fc.constant({ traceparent: '00-1-2-01', 'example.com/x': [1] }), { nil: {} })

const byId = (lines: readonly string[]): readonly string[] => [...lines].sort()

const bothPaths = async (dialect: DialectName, lines: readonly string[]) => {
  const answers = []
  for (const direct of [true, false]) {
    const wire = new Wire(makeService({ toolset, dialect }), { direct })
    await wire.ask(...lines)
    await wire.connection.close()
    answers.push(byId(wire.lines))
  }
  return answers
}

describe.each(DIALECT_NAMES)('over stdio, in the %s dialect', (dialect) => {
  it('calls are answered with the same bytes in the 2025 era', async () => {
    await fc.assert(
      fc.asyncProperty(callParams, id, token, async (params, callId, progressToken) => {
        const meta = progressToken === undefined ? {} : { _meta: { progressToken } }
        const [direct, sdk] = await bothPaths(dialect, [
          initialize(`open ${callId}`),
          request(callId, 'tools/call', { ...params, ...meta }),
        ])
        expect(direct).toEqual(sdk)
        expect(direct?.length).toBeGreaterThanOrEqual(2)
      }),
      { numRuns: caseCount(40, 150) },
    )
  })

  it('calls are answered with the same bytes in the 2026 era', async () => {
    await fc.assert(
      fc.asyncProperty(callParams, id, token, traceKeys, async (params, callId, progressToken, trace) => {
        const _meta = { ...envelope(), ...trace, ...(progressToken !== undefined && { progressToken }) }
        const [direct, sdk] = await bothPaths(dialect, [request(callId, 'tools/call', { ...params, _meta })])
        expect(direct).toEqual(sdk)
        expect(direct?.length).toBeGreaterThanOrEqual(1)
      }),
      { numRuns: caseCount(40, 150) },
    )
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '1999-01-01', '2026-07-28', undefined])(
    'the handshake and the lists are the same for a client of %s',
    async (protocolVersion) => {
      const [direct, sdk] = await bothPaths(dialect, [
        initialize(1, { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } }),
        request(2, 'ping'),
        request(3, 'tools/list'),
        request(4, 'tools/list', {}),
        request(5, 'tools/list', { cursor: 'x' }),
        request(6, 'nope'),
      ])
      expect(direct).toEqual(sdk)
      expect(direct).toHaveLength(6)
    },
  )

  it('discovery and the lists are the same for a client of 2026-07-28', async () => {
    const _meta = envelope({ 'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' } })
    const [direct, sdk] = await bothPaths(dialect, [
      request(1, 'server/discover', { _meta }),
      request(2, 'tools/list', { _meta }),
      request(3, 'tools/list', { _meta, cursor: 'x' }),
      request(4, 'ping', { _meta }),
      request(5, 'tools/list'),
      request(6, 'initialize', { protocolVersion: '2025-11-25' }),
    ])
    expect(direct).toEqual(sdk)
    expect(direct).toHaveLength(6)
  })
})

describe('an envelope that is taken for valid at sight', () => {
  const capability = fc.dictionary(
    fc.constantFrom('elicitation', 'sampling', 'roots', 'experimental', 'tasks', 'x'),
    fc.oneof(fc.constant({}), fc.constant({ form: {} }), fc.constant({ listChanged: true }), fc.jsonValue()),
    { maxKeys: 3 },
  )
  const client = fc.oneof(
    fc.constant(undefined),
    fc.record({ name: fc.string(), version: fc.string() }),
    fc.record({ name: fc.string(), version: fc.oneof(fc.string(), fc.integer()), title: fc.jsonValue() }),
    fc.jsonValue(),
  )

  it('is valid by the schema of the SDK, and the judgement does not depend on when that was loaded', () => {
    fc.assert(
      fc.property(
        capability,
        client,
        fc.constantFrom('2026-07-28', '2025-11-25', 7),
        (capabilities, info, version) => {
          const _meta = {
            [VERSION_KEY]: version,
            [CAPABILITIES_KEY]: capabilities,
            ...(info !== undefined && { 'io.modelcontextprotocol/clientInfo': info }),
          }
          const early = new Envelopes().judge({ _meta })
          if (early === 'valid') expect(isEnvelope({ _meta })).toBe(true)
          const late = new Envelopes()
          late.check = isEnvelope
          const verdict = isEnvelope({ _meta }) ? 'valid' : 'broken'
          expect([late.judge({ _meta }), late.judge({ _meta })]).toEqual([verdict, verdict])
        },
      ),
      { numRuns: caseCount(500, 2_000) },
    )
  })
})

describe('over HTTP', () => {
  const fronts: TestFront[] = []
  let urls: string[] = []

  beforeAll(async () => {
    for (const direct of [true, false]) fronts.push(await startFront(makeService({ toolset }), direct))
    urls = fronts.map(({ port }) => `http://127.0.0.1:${port}/mcp`)
  })
  afterAll(() => Promise.all(fronts.map((front) => front.close())))

  const post = async (url: string, body: object, headers: Record<string, string>) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
    })
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      body: await response.text(),
    }
  }

  it('calls of 2026-07-28 are answered with the same status, type and bytes', async () => {
    await fc.assert(
      fc.asyncProperty(callParams, id, traceKeys, async (params, callId, trace) => {
        const _meta = { ...envelope(), ...trace }
        const body = { jsonrpc: '2.0', id: callId, method: 'tools/call', params: { ...params, _meta } }
        const headers = {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': params.name,
        }
        const [direct, sdk] = await Promise.all(urls.map((url) => post(url, body, headers)))
        expect(direct).toEqual(sdk)
        expect(direct?.status).toBe(200)
      }),
      { numRuns: caseCount(60, 250) },
    )
  })
})
