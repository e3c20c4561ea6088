import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { roundCount } from '../cli.mjs'
import { Samples } from '../report.mjs'
import { interleave } from '../rounds.mjs'
import { cpuOf } from './source.mjs'

export const AT = 1_700_000_000_000

/** Numbers that look random and are the same every time. */
export function scatter() {
  let state = 1
  return (/** @type {number} */ below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/**
 * Nodes, and twice as many edges from older to newer ones.
 *
 * @param {any} source
 * @param {number} nodes
 */
export function buildGraph(source, nodes) {
  const graph = new source.Graph(source.DEFAULT_CONFIG)
  const pick = scatter()
  for (let id = 0; id < nodes; id++) graph.createNode(pick(1000) / 1000, 10 + pick(100), AT)
  for (let edge = 0; edge < 2 * nodes; edge++) bindOne(graph, pick, nodes)
  return graph
}

/**
 * @param {any} graph
 * @param {(below: number) => number} pick
 * @param {number} nodes
 */
export function bindOne(graph, pick, nodes) {
  const to = 1 + pick(nodes - 1)
  return graph.bindEdge(pick(to), to, (1 + pick(9)) / 10, AT)
}

/** Numbers a node has side by side in the graph's own arrays: its belief, and three for its energy. */
const CELL = 4

/**
 * The law of propagation in floating point alone, over arrays laid out like the graph's own: no exact energy, no
 * seals, nothing to undo, nothing to prove.
 *
 * @param {any} graph
 */
function floatLoop(graph) {
  const columns = copyColumns(graph)
  return () => {
    columns.next.set(columns.cells)
    gatherPulls(columns, graph.config)
    rationEnergy(columns)
    moveBeliefs(columns, graph.config)
    clampBeliefs(columns)
  }
}

/** @typedef {ReturnType<typeof copyColumns>} Columns */

/** @param {any} graph */
function copyColumns(graph) {
  const edges = [...graph.edges()]
  const cells = new Float64Array(graph.nodeCount * CELL)
  const inflow = new Float64Array(graph.nodeCount)
  for (const { id, belief, energy } of graph.nodes()) cells.set([belief, energy], id * CELL)
  for (const { dst, weight } of edges) inflow[dst] = valueAt(inflow, dst) + Math.abs(weight)
  return {
    src: Uint32Array.from(edges, ({ src }) => src),
    dst: Uint32Array.from(edges, ({ dst }) => dst),
    weight: Float64Array.from(edges, ({ weight }) => weight),
    pulls: new Float64Array(edges.length),
    scale: new Float64Array(graph.nodeCount),
    next: new Float64Array(cells.length),
    cells,
    inflow,
  }
}

/**
 * @param {Float64Array | Uint32Array} column
 * @param {number} row
 */
function valueAt(column, row) {
  return /** @type {number} */ (column[row])
}

/**
 * @param {Columns} columns
 * @param {{ sigma: number, slope: number }} law
 */
function gatherPulls({ src, dst, weight, inflow, cells, pulls, scale }, { sigma, slope }) {
  scale.fill(0)
  for (let edge = 0; edge < src.length; edge++) {
    const from = valueAt(src, edge)
    const to = valueAt(dst, edge)
    const strength = valueAt(weight, edge)
    const belief = valueAt(cells, from * CELL)
    const target = strength >= 0 ? belief : 1 - belief
    const pull =
      (sigma * Math.abs(strength) * (target - valueAt(cells, to * CELL))) / (1 + valueAt(inflow, to))
    pulls[edge] = pull
    scale[from] = valueAt(scale, from) + slope * Math.abs(pull)
  }
}

/** @param {Columns} columns */
function rationEnergy({ cells, scale }) {
  for (let node = 0; node < scale.length; node++) {
    const need = valueAt(scale, node)
    const held = valueAt(cells, node * CELL + 1)
    scale[node] = need > held ? held / need : 1
  }
}

/**
 * @param {Columns} columns
 * @param {{ slope: number }} law
 */
function moveBeliefs({ src, dst, next, pulls, scale }, { slope }) {
  for (let edge = 0; edge < src.length; edge++) {
    const from = valueAt(src, edge)
    const to = valueAt(dst, edge) * CELL
    const step = valueAt(pulls, edge) * valueAt(scale, from)
    const cost = slope * Math.abs(step)
    next[to] = valueAt(next, to) + step
    next[from * CELL + 1] = valueAt(next, from * CELL + 1) - cost
    next[to + 1] = valueAt(next, to + 1) + cost
  }
}

/** @param {Columns} columns */
function clampBeliefs({ cells, next }) {
  for (let cell = 0; cell < next.length; cell += CELL) {
    next[cell] = Math.min(1, Math.max(0, valueAt(next, cell)))
  }
  cells.set(next)
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

/** What arrays take, leaving out those that nobody has any more. */
function arrayMib() {
  // What a collection finds unused is given back while the next one runs.
  collect()
  collect()
  return process.memoryUsage().arrayBuffers / 2 ** 20
}

/**
 * One propagation, against the float loop over the same graph.
 *
 * @param {any} source
 * @param {import('../cli.mjs').Options} options
 * @param {number} nodes
 */
export async function measureTick(source, options, nodes) {
  const before = arrayMib()
  const graph = buildGraph(source, nodes)
  graph.propagate(AT)
  const memory = arrayMib() - before
  const loop = floatLoop(graph)
  const contestants = [
    { name: 'float loop', tick: loop, facts: {} },
    { name: 'propagate', tick: () => graph.propagate(AT), facts: { memory } },
  ]
  const samples = new Samples(`one propagation, ${nodes} nodes and ${2 * nodes} edges`, [
    { key: 'cpu', label: 'CPU per tick, ms', digits: 1, best: 'min' },
    { key: 'memory', label: 'arrays of the graph, MiB', digits: 0, best: 'min' },
  ])
  const ticks = Math.max(1, 1_000_000 / nodes)
  await interleave(
    contestants,
    roundCount(options, 7),
    async ({ tick, facts }) => {
      const cpu = await cpuOf(() => {
        for (let n = 0; n < ticks; n++) tick()
      })
      return { ...facts, cpu: cpu / 1000 / ticks }
    },
    ({ name }, values) => samples.add(name, values),
  )
  return samples.table(['float loop', 'propagate'], ['float loop'])
}
