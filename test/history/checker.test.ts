import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseCount } from '../support/case-count.ts'
import { beliefModel, MISSING, toEnergy, toQuanta } from './belief-model.ts'
import { type Call, checkHistory } from './checker.ts'
import { seededRandom } from './random.ts'
import {
  explainSlowly,
  type FakeStore,
  garbleResult,
  honestStore,
  losingStore,
  shufflingStore,
  simulate,
  staleStore,
  twinStore,
} from './simulator.ts'

const outcomeOf = (history: readonly Call[]): string => checkHistory(beliefModel, history).outcome

type Span = readonly [invoked: number, answered: number | null]

const create = ([invoked, answered]: Span, id: number, belief = 0.5, energy = 10): Call => ({
  process: 0,
  op: 'node.create',
  args: { belief, energy },
  invoked,
  answered,
  result: answered === null ? null : { node_id: id, belief, energy },
})
const status = ([invoked, answered]: Span, nodes: number, entries = nodes): Call => ({
  process: 1,
  op: 'governance.status',
  args: {},
  invoked,
  answered,
  result: { node_count: nodes, lineage_length: entries },
})
const mutate = ([invoked, answered]: Span, delta: number, belief: number, energy: number): Call => ({
  process: 2,
  op: 'node.mutate',
  args: { node_id: '0', delta },
  invoked,
  answered,
  result: { node_id: 0, belief, energy },
})
const query = ([invoked, answered]: Span, result: object | string): Call => ({
  process: 3,
  op: 'node.query',
  args: { node_id: '0' },
  invoked,
  answered,
  result,
})

describe('the model', () => {
  it('has the published trajectory', () => {
    const made = beliefModel.apply(beliefModel.first, create([0, 1], 0, 0.7, 100))
    const moved = beliefModel.apply(made.state, mutate([2, 3], 0.1, 0, 0))
    expect(moved.result).toEqual({ node_id: 0, belief: 0.7999999999999999, energy: 99.895 })
  })

  it('shows every energy as it was given', () => {
    fc.assert(
      fc.property(fc.double({ min: 2 ** -52, max: 1e12, noNaN: true }), (energy) => {
        expect(toEnergy(toQuanta(energy))).toBe(energy)
      }),
      { numRuns: caseCount(300, 1_000) },
    )
  })

  it('takes what is there when a node cannot pay', () => {
    const made = beliefModel.apply(beliefModel.first, create([0, 1], 0, 0.9, 0.05))
    const { result } = beliefModel.apply(made.state, mutate([2, 3], 5, 0, 0))
    expect(result).toEqual({ node_id: 0, belief: 1, energy: 0 })
  })
})

describe('a history is accepted', () => {
  it('when it is empty', () => {
    expect(outcomeOf([])).toBe('linearizable')
  })

  it('when calls at the same time are seen in either order', () => {
    expect(outcomeOf([create([0, 9], 0), status([1, 8], 0), status([2, 7], 1)])).toBe('linearizable')
    expect(outcomeOf([create([0, 9], 1), create([1, 8], 0, 0.25)])).toBe('linearizable')
  })

  it('when a call of unknown outcome has happened, late, or not at all', () => {
    const killed = create([0, null], 0)
    expect(outcomeOf([killed, status([1, 2], 1)])).toBe('linearizable')
    expect(outcomeOf([killed, status([1, 2], 0), status([3, 4], 1)])).toBe('linearizable')
    expect(outcomeOf([killed, status([1, 2], 0), query([3, 4], MISSING)])).toBe('linearizable')
  })

  it('when it comes from a single copy, in any interleaving and with any client killed', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 8 }), fc.nat(60), (seed, clients, calls) => {
        const random = seededRandom(seed)
        const history = simulate(random, { store: honestStore(), clients, calls, killed: random(2) * 12 })
        const verdict = checkHistory(beliefModel, history)
        expect(verdict.outcome).toBe('linearizable')
      }),
      { numRuns: 300 },
    )
  })

  it('when it is as long as those we record', () => {
    for (let seed = 0; seed < caseCount(4, 20); seed += 1) {
      const plan = { store: honestStore(), clients: 8, calls: 400, killed: 60 }
      expect(outcomeOf(simulate(seededRandom(seed), plan)), `seed ${seed}`).toBe('linearizable')
    }
  })
})

