import type { Call, Model } from './checker.ts'

/** Model of the belief graph for the history checker, written from the documentation without its code. */

export interface ModelNode {
  readonly belief: number
  /** In quanta of 2⁻¹⁰⁴, which is how exact the documentation is. */
  readonly quanta: bigint
  /** Identifies the node's state. */
  readonly print: string
}

export interface ModelGraph {
  readonly nodes: readonly (ModelNode | undefined)[]
  /** Entries in the lineage. */
  readonly entries: number
}

const LIMB = 2n ** 52n
const UNLIMB = 2 ** -52

/** Exact for every double that is at least 2⁻⁵², and for 0. */
export const toQuanta = (energy: number): bigint => {
  const units = Math.floor(energy)
  const fraction = (energy - units) * 2 ** 52
  const low = (fraction - Math.floor(fraction)) * 2 ** 52
  return (BigInt(units) << 104n) + (BigInt(Math.floor(fraction)) << 52n) + BigInt(Math.floor(low))
}

export const toEnergy = (quanta: bigint): number =>
  Number(quanta >> 104n) + (Number((quanta >> 52n) % LIMB) * UNLIMB + Number(quanta % LIMB) * UNLIMB * UNLIMB)

const makeNode = (belief: number, quanta: bigint): ModelNode => ({
  belief,
  quanta,
  print: `${belief}/${quanta}`,
})

const moveBelief = ({ belief, quanta }: ModelNode, delta: number): ModelNode => {
  const moved = Math.min(1, Math.max(0, belief + delta))
  const cost = toQuanta(0.1 + 0.05 * Math.abs(moved - belief))
  return makeNode(moved, quanta > cost ? quanta - cost : 0n)
}

const show = (id: number, { belief, quanta }: ModelNode): object => ({
  node_id: id,
  belief,
  energy: toEnergy(quanta),
})

/** The whole answer about a node that is not there. */
export const MISSING = 'missing'

type Step = (graph: ModelGraph, args: Call['args']) => { state: ModelGraph; result: unknown }

const STEPS: Readonly<Record<string, Step>> = {
  'node.create': ({ nodes, entries }, { belief, energy }) => {
    const node = makeNode(Number(belief), toQuanta(Number(energy)))
    return {
      state: { nodes: [...nodes, node], entries: entries + 1 },
      result: show(nodes.length, node),
    }
  },
  'node.mutate': (state, { node_id, delta }) => {
    const id = Number(node_id)
    const node = state.nodes[id]
    if (node === undefined) return { state, result: MISSING }
    const moved = moveBelief(node, Number(delta))
    return {
      state: { nodes: state.nodes.with(id, moved), entries: state.entries + 1 },
      result: show(id, moved),
    }
  },
  'node.query': (state, { node_id }) => {
    const id = Number(node_id)
    const node = state.nodes[id]
    return { state, result: node === undefined ? MISSING : show(id, node) }
  },
  'governance.status': (state) => ({
    state,
    result: { node_count: state.nodes.length, lineage_length: state.entries },
  }),
}

const numberIn = (result: unknown, member: string): number | undefined =>
  (result as Readonly<Record<string, number | undefined>>)[member]

export const beliefModel: Model<ModelGraph> = {
  first: { nodes: [], entries: 0 },
  apply: (state, { op, args }) => {
    const step = STEPS[op]
    if (step === undefined) throw new Error(`the model knows no ${op}`)
    return step(state, args)
  },
  keyOf: ({ nodes, entries }) => `${entries};${nodes.map((node) => node?.print).join()}`,
  partOf: ({ nodes }, { op, args }) =>
    op === 'node.create' ? String(nodes.length) : (args.node_id as string | undefined),
  restrict: ({ nodes }, part) => {
    const only: (ModelNode | undefined)[] = []
    only[Number(part)] = nodes[Number(part)]
    return { nodes: only, entries: 0 }
  },
  tallies: [
    {
      of: ({ nodes }) => nodes.length,
      grows: ({ op }) => op === 'node.create',
      seen: ({ op, result }) =>
        op === 'node.create' ? numberIn(result, 'node_id') : numberIn(result, 'node_count'),
    },
    {
      of: ({ entries }) => entries,
      grows: ({ op, result }) => op === 'node.create' || (op === 'node.mutate' && result !== MISSING),
      seen: ({ result }) => numberIn(result, 'lineage_length'),
    },
  ],
}
