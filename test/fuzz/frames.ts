import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { CAPABILITIES_KEY, MODERN, VERSION_KEY } from '../support/messages.ts'

/** Some bytes on the wire. Mostly one line, sometimes several, sometimes only part of one. */
export interface Frame {
  /** The generator that made it, for the statistics. */
  readonly kind: string
  readonly bytes: Buffer
}

/** One connection from its first byte to its last. */
export interface Session {
  readonly direct: boolean
  readonly dialect: 'standard' | 'sentinel' | 'scg'
  readonly frames: readonly Frame[]
  /** Where the bytes are cut into chunks, as shares of the whole. */
  readonly cuts: readonly number[]
}

/** Short, so that lines above the limit are cheap to generate. */
export const LINE_BYTES = 64 * 1024

const CORPUS = new URL('corpus/', import.meta.url)

const readLines = (name: string): readonly Buffer[] =>
  readFileSync(new URL(name, CORPUS), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => Buffer.from(line, name.endsWith('.base64') ? 'base64' : 'utf8'))

const DEEP = '['.repeat(9_000) + ']'.repeat(9_000)
const nesting = [
  `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"value":${DEEP}}}}`,
  `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"value":1},"x":${DEEP}}}`,
  `{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"_meta":{"x":${DEEP}}}}`,
  `{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"_meta":{"${VERSION_KEY}":${DEEP}}}}`,
  `{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"_meta":{"${VERSION_KEY}":"${MODERN}","${CAPABILITIES_KEY}":{"roots":${DEEP}}}}}`,
  `{"jsonrpc":"2.0","id":${DEEP},"method":"ping"}`,
  `{"jsonrpc":"2.0","id":5,"result":${DEEP}}`,
  `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${DEEP}}}`,
  DEEP,
  '['.repeat(30_000),
]

/** Regression corpus: lines that broke a server once, or might, by topic. Binary ones are base64. */
export const corpus: ReadonlyMap<string, readonly Buffer[]> = new Map([
  ...readdirSync(CORPUS)
    .sort()
    .map((name) => [name, readLines(name)] as const),
  ['nesting', nesting.map((line) => Buffer.from(line))] as const,
])

// JSON that JSON.stringify cannot produce: inserted as a marked string, whose quotes are removed afterwards.
const raw = (text: string) => `\u0001${text}\u0002`
const unquote = (text: string): string =>
  text.replace(/"\\u0001(.*?)\\u0002"/g, (_, inner: string) => JSON.parse(`"${inner}"`) as string)
const write = (value: unknown): string => unquote(JSON.stringify(value) ?? 'undefined')

const nested = (depth: number, open: string, close: string) => raw(open.repeat(depth) + close.repeat(depth))
const deepValue = fc
  .tuple(fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constantFrom(240, 490, 600, 9_000)), fc.boolean())
  .map(([depth, array]) => (array ? nested(depth, '[', ']') : nested(depth, '{"a":[', ']}')))

const oddValue = fc.constantFrom<unknown>(
  ...[null, true, false, 0, -1, 1.5, '', 'x', [], {}, [[]], { a: {} }],
  ...['1e999', '-1e999', '-0', '9007199254740992', '1e400', '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"'].map(
    raw,
  ),
  ...[{ ['__proto__']: 1 }, { constructor: 1 }, { toString: 1 }, raw('{"__proto__":{"x":1}}')],
  raw('{"a":1,"a":2}'),
)
const anyJson = fc.jsonValue({ maxDepth: 4 })
const anyValue = fc.oneof(
  { weight: 5, arbitrary: oddValue },
  { weight: 3, arbitrary: anyJson as fc.Arbitrary<unknown> },
  { weight: 1, arbitrary: deepValue },
)

// Few ids, so that they collide: in flight twice, cancelled, reused.
const goodId = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 60 }) as fc.Arbitrary<unknown> },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>('a', 'b', '', '0', '1', '__proto__', 'warrant:replay'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(-1, 2 ** 53 - 1, raw('-0'), raw('1e2'), raw('"\\ud800"')),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
)