describe('a history is rejected', () => {
  it('when a read misses a write that was acknowledged before it', () => {
    expect(outcomeOf([create([0, 1], 0), status([2, 3], 0)])).toBe('impossible')
    expect(outcomeOf([create([0, 1], 0), query([2, 3], MISSING)])).toBe('impossible')
  })

  it('when a read goes back behind another one', () => {
    const killed = create([0, null], 0)
    expect(outcomeOf([killed, status([1, 2], 1), status([3, 4], 0)])).toBe('impossible')
  })

  it('when an update is lost', () => {
    const [first, second] = [mutate([2, 5], 0.1, 0.6, 9.895), mutate([3, 6], 0.2, 0.7, 9.89)]
    expect(outcomeOf([create([0, 1], 0), first])).toBe('linearizable')
    expect(outcomeOf([create([0, 1], 0), second])).toBe('linearizable')
    expect(outcomeOf([create([0, 1], 0), first, second])).toBe('impossible')
  })

  it('when an id is handed out twice, or left out', () => {
    expect(outcomeOf([create([0, 9], 0), create([1, 8], 0, 0.25)])).toBe('impossible')
    expect(outcomeOf([create([0, 1], 0), create([2, 3], 2)])).toBe('impossible')
  })

  it('when writes come out in another order than they were acknowledged in', () => {
    expect(outcomeOf([create([0, 1], 1), create([2, 3], 0)])).toBe('impossible')
  })

  it('when a change happens that no call made', () => {
    expect(outcomeOf([create([0, 1], 0), status([2, 3], 1, 2)])).toBe('impossible')
    expect(outcomeOf([create([5, null], 0), status([2, 3], 1)])).toBe('impossible')
  })

  it('and says which calls do not fit', () => {
    const [good, bad] = [create([0, 1], 0), query([2, 3], MISSING)]
    expect(checkHistory(beliefModel, [good, bad])).toMatchObject({ outcome: 'impossible', stuck: [good] })
    const late = status([2, 3], 0)
    expect(checkHistory(beliefModel, [good, late])).toMatchObject({ outcome: 'impossible', stuck: [late] })
    const wrong = query([2, 3], { node_id: 0, belief: 0.5, energy: 9 })
    expect(checkHistory(beliefModel, [good, wrong])).toMatchObject({ outcome: 'impossible' })
  })

  it.each<[string, () => FakeStore]>([
    ['stale reads', staleStore],
    ['lost updates', losingStore],
    ['duplicated ids', twinStore],
    ['reordered acknowledged writes', shufflingStore],
  ])('when the store has %s', (_, makeStore) => {
    for (let seed = 0; seed < 12; seed += 1) {
      const plan = { store: makeStore(), clients: 6, calls: 200, killed: 40 }
      expect(outcomeOf(simulate(seededRandom(seed), plan)), `seed ${seed}`).toBe('impossible')
    }
  })
})

describe('the search', () => {
  it('agrees with trying every order', () => {
    const seen = { linearizable: 0, impossible: 0 }
    const stores = [honestStore, staleStore, losingStore, twinStore, shufflingStore]
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(...stores), fc.boolean(), (seed, makeStore, garbled) => {
        const random = seededRandom(seed)
        const plan = { store: makeStore(), clients: 4, calls: 2 + random(6), killed: 5 }
        const history = simulate(random, plan)
        const judged = garbled ? garbleResult(random, history) : history
        const expected = explainSlowly(judged) ? 'linearizable' : 'impossible'
        seen[expected] += 1
        expect(outcomeOf(judged)).toBe(expected)
      }),
      { numRuns: 2_000 },
    )
    expect(Math.min(seen.linearizable, seen.impossible)).toBeGreaterThan(50)
  })

  it('says that it does not know when it may look no further', () => {
    const plan = { store: honestStore(), clients: 4, calls: 40, killed: 0 }
    const verdict = checkHistory(beliefModel, simulate(seededRandom(1), plan), 5)
    expect(verdict).toEqual({ outcome: 'undecided', looked: 6 })
  })
})
