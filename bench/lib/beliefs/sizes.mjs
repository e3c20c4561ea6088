import { callCount, roundCount } from '../cli.mjs'
import { Samples } from '../report.mjs'
import { interleave } from '../rounds.mjs'
import { AT, bindOne, buildGraph, scatter } from './graph.mjs'
import { cpuOf, openGraphStore } from './source.mjs'

const TIMES = 500
const REPEATS = 40

/**
 * Does it a few hundred times and undoes that again, so that the graph keeps its size.
 *
 * @param {() => { undo?: () => void }} operate
 */
async function timeOperation(operate) {
  let sum = 0
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    /** @type {{ undo?: () => void }[]} */
    const done = []
    sum += await cpuOf(() => {
      for (let n = 0; n < TIMES; n++) done.push(operate())
    })
    for (const { undo } of done.reverse()) undo?.()
  }
  return sum / (TIMES * REPEATS)
}

/**
 * A store that keeps the newest entry and nothing else, with a graph to start from: a million entries would be
 * in the way of what is measured.
 *
 * @param {any} source
 * @param {any} graph
 */
function forgetfulStore(source, graph) {
  /** @type {any} */
  let newest
  return {
    open: async (/** @type {string} */ _, /** @type {string} */ genesis) => ({
      genesis,
      head: () => ({ size: newest ? newest.seq + 1 : 0, entry: newest?.entry ?? null }),
      read: () => [],
      nodes: () => [],
      quarantine: () => null,
      snapshots: () => [
        { size: 0, bytes: new source.GraphState(graph).serialize(source.genesisChecksum(genesis)) },
      ],
      saveSnapshot: () => {},
      append: (/** @type {number} */ _, /** @type {any[]} */ rows) => {
        newest = rows.at(-1)
        return true
      },
    }),
  }
}

const BATCH = 64

/**
 * Operations as a request makes them, with their entries in the chain and the tree, on a copy of the graph.
 *
 * @param {any} source
 * @param {any} graph
 * @param {number} count
 */
async function timeEntries(source, graph, count) {
  // The log is short and the graph is not: snapshots would come far more often than they do.
  const graphStore = await openGraphStore(source, forgetfulStore(source, graph), Number.MAX_SAFE_INTEGER)
  const beliefs = new source.Beliefs({ graphStore, version: '', writeFile: async () => {} })
  const pick = scatter()
  const time = async (/** @type {() => Promise<unknown>} */ operate) => {
    const cpu = await cpuOf(async () => {
      for (let done = 0; done < count; done += BATCH)
        await Promise.all(Array.from({ length: BATCH }, operate))
    })
    return cpu / count
  }
  const nodes = graph.nodeCount
  // The first of each makes room for as many again.
  await beliefs.createNode({ belief: 0.5, energy: 1 })
  await beliefs.bindEdge(0, 1, 0.5)
  // Copying a large graph leaves V8 with a young generation so small that collecting it is all one would measure.
  await time(() => beliefs.createNode({ belief: 0.5, energy: 1 }))
  return {
    createEntry: await time(() => beliefs.createNode({ belief: 0.5, energy: 1 })),
    bindEntry: await time(() => {
      const to = 1 + pick(nodes - 1)
      return beliefs.bindEdge(pick(to), to, 0.5)
    }),
  }
}

/**
 * Whether an operation costs the same however large the graph is.
 *
 * @param {any} source
 * @param {import('../cli.mjs').Options} options
 */
export async function measureSizes(source, options) {
  const sizes = options.quick ? [1_000, 100_000] : [1_000, 1_000_000]
  const contestants = sizes.map((nodes) => {
    const graph = buildGraph(source, nodes)
    return { name: `${nodes} nodes`, nodes, graph, pick: scatter() }
  })
  const samples = new Samples('one operation by the size of the graph, in one process', [
    { key: 'create', label: 'create, µs CPU', digits: 2, best: 'min' },
    { key: 'bind', label: 'bind, µs CPU', digits: 2, best: 'min' },
    { key: 'status', label: 'governor status, µs CPU', digits: 3, best: 'min' },
    { key: 'createEntry', label: 'create with its entry, µs CPU', digits: 2, best: 'min' },
    { key: 'bindEntry', label: 'bind with its entry, µs CPU', digits: 2, best: 'min' },
  ])
  await interleave(
    contestants,
    roundCount(options, 9),
    async ({ graph, nodes, pick }) => ({
      create: await timeOperation(() => graph.createNode(0.5, 1, AT)),
      bind: await timeOperation(() => bindOne(graph, pick, nodes)),
      status: await timeOperation(() => graph.health()),
      ...(await timeEntries(source, graph, callCount(options, 6_400))),
    }),
    ({ name }, values) => samples.add(name, values),
  )
  return samples.table(
    contestants.map(({ name }) => name),
    [contestants[0]?.name ?? ''],
  )
}
