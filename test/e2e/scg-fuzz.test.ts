import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { sweep } from '../support/binary.ts'
import { type Message, request } from '../support/messages.ts'
import { expectError, ScgServer, stateOf, stopServers } from './scg-client.ts'
import { type Args, Oracle, quantaOf, type Verdict } from './scg-oracle.ts'

afterAll(async () => {
  stopServers()
  await sweep()
})

type Op = readonly [name: string, args: Args]

const FIXED = { SCG_DETERMINISM: '1' }

/** Sends all at once and returns the answers. */
const runAll = async (ops: readonly Op[], direct = true): Promise<readonly Message[]> => {
  const server = new ScgServer({ env: FIXED })
  server.send(
    ...ops.map(([name, args], id) =>
      direct ? request(id, name, args) : request(id, 'tools/call', { name, arguments: args }),
    ),
  )
  const { code, stderr } = await server.finish()
  expect([code, stderr]).toEqual([0, ''])
  expect(server.messages.map(({ id }) => id)).toEqual([...ops.keys()])
  return server.messages
}

const judge = ([name]: Op, answer: Message, verdict: Verdict): void => {
  if ('code' in verdict) return expectError(answer, verdict.code as 2000)
  const state = stateOf(answer)
  if (name === 'lineage.replay') {
    const { length } = verdict.state as { length: number }
    expect(state.entries.map(({ seq }: { seq: number }) => seq)).toEqual([...Array(length).keys()])
  } else {
    expect(state).toEqual(verdict.state)
  }
}

/** Runs a script on the server and on the oracle, and holds every answer of the one against the other. */
const agree = async (ops: readonly Op[], direct?: boolean): Promise<Oracle> => {
  const oracle = new Oracle()
  const verdicts = ops.map(([name, args]) => oracle.answer(name, args))
  const all = [...ops, ...oracle.nodes.map((_, id): Op => ['node.query', { node_id: String(id) }])]
  const rest = all.slice(ops.length).map(([name, args]) => oracle.answer(name, args))
  const answers = await runAll(all, direct)
  for (const [index, verdict] of [...verdicts, ...rest].entries()) {
    judge(all[index] as Op, answers[index] as Message, verdict)
  }
  return oracle
}

const id = fc.nat({ max: 12 }).map(String)
/** Round numbers for a graph that lives, arbitrary bits for the corners. */
const number = (min: number, max: number) =>
  fc.oneof(
    fc.integer({ min: 0, max: 1_000 }).map((part) => min + ((max - min) * part) / 1_000),
    fc.double({ min, max, noNaN: true }),
  )
const belief = number(0, 1)
const energy = fc.oneof(number(1, 100), number(0, 0.01))
const delta = number(-0.5, 0.5)
const weight = fc.oneof(number(-1, 1), number(-1e6, 1e6))

// Through JSON and back, because that is what the server will see: it has no minus zero.
const op = (name: string, args: Record<string, fc.Arbitrary<unknown>> = {}): fc.Arbitrary<Op> =>
  fc.record(args, { noNullPrototype: true }).map((made): Op => [name, JSON.parse(JSON.stringify(made))])

const honest = fc.oneof(
  { weight: 3, arbitrary: op('node.create', { belief, energy }) },
  { weight: 2, arbitrary: op('node.mutate', { node_id: id, delta }) },
  { weight: 2, arbitrary: op('edge.bind', { src: id, dst: id, weight }) },
  { weight: 2, arbitrary: op('edge.propagate', { edge_id: fc.string() }) },
  { weight: 1, arbitrary: op('node.query', { node_id: id }) },
  { weight: 1, arbitrary: op('governor.status') },
  { weight: 1, arbitrary: op('governance.status') },
  { weight: 1, arbitrary: op('esv.audit', { node_id: id }) },
  { weight: 1, arbitrary: op('lineage.replay') },
)