const toolName = fc.constantFrom(
  'echo',
  'add',
  'later',
  'refuse',
  'crash',
  'crash_later',
  'big',
  'steps',
  'test.echo',
  'no_such_tool',
  '__proto__',
)
const uri = fc.constantFrom(
  'test://note',
  'test://blob',
  'test://item/a',
  'test://item/a%2Fb',
  'test://item/%',
  'x:y',
)
const callParams = fc.oneof(
  fc.record({ name: fc.constant('echo'), arguments: fc.record({ value: anyValue }) }),
  fc.record({ name: fc.constant('add'), arguments: fc.record({ a: fc.integer(), b: fc.integer() }) }),
  fc.record({ name: toolName, arguments: fc.constantFrom({}, { value: 1 }, { a: 1, b: 2 }, { turns: 2 }) }),
  fc.record({ name: toolName }),
)
const ref = fc.constantFrom(
  { type: 'ref/prompt', name: 'greet' },
  { type: 'ref/prompt', name: 'nobody' },
  { type: 'ref/resource', uri: 'test://item/{id}' },
  { type: 'ref/none' },
)

type Part = { readonly method: string; readonly params: unknown }
const part = (
  method: string,
  params: fc.Arbitrary<unknown> = fc.constantFrom(undefined, {}),
): fc.Arbitrary<Part> => params.map((value) => ({ method, params: value }))
const version = fc.constantFrom('2025-11-25', '2024-11-05', MODERN, 'bogus', '')

const goodPart = fc.oneof(
  { weight: 6, arbitrary: part('tools/call', callParams) },
  { weight: 2, arbitrary: part('ping') },
  { weight: 2, arbitrary: part('tools/list') },
  { weight: 1, arbitrary: part('initialize', fc.record({ protocolVersion: version }, { requiredKeys: [] })) },
  { weight: 1, arbitrary: part('server/discover') },
  { weight: 1, arbitrary: part('resources/list') },
  { weight: 1, arbitrary: part('resources/templates/list') },
  { weight: 2, arbitrary: part('resources/read', fc.record({ uri })) },
  { weight: 1, arbitrary: part('resources/subscribe', fc.record({ uri })) },
  { weight: 1, arbitrary: part('resources/unsubscribe', fc.record({ uri })) },
  { weight: 1, arbitrary: part('prompts/list', fc.constantFrom(undefined, {}, { cursor: 'x' })) },
  { weight: 1, arbitrary: part('prompts/get', fc.record({ name: fc.constantFrom('greet', 'nobody') })) },
  {
    weight: 1,
    arbitrary: part(
      'completion/complete',
      fc.record({ ref, argument: fc.record({ name: fc.constant('id'), value: fc.constant('a') }) }),
    ),
  },
  {
    weight: 1,
    arbitrary: part(
      'subscriptions/listen',
      fc.constantFrom<unknown>({ notifications: { toolsListChanged: true } }, {}, { notifications: 1 }),
    ),
  },
  { weight: 1, arbitrary: part('logging/setLevel', fc.constant({ level: 'debug' })) },
  { weight: 1, arbitrary: fc.record({ method: fc.string({ maxLength: 12 }), params: fc.constant({}) }) },
  {
    weight: 1,
    arbitrary: fc.record({ method: fc.constantFrom('__proto__', 'constructor', 'rpc.x'), params: anyJson }),
  },
)

const goodEnvelope = fc.constant({ [VERSION_KEY]: MODERN, [CAPABILITIES_KEY]: {} })
const oddEnvelope = fc.oneof(
  fc.record(
    {
      [VERSION_KEY]: fc.oneof(fc.constantFrom<unknown>(MODERN, '2025-11-25', '1900-01-01', ''), oddValue),
      [CAPABILITIES_KEY]: fc.oneof(
        fc.constantFrom<unknown>(
          {},
          { elicitation: {} },
          { sampling: {}, roots: {} },
          { experimental: { x: {} } },
        ),
        anyValue,
      ),
      'io.modelcontextprotocol/clientInfo': fc.oneof(fc.constant({ name: 'c', version: '1' }), anyValue),
      'io.modelcontextprotocol/logLevel': fc.oneof(fc.constantFrom<unknown>('debug', 'none'), oddValue),
      'io.modelcontextprotocol/related-task': fc.oneof(fc.constant({ taskId: 't' }), oddValue),
      'io.modelcontextprotocol/stranger': oddValue,
      'example.com/x': anyValue,
      progressToken: fc.oneof(fc.constantFrom<unknown>(1, 'p'), oddValue),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<unknown>,
  anyValue,
)
const meta = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) as fc.Arbitrary<unknown> },
  { weight: 4, arbitrary: goodEnvelope as fc.Arbitrary<unknown> },
  { weight: 1, arbitrary: fc.constantFrom<unknown>({}, { progressToken: 1 }, { progressToken: 'p' }) },
)

