import { type AppliedOperation, Graph, type GraphConfig } from '../../../src/beliefs/graph/graph.ts'
import { Fault } from '../../../src/kernel/fault.ts'
import { type Model, modelBind, modelCreate, modelMutate, modelOf, modelTick, newModel } from './model.ts'

/** A number that picks what happens, two that pick where, and one in [0, 1] that says how much. */
export type Step = readonly [kind: number, a: number, b: number, x: number]

/** From amounts below a quantum to the maximum, with some too small to pay for a tick. */
const ENERGIES = [0, 2 ** -105, 2 ** -90, 1e-12, 0.0004, 0.003, 0.12, 1, 77.7, 1e6, 1e12]
const WEIGHTS = [0, 0.5, 1, -1, -0.25, 1e-9, 1e6, -1e6, 3, 0.95]
const DELTAS = [0, 0.1, -0.1, 1, -10, 1e308, 1e-17]

interface Play {
  readonly config: GraphConfig
  graph: Graph
  model: Model
  /** What can be taken back, and how everything was before. */
  readonly past: { readonly undo: () => void; readonly bytes: Uint8Array; readonly model: Model }[]
}

const ensure = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what)
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])

const copyOf = (model: Model): Model => ({
  ...model,
  nodes: model.nodes.map((node) => ({ ...node })),
  edges: [...model.edges],
})

const sameModel = (a: Model, b: Model): boolean =>
  a.reserve === b.reserve &&
  a.dissipated === b.dissipated &&
  a.tick === b.tick &&
  a.nodes.length === b.nodes.length &&
  a.edges.length === b.edges.length &&
  a.nodes.every(({ belief, quanta }, id) => {
    const other = b.nodes[id]
    return Object.is(other?.belief, belief) && other?.quanta === quanta
  })

/** Everything that has to be true after every operation. */
const checkAll = ({ graph, model, config }: Play): void => {
  const seen = modelOf(graph)
  ensure(sameModel(seen, model), 'the graph is not where the oracle is')
  const { pool, reserve, nodes, dissipated } = graph.accounts()
  const held = seen.nodes.reduce((sum, { quanta }) => sum + quanta, 0n)
  ensure(pool === config.pool * 2n ** 104n, 'the pool has changed')
  ensure(reserve + held + dissipated === pool, 'energy was made or lost')
  ensure(nodes === held, 'the two books differ')
  ensure(reserve >= 0n && dissipated >= 0n, 'an account is below nothing')
  ensure(
    seen.nodes.every(({ quanta }) => quanta >= 0n),
    'a node is below nothing',
  )
  ensure(
    seen.nodes.every(({ belief }) => belief >= 0 && belief <= 1),
    'a belief is out of bounds',
  )
  ensure(graph.drift() === 0 && graph.auditAll() === 0, 'there is drift')
}

/** Applies an operation to graph and oracle. They must agree on success, and a refused one must change nothing. */
const attempt = (
  play: Play,
  act: () => AppliedOperation<unknown>,
  mirror: (model: Model) => boolean,
): void => {
  const bytes = play.graph.serialize()
  const before = copyOf(play.model)
  const expected = mirror(play.model)
  try {
    const { undo, delta } = act()
    ensure(expected, 'the oracle would have refused')
    ensure(/^[0-9a-f]{64}$/.test(delta), 'the delta is no hash')
    play.past.push({ undo, bytes, model: before })
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    ensure(!expected, `the oracle would not have refused: ${thrown.message}`)
    ensure(sameBytes(play.graph.serialize(), bytes), 'a refused operation left a trace')
  }
}

const takeBack = (play: Play, count: number): void => {
  for (const { undo, bytes, model } of play.past.splice(-count).reverse()) {
    undo()
    ensure(sameBytes(play.graph.serialize(), bytes), 'undo did not restore every bit')
    play.model = model
  }
}

const restart = (play: Play): void => {
  const bytes = play.graph.serialize()
  play.graph = Graph.restore(play.config, bytes)
  ensure(sameBytes(play.graph.serialize(), bytes), 'a snapshot does not survive a round trip')
  ensure(play.graph.auditAll() === 0, 'a restored graph drifts')
  play.past.length = 0
}

const pick = <T>(table: readonly T[], index: number): T => table[index % table.length] as T

const ACTS: readonly ((play: Play, step: Step, at: number) => void)[] = [
  (play, [, a, , x], at) => {
    const energy = pick(ENERGIES, a)
    attempt(
      play,
      () => play.graph.createNode(x, energy, at),
      (model) => modelCreate(model, x, energy),
    )
  },
  (play, [, a, b, x], at) => {
    const id = a % (play.graph.nodeCount + 1)
    const delta = pick(DELTAS, b) * x
    attempt(
      play,
      () => play.graph.mutateNode(id, delta, at),
      (model) => modelMutate(model, play.config, id, delta),
    )
  },
  (play, [kind, a, b], at) => {
    const count = play.graph.nodeCount + 1
    const edge = { src: a % count, dst: b % count, weight: pick(WEIGHTS, kind + a + b) }
    attempt(
      play,
      () => play.graph.bindEdge(edge.src, edge.dst, edge.weight, at),
      (model) => modelBind(model, play.config, edge),
    )
  },
  (play, _, at) =>
    attempt(
      play,
      () => play.graph.propagate(at),
      (model) => {
        modelTick(model, play.config)
        return true
      },
    ),
  (play, [, a]) => takeBack(play, (a % 4) + 1),
  (play, [, a], at) => {
    const { graph } = play
    const wrong = pick([Number.NaN, -1, 1e13, Number.POSITIVE_INFINITY], a)
    attempt(
      play,
      pick([() => graph.createNode(wrong, 1, at), () => graph.createNode(0, wrong, at)], a),
      () => false,
    )
  },
  restart,
]

/** How often each act comes up: enough to build something before it is taken apart. */
const LIKELY = [0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6]

/** Runs the steps on a graph and on the oracle, and throws when they differ. */
export const playStory = (config: GraphConfig, steps: readonly Step[]): Graph => {
  const play: Play = { config, graph: new Graph(config), model: newModel(config), past: [] }
  for (const [at, step] of steps.entries()) {
    pick(ACTS, pick(LIKELY, step[0]))(play, step, at)
    checkAll(play)
  }
  return play.graph
}
