import type { Call } from './checker.ts'
import { pickOne, type Random } from './random.ts'

export type Wish = Pick<Call, 'op' | 'args'>

const HOT_NODES = 4

/** A contended node, an existing one, or rarely a missing one. */
const someNode = (random: Random, known: number): string =>
  String(random(2) === 0 ? random(Math.min(HOT_NODES, known + 1)) : random(known + 2))

/** Energies that run out after a few moves, and beliefs that reach their bounds: both are special cases. */
const MAKERS: readonly ((random: Random, known: number) => Wish)[] = [
  (random) => ({
    op: 'node.create',
    args: { belief: random(1_001) / 1_000, energy: pickOne(random, [0, 0.25, 1.7, 40, 1e6]) + random(9) / 7 },
  }),
  (random, known) => ({
    op: 'node.mutate',
    args: { node_id: someNode(random, known), delta: (random(1_601) - 800) / 1_000 },
  }),
  (random, known) => ({ op: 'node.query', args: { node_id: someNode(random, known) } }),
  () => ({ op: 'governance.status', args: {} }),
]

/** Weights of the four kinds of calls. */
const SHARES = [0, 0, 0, 1, 1, 1, 1, 2, 2, 3] as const

/** A random call on a graph with about `known` nodes. */
export const randomWish = (random: Random, known: number): Wish => {
  const make = MAKERS[pickOne(random, SHARES)] as (typeof MAKERS)[number]
  return make(random, known)
}

export const isWrite = ({ op }: Wish): boolean => op === 'node.create' || op === 'node.mutate'