const withMeta = (params: unknown, _meta: unknown): unknown =>
  _meta === undefined ||
  (params !== undefined && (params === null || typeof params !== 'object' || Array.isArray(params)))
    ? params
    : { ...(params as object | undefined), _meta }

type Draft = Readonly<Record<string, unknown>>
const draft = (id: unknown, { method, params }: Part, _meta: unknown, hasId: boolean): Draft => ({
  jsonrpc: '2.0',
  ...(hasId && { id }),
  method,
  ...((params !== undefined || _meta !== undefined) && { params: withMeta(params, _meta) }),
})

const goodRequest = fc.tuple(goodId, goodPart, meta).map(([id, body, _meta]) => draft(id, body, _meta, true))
const goodNotice = fc
  .tuple(
    fc.oneof(
      part('notifications/cancelled', fc.record({ requestId: goodId, reason: fc.constant('enough') })),
      part('notifications/initialized'),
      part('notifications/progress', anyJson),
      goodPart,
    ),
    meta,
  )
  .map(([body, _meta]) => draft(undefined, body, _meta, false))
const goodMessage = fc.oneof({ weight: 5, arbitrary: goodRequest }, { weight: 1, arbitrary: goodNotice })
const modernRequest = fc
  .tuple(goodId, goodPart, oddEnvelope, fc.integer({ min: 0, max: 5 }))
  .map(([id, body, _meta, dice]) => draft(id, body, _meta, dice > 0))
const response = fc
  .tuple(goodId, fc.constantFrom('result', 'error'), anyValue, fc.boolean())
  .map(([id, member, value, hasId]) => ({ jsonrpc: '2.0', ...(hasId && { id }), [member]: value }))

/** Every place of a JSON value that can be changed, by path. */
const placesOf = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...placesOf(inner, [...path, key])])
    : []

const changeAt = (
  value: unknown,
  [key, ...rest]: readonly string[],
  change: (inner: unknown) => unknown,
): unknown => {
  if (key === undefined) return change(value)
  const copy: Record<string, unknown> = { ...(value as object) }
  const changed = changeAt(copy[key], rest, change)
  if (changed === undefined) delete copy[key]
  else copy[key] = changed
  return copy
}

/** A good message with one member removed or replaced, or one more than it should have. */
const bentMessage = fc
  .tuple(
    fc.oneof(goodMessage, modernRequest),
    fc.nat(),
    fc.constantFrom('drop', 'replace', 'add', 'array'),
    anyValue,
  )
  .map(([message, at, how, value]) => {
    const places = placesOf(message)
    const place = places[at % places.length] ?? []
    if (how === 'add') return { ...message, extra: value }
    if (how === 'array') return changeAt(message, place, (inner) => [inner])
    return changeAt(message, place, () => (how === 'drop' ? undefined : value))
  })

const textFrame = (kind: string, text: fc.Arbitrary<string>): fc.Arbitrary<Frame> =>
  text.map((line) => ({ kind, bytes: Buffer.from(`${line}\n`) }))
const valueFrame = (kind: string, value: fc.Arbitrary<unknown>) => textFrame(kind, value.map(write))

const goodBytes = goodMessage.map((message) => Buffer.from(write(message)))
const NEWLINE = Buffer.from('\n')

/** Bytes of a good message with some of them changed, doubled or left out. */
const bentBytes = fc
  .tuple(
    goodBytes,
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 }), fc.nat({ max: 3 })), { minLength: 1, maxLength: 4 }),
  )
  .map(([bytes, changes]) => {
    let bent = Buffer.from(bytes)
    for (const [where, byte, how] of changes) {
      const at = where % (bent.length + 1)
      const end = how === 0 ? at : at + 1
      const fill = how === 1 ? [] : how === 2 ? [...bent.subarray(0, at % 9)] : [byte]
      bent = Buffer.concat([bent.subarray(0, at), Buffer.from(fill), bent.subarray(end)])
    }
    return Buffer.concat([bent, NEWLINE])
  })

