import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { sweep } from '../support/binary.ts'
import { caseCount } from '../support/case-count.ts'
import { type Message, request } from '../support/messages.ts'
import { expectError, ScgServer, stateOf, stopServers } from './scg-client.ts'
import { type Args, Oracle, quantaOf, type Verdict } from './scg-oracle.ts'

afterAll(async () => {
  stopServers()
  await sweep()
})

type Op = readonly [name: string, args: Args]

const FIXED = { SCG_DETERMINISM: '1' }

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

/** A server and the oracle with the same graph. */
class Pair {
  readonly server = new ScgServer({ env: FIXED })
  readonly oracle = new Oracle()
  readonly #history: Op[] = []

  get isFull(): boolean {
    return this.oracle.nodes.length > 64 || this.oracle.edges.length > 128
  }

  /** Runs a script on both and compares every answer. */
  async run(ops: readonly Op[], direct = true): Promise<readonly Message[]> {
    const first = this.#history.length
    const verdicts = ops.map(([name, args]) => this.oracle.answer(name, args))
    this.#history.push(...ops)
    this.server.send(
      ...ops.map(([name, args], index) =>
        direct
          ? request(first + index, name, args)
          : request(first + index, 'tools/call', { name, arguments: args }),
      ),
    )
    const answers = (await this.server.received(first + ops.length)).slice(first)
    expect(answers.map(({ id }) => id)).toEqual(ops.map((_, index) => first + index))
    try {
      for (const [index, verdict] of verdicts.entries()) {
        judge(ops[index] as Op, answers[index] as Message, verdict)
      }
    } catch (cause) {
      throw new Error(`after ${JSON.stringify(this.#history)}`, { cause })
    }
    return answers
  }

  /** Compares every node, then ends the server, which must not log anything. */
  async finish(): Promise<void> {
    await this.run(this.oracle.nodes.map((_, id): Op => ['node.query', { node_id: String(id) }]))
    const { code, stderr } = await this.server.finish()
    expect([code, stderr]).toEqual([0, ''])
  }
}

const agree = async (ops: readonly Op[]): Promise<{ oracle: Oracle; last: Message | undefined }> => {
  const pair = new Pair()
  const answers = await pair.run(ops)
  await pair.finish()
  return { oracle: pair.oracle, last: answers.at(-1) }
}

/** Runs sequences on the same graph, with a new one when it is full. */
const agreeOnAll = async (operations: fc.Arbitrary<Op>): Promise<void> => {
  let pair = new Pair()
  const sequence = fc.array(operations, { minLength: 20, maxLength: 50 })
  const property = fc.asyncProperty(sequence, fc.boolean(), async (ops, direct) => {
    await pair.run([...GIVEN, ...ops], direct)
    if (!pair.isFull) return
    await pair.finish()
    pair = new Pair()
  })
  // No shrinking, because earlier sequences are part of a counterexample; the message contains all of it.
  await fc.assert(property, { numRuns: caseCount(15, 200), endOnFailure: true })
  await pair.finish()
}

const id = fc.oneof(fc.nat({ max: 8 }), fc.nat({ max: 70 })).map(String)
/** Round numbers for a normal graph, arbitrary bits for edge cases. */
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
  test('for any sequence of honest operations', () => agreeOnAll(honest))

  test('for any sequence of hostile ones', () => agreeOnAll(hostile))

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
    const [one, two] = [await agree(script), await agree(script)]
    expect(one.last?.result.structuredContent.entries).toHaveLength(1_003)
    expect(two.last).toEqual(one.last)
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
    const { oracle } = await agree([...nodes, ...shuffled])
    // Of eight nodes, every pair one way round and none the other.
    expect(oracle.edges).toHaveLength(28)
  })
})