/** Numbers as JSON has them: no NaN, no infinity, no minus zero. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('-1', '+5', '1.5', '', '18446744073709551615', '18446744073709551616', '007'),
  fc.constantFrom(0, 1, -0.1, 1.1, 1e6, -1e6, 1e12, 1.0000001e12, 1e15, 5e-324, 1.7976931348623157e308),
)
const hostile = fc.oneof(
  { weight: 2, arbitrary: honest },
  { weight: 1, arbitrary: op('node.create', { belief: anything, energy: anything }) },
  { weight: 1, arbitrary: op('node.mutate', { node_id: fc.oneof(id, anything), delta: anything }) },
  { weight: 1, arbitrary: op('edge.bind', { src: fc.oneof(id, anything), dst: id, weight: anything }) },
  { weight: 1, arbitrary: op('edge.propagate', { edge_id: anything }) },
  { weight: 1, arbitrary: op('esv.audit', { node_id: anything }) },
)

const GIVEN: readonly Op[] = [0.1, 0.5, 0.9].map((one): Op => ['node.create', { belief: one, energy: 10 }])

describe('the oracle', () => {
  test('counts energy in whole quanta', () => {
    expect(quantaOf(1)).toBe(1n << 104n)
    expect(quantaOf(0)).toBe(0n)
    expect(quantaOf(5e-324)).toBe(0n)
    expect(quantaOf(2 ** -104)).toBe(1n)
    expect(quantaOf(1e12)).toBe((10n ** 12n) << 104n)
    expect(quantaOf(0.1) * 2n).toBe(quantaOf(0.2))
  })
})

describe('the server does exactly what the law says', () => {
  test('for any sequence of honest operations', async () => {
    const sequence = fc.array(honest, { minLength: 20, maxLength: 50 })
    await fc.assert(
      fc.asyncProperty(
        sequence,
        fc.boolean(),
        async (ops, direct) => void (await agree([...GIVEN, ...ops], direct)),
      ),
      { numRuns: 50, endOnFailure: true },
    )
  }, 60_000)

  test('for any sequence of hostile ones', async () => {
    const sequence = fc.array(hostile, { minLength: 20, maxLength: 50 })
    await fc.assert(
      fc.asyncProperty(sequence, async (ops) => void (await agree([...GIVEN, ...ops]))),
      { numRuns: 50, endOnFailure: true },
    )
  }, 60_000)

  test('when creating and stepping alternate', async () => {
    await agree(
      [...Array(30).keys()].flatMap((step): Op[] => [
        ['node.create', { belief: (step % 7) / 7, energy: step }],
        ...(step > 0
          ? [['edge.bind', { src: String(step - 1), dst: String(step), weight: step - 15 }] as const]
          : []),
        ['edge.propagate', { edge_id: '0' }],
      ]),
    )
  })

  test('through forty mutations of one node', async () => {
    const ops = fc.sample(op('node.mutate', { node_id: fc.constant('0'), delta }), { numRuns: 40, seed: 1 })
    await agree([['node.create', { belief: 0.5, energy: 100 }], ...ops])
  })

  test('through a thousand rapid mutations, which leave the same checksums a second time', async () => {
    const ops: Op[] = [...Array(1_000).keys()].map((n) => [
      'node.mutate',
      { node_id: String(n % 3), delta: (n % 11) / 10 - 0.5 },
    ])
    const script: Op[] = [...GIVEN, ...ops, ['lineage.replay', {}]]
    const [one, two] = [await runAll(script), await runAll(script)]
    expect(stateOf(one.at(-1) as Message).entries).toHaveLength(1_003)
    expect(two.at(-1)).toEqual(one.at(-1))
    await agree(script)
  })

  test('with weights at and around every bound', async () => {
    const weights = [0, 5e-324, -5e-324, 1e-300, 1e6, -1e6, 999_999.9999999999, 2 ** -52, -1]
    await agree([
      ...GIVEN,
      ...weights.map((one, n): Op => ['edge.bind', { src: String(n % 2), dst: '2', weight: one }]),
      ...Array.from({ length: 20 }, (): Op => ['edge.propagate', { edge_id: '0' }]),
    ])
  })

  test('when any of many edges could close a cycle', async () => {
    const ends = [...Array(8).keys()].map(String)
    const binds = ends.flatMap((src) => ends.map((dst): Op => ['edge.bind', { src, dst, weight: 0.5 }]))
    const shuffled =
      fc.sample(fc.shuffledSubarray(binds, { minLength: binds.length }), { numRuns: 1, seed: 7 })[0] ?? []
    const nodes = ends.map((): Op => ['node.create', { belief: 0.5, energy: 1 }])
    const { edges } = await agree([...nodes, ...shuffled])
    // Of eight nodes, every pair one way round and none the other.
    expect(edges).toHaveLength(28)
  })
})