const bytesFrame = (kind: string, bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Frame> =>
  bytes.map((value) => ({ kind, bytes: Buffer.from(value) }))

const longLine = fc
  .tuple(fc.integer({ min: LINE_BYTES - 200, max: LINE_BYTES + 200 }), fc.boolean())
  .map(([size, json]) =>
    json
      ? write({ jsonrpc: '2.0', id: 'long', method: 'ping', params: { pad: 'x'.repeat(size - 80) } })
      : 'x'.repeat(size),
  )

const frame: fc.Arbitrary<Frame> = fc.oneof(
  { weight: 200, arbitrary: valueFrame('good', goodMessage) },
  { weight: 60, arbitrary: valueFrame('envelope', modernRequest) },
  { weight: 70, arbitrary: valueFrame('bent', bentMessage) },
  { weight: 25, arbitrary: bytesFrame('bent bytes', bentBytes) },
  { weight: 15, arbitrary: valueFrame('response', response) },
  { weight: 25, arbitrary: valueFrame('json', anyValue) },
  { weight: 10, arbitrary: textFrame('text', fc.string({ unit: 'binary', maxLength: 60 })) },
  { weight: 15, arbitrary: bytesFrame('bytes', fc.uint8Array({ maxLength: 80 })) },
  {
    weight: 10,
    arbitrary: bytesFrame(
      'cut',
      fc
        .tuple(goodBytes, fc.double({ min: 0, max: 1, noNaN: true }))
        .map(([bytes, share]) => bytes.subarray(0, Math.floor(bytes.length * share))),
    ),
  },
  {
    weight: 10,
    arbitrary: bytesFrame(
      'cut line',
      fc
        .tuple(goodBytes, fc.nat())
        .map(([bytes, at]) => Buffer.concat([bytes.subarray(0, at % bytes.length), NEWLINE])),
    ),
  },
  {
    weight: 10,
    arbitrary: bytesFrame(
      'twice',
      goodBytes.map((bytes) => Buffer.concat([bytes, NEWLINE, bytes, NEWLINE])),
    ),
  },
  {
    weight: 10,
    arbitrary: bytesFrame(
      'glued',
      fc.tuple(goodBytes, goodBytes).map(([a, b]) => Buffer.concat([a, b, NEWLINE])),
    ),
  },
  {
    weight: 10,
    arbitrary: bytesFrame(
      'crlf',
      goodBytes.map((bytes) => Buffer.concat([Buffer.from('\ufeff'), bytes, Buffer.from('\r\n\r\n')])),
    ),
  },
  { weight: 5, arbitrary: textFrame('batch', fc.array(goodMessage, { maxLength: 5 }).map(write)) },
  {
    weight: 10,
    arbitrary: valueFrame(
      'deep',
      fc.tuple(goodRequest, deepValue).map(([message, value]) => ({
        ...message,
        params: { name: 'echo', arguments: { value }, x: value },
      })),
    ),
  },
  { weight: 1, arbitrary: textFrame('long', longLine) },
  {
    weight: 20,
    arbitrary: bytesFrame(
      'corpus',
      fc.constantFrom(...[...corpus.values()].flat()).map((line) => Buffer.concat([line, NEWLINE])),
    ),
  },
)

const opening = fc.constantFrom<readonly Frame[]>(
  [],
  [
    {
      kind: 'opening',
      bytes: Buffer.from('{"jsonrpc":"2.0","id":"open","method":"initialize","params":{}}\n'),
    },
  ],
  [
    {
      kind: 'opening',
      bytes: Buffer.from(
        `${write(draft('open', { method: 'tools/list', params: {} }, { [VERSION_KEY]: MODERN, [CAPABILITIES_KEY]: {} }, true))}\n`,
      ),
    },
  ],
)

/** Sessions of about `size` frames. */
export const sessions = (size: number): fc.Arbitrary<Session> =>
  fc
    .record({
      direct: fc.integer({ min: 0, max: 3 }).map((dice) => dice > 0),
      dialect: fc.constantFrom('standard' as const, 'sentinel' as const, 'scg' as const),
      first: opening,
      rest: fc.array(frame, { minLength: size - 1, maxLength: size - 1 }),
      cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 }),
    })
    .map(({ direct, dialect, first, rest, cuts }) => ({ direct, dialect, cuts, frames: [...first, ...rest] }))
