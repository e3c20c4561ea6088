import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sweep } from '../support/binary.ts'
import type { Message } from '../support/messages.ts'
import {
  expectError,
  NEVER,
  NO_IDS,
  NO_TEXTS,
  ScgServer,
  stateOf,
  stopServers,
  TIME,
  WAYS,
} from './scg-client.ts'

afterAll(async () => {
  stopServers()
  await sweep()
})

describe.each(Object.entries(WAYS))('%s,', (_, way) => {
  let server: ScgServer
  const use = (name: string, args: object): Promise<Message> => way(server, name, args)
  const make = async (belief: number, energy = 10): Promise<string> =>
    String(stateOf(await use('node.create', { belief, energy })).node_id)
  const query = async (node_id: string) => stateOf(await use('node.query', { node_id }))
  const size = async () => (await server.must('governance.status')).lineage_length

  /** Runs refused calls and makes sure that nothing at all has happened. */
  const refuseAll = async (code: 2000 | 4004 | 5000, name: string, all: readonly object[]) => {
    const before = await server.must('governance.status')
    const answers = await Promise.all(all.map((args) => use(name, args)))
    for (const answer of answers) expectError(answer, code)
    expect(await server.must('governance.status')).toEqual(before)
  }

  beforeAll(() => {
    server = new ScgServer()
  })

  describe('node.create', () => {
    test('numbers nodes from 0 and shows exactly what scg-mcp-server shows', async () => {
      const fresh = new ScgServer()
      const made = await Promise.all(
        [0, 1, 2].map(() => way(fresh, 'node.create', { belief: 0.5, energy: 100 })),
      )
      expect(made.map(stateOf)).toEqual(
        [0, 1, 2].map((node_id) => ({
          node_id,
          belief: 0.5,
          energy: 100,
          timestamp: expect.stringMatching(TIME),
        })),
      )
    })

    test('a claim that is no text is refused, and nothing that came with it', async () => {
      const node = { belief: 0.5, energy: 1 }
      const answers = await Promise.all(
        ['a', '\ud800', 'b', 'x\udc00', '\u{1f600}'].map((claim) => use('node.create', { ...node, claim })),
      )
      expect(answers.map(({ error }) => error?.code)).toEqual([undefined, 2000, undefined, 2000, undefined])
    })

    test('echoes every allowed belief and energy to the bit', async () => {
      for (const belief of [0, 1, 0.001, 0.999, 0.1, 5e-324, 0.30000000000000004]) {
        expect((await query(await make(belief))).belief).toBe(belief)
      }
      for (const energy of [0, 100, 1e10, 1e12, 0.1, 99.895, 1e-12, 999_999_999_999.9999]) {
        expect((await query(await make(0.5, energy))).energy).toBe(energy)
      }
    })

    test('keeps no minus at a zero', async () => {
      const node = await make(-0, -0)
      expect(server.lines.at(-1)).not.toContain('-0')
      expect(await query(node)).toMatchObject({ belief: 0, energy: 0 })
    })

    test('refuses what is out of range, missing or no number', async () => {
      const wrong = [null, 'not-a-number', 'NaN', 'Infinity', '0.5', true, [], [0.5], {}]
      await refuseAll(2000, 'node.create', [
        {},
        { belief: 0.5 },
        { energy: 1 },
        ...[-0.5, -0.1, 1.1, 1.5, 1.0000000000000002, ...wrong].map((belief) => ({ belief, energy: 1 })),
        ...[-1, -100, -5e-324, 1e15, 1_000_000_000_000.0001, ...wrong].map((energy) => ({
          belief: 0.5,
          energy,
        })),
        { belief: 0.5, energy: 1, claim: 7 },
        { belief: 0.5, energy: 1, claim: 'c'.repeat(2_001) },
        { belief: 0.5, energy: 1, evidence: 'sha256:short' },
      ])
    })

    test('refuses a number too large to be one', async () => {
      const line = (id: string, belief: string, energy: string) =>
        `{"jsonrpc":"2.0","id":"${id}","method":"node.create","params":{"belief":${belief},"energy":${energy}}}`
      expectError(await server.answerTo('i1', line('i1', '0.5', '1e999')), 2000)
      expectError(await server.answerTo('i2', line('i2', '-1e999', '1')), 2000)
    })

    test('burns no id on a failure', async () => {
      const first = Number(await make(0.5))
      expectError(await use('node.create', { belief: 2, energy: 1 }), 2000)
      expect(Number(await make(0.5))).toBe(first + 1)
    })

    test('does without keys it does not know', async () => {
      const args = { belief: 0.5, energy: 1, dag_topology: true, esv_raw: [1], include_internals: true }
      const answer = await use('node.create', args)
      expect(Object.keys(stateOf(answer))).toEqual(['node_id', 'belief', 'energy', 'timestamp'])
      expect(JSON.stringify(answer)).not.toMatch(/dag_topology|esv_raw|include_internals/)
    })
  })

  describe('node.query', () => {
    test('shows what was made, and the time of its last write', async () => {
      const made = stateOf(await use('node.create', { belief: 0.25, energy: 7 }))
      const node_id = String(made.node_id)
      expect(await query(node_id)).toEqual(made)
      expect(await query(`000${node_id}`)).toEqual(made)
      const moved = stateOf(await use('node.mutate', { node_id, delta: 0.1 }))
      expect(await query(node_id)).toEqual(moved)
    })

    test('does not find what is not there, with the message of scg-mcp-server', async () => {
      await refuseAll(4004, 'node.query', [{ node_id: '999999' }, { node_id: NEVER }])
      expect((await use('node.query', { node_id: '999999' })).error?.message).toBe('Node not found: 999999')
      expect((await use('node.query', { node_id: NEVER })).error?.message).toBe(`Node not found: ${NEVER}`)
    })

    test('takes nothing but digits', async () => {
      await refuseAll(2000, 'node.query', [{}, ...[...NO_IDS, ...NO_TEXTS].map((node_id) => ({ node_id }))])
    })
  })

  describe('node.mutate', () => {
    const mutate = async (node_id: string, delta: number) =>
      stateOf(await use('node.mutate', { node_id, delta }))

    test('moves a belief and takes what that costs', async () => {
      expect((await mutate(await make(0.5), 0.1)).belief).toBeCloseTo(0.6, 12)
      expect(await mutate(await make(0.7, 100), 0.1)).toMatchObject({
        belief: 0.7999999999999999,
        energy: 99.895,
      })
      expect(await mutate(await make(0.5, 1), 0)).toMatchObject({ belief: 0.5, energy: 0.9 })
    })

    test.each([
      [0.9, 0.5, 1],
      [0.5, 10, 1],
      [0.5, -10, 0],
      [0.5, 100, 1],
      [0.5, -100, 0],
      [0.5, 1000, 1],
      [0.5, 1.7976931348623157e308, 1],
      [0.5, -1.7976931348623157e308, 0],
    ])('keeps %d moved by %d at %d', async (belief, delta, after) => {
      expect(await mutate(await make(belief), delta)).toMatchObject({
        belief: after,
        energy: expect.any(Number),
      })
    })

    test('charges for the way that was gone, not the way that was asked', async () => {
      expect((await mutate(await make(0.5, 1), 1000)).energy).toBe(0.875)
      expect((await mutate(await make(1, 1), 1000)).energy).toBe(0.9)
    })

    test('moves a node that has no energy, and takes no more than there is', async () => {
      expect(await mutate(await make(0.5, 0), 0.25)).toMatchObject({ belief: 0.75, energy: 0 })
      expect(await mutate(await make(0.5, 0.05), 0.25)).toMatchObject({ belief: 0.75, energy: 0 })
    })

    test('refuses an absent node, a bad id and a bad delta', async () => {
      const node_id = await make(0.5)
      await refuseAll(4004, 'node.mutate', [
        { node_id: '999999', delta: 0.1 },
        { node_id: NEVER, delta: 0 },
      ])
      await refuseAll(2000, 'node.mutate', [
        {},
        { node_id },
        { delta: 0.1 },
        ...[null, '0.1', 'NaN', true, [], {}].map((delta) => ({ node_id, delta })),
        ...[...NO_IDS, ...NO_TEXTS].map((bad) => ({ node_id: bad, delta: 0.1 })),
      ])
    })

    test('is one entry of the lineage', async () => {
      const node_id = await make(0.5)
      const before = await size()
      await mutate(node_id, 0.1)
      expect(await size()).toBe(before + 1)
    })
  })
})
