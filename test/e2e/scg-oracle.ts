/**
 * Independent implementation of the belief graph from its documentation, without code of the product: energy in whole
 * quanta, simple algorithms, no limits.
 */

const UNIT = 104n
const HALF = (1n << 52n) - 1n
const SIGMA = 0.1
const SLOPE = 0.05
const MUTATE_COST = 0.1
const MAX_ID = 2n ** 64n - 1n

interface Node {
  belief: number
  quanta: bigint
  at: number
}

interface Edge {
  readonly src: number
  readonly dst: number
  readonly weight: number
}

/** `floor(x * 2^104)`, exactly, from the bits of the number. */
export const quantaOf = (x: number): bigint => {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, x)
  const bits = view.getBigUint64(0)
  const exponent = (bits >> 52n) & 0x7ffn
  const mantissa = (bits & HALF) | (exponent === 0n ? 0n : 1n << 52n)
  const shift = (exponent === 0n ? 1n : exponent) - 1075n + UNIT
  return shift >= 0n ? mantissa << shift : mantissa >> -shift
}

const upper = (quanta: bigint): number => Number(quanta >> UNIT) + Number((quanta >> 52n) & HALF) * 2 ** -52

const shown = (quanta: bigint): number =>
  Number(quanta >> UNIT) + (Number((quanta >> 52n) & HALF) * 2 ** -52 + Number(quanta & HALF) * 2 ** -104)

/** Takes `wanted` from a node, or what there is, and returns how much that was. */
const take = (node: Node, wanted: bigint): bigint => {
  const taken = [wanted, node.quanta].find((one) => one <= wanted && one <= node.quanta) ?? 0n
  node.quanta -= taken
  return taken
}

const clamp = (belief: number): number => Math.min(1, Math.max(0, belief))

export type Args = Readonly<Record<string, unknown>>
export type Verdict = { readonly state: object } | { readonly code: number }

const timeOf = (seq: number): string => new Date((1_700_000_000 + seq) * 1_000).toISOString()
const isBetween = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && value >= least && value <= most
const isId = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9]{1,64}$/.test(value) && BigInt(value) <= MAX_ID

const BAD: Verdict = { code: 2000 }
const ABSENT: Verdict = { code: 4004 }
const FORBIDDEN: Verdict = { code: 5000 }

export class Oracle {
  readonly nodes: Node[] = []
  readonly edges: Edge[] = []
  tick = 0
  size = 0

  /** What the server must answer, under the deterministic clock. */
  answer(name: string, args: Args): Verdict {
    switch (name) {
      case 'node.create':
        return this.#create(args)
      case 'node.query':
        return this.#onNode(args, (id) => ({ state: this.#show(id) }))
      case 'node.mutate':
        return this.#mutate(args)
      case 'edge.bind':
        return this.#bind(args)
      case 'edge.propagate':
        return typeof args.edge_id === 'string' ? this.#propagate() : BAD
      case 'governor.status':
        return { state: { drift: 0, coherent: true, timestamp: this.#now() } }
      case 'governance.status':
        return { state: this.#status() }
      case 'esv.audit':
        return this.#onNode(args, (node_id) => {
          const timestamp = timeOf((this.nodes[node_id] as Node).at)
          return { state: { node_id, valid: true, result: 'VALID', timestamp } }
        })
      case 'lineage.replay':
        return { state: { length: this.size } }
      default:
        return { code: 3000 }
    }
  }

  /** The state's own time is that of its newest entry; before the first it is the beginning of time. */
  #now(): string {
    return this.size === 0 ? new Date(0).toISOString() : timeOf(this.size - 1)
  }

  #show(node_id: number): object {
    const { belief, quanta, at } = this.nodes[node_id] as Node
    return { node_id, belief, energy: shown(quanta), timestamp: timeOf(at) }
  }

  #onNode({ node_id }: Args, then: (id: number) => Verdict): Verdict {
    if (!isId(node_id)) return BAD
    return BigInt(node_id) < this.nodes.length ? then(Number(node_id)) : ABSENT
  }

  #create({ belief, energy }: Args): Verdict {
    if (!isBetween(belief, 0, 1) || !isBetween(energy, 0, 1e12)) return BAD
    this.nodes.push({ belief: belief + 0, quanta: quantaOf(Math.abs(energy)), at: this.size++ })
    return { state: this.#show(this.nodes.length - 1) }
  }

  #mutate(args: Args): Verdict {
    const { delta } = args
    if (!isId(args.node_id) || !isBetween(delta, -Number.MAX_VALUE, Number.MAX_VALUE)) return BAD
    return this.#onNode(args, (id) => {
      const node = this.nodes[id] as Node
      const after = clamp(node.belief + delta)
      take(node, quantaOf(MUTATE_COST + SLOPE * Math.abs(after - node.belief)))
      node.belief = after
      node.at = this.size++
      return { state: this.#show(id) }
    })
  }

  #leadsTo(from: number, to: number): boolean {
    const seen = new Set([from])
    for (const node of seen) for (const { src, dst } of this.edges) if (src === node) seen.add(dst)
    return seen.has(to)
  }

  #bind({ src, dst, weight }: Args): Verdict {
    if (!isId(src) || !isId(dst) || !isBetween(weight, -1e6, 1e6)) return BAD
    const count = BigInt(this.nodes.length)
    if (BigInt(src) >= count || BigInt(dst) >= count) return ABSENT
    const edge = { src: Number(src), dst: Number(dst), weight }
    if (this.#leadsTo(edge.dst, edge.src)) return FORBIDDEN
    this.edges.push(edge)
    const timestamp = timeOf(this.size++)
    return { state: { edge_id: this.edges.length - 1, ...edge, timestamp } }
  }

  #propagate(): Verdict {
    const { nodes, edges } = this
    const before = nodes.map((node) => ({ ...node }))
    const at = (id: number) => before[id] as Node
    const inflow = nodes.map(() => 0)
    for (const { dst, weight } of edges) inflow[dst] = (inflow[dst] as number) + Math.abs(weight)
    const need = nodes.map(() => 0)
    const pulls = edges.map(({ src, dst, weight }) => {
      const target = weight >= 0 ? at(src).belief : 1 - at(src).belief
      const pull = (SIGMA * Math.abs(weight) * (target - at(dst).belief)) / (1 + (inflow[dst] as number))
      need[src] = (need[src] as number) + SLOPE * Math.abs(pull)
      return pull
    })
    const scale = need.map((cost, id) => (cost > upper(at(id).quanta) ? upper(at(id).quanta) / cost : 1))
    edges.forEach(({ src, dst }, index) => {
      const step = (pulls[index] as number) * (scale[src] as number)
      const [from, to] = [nodes[src] as Node, nodes[dst] as Node]
      to.belief += step
      to.quanta += take(from, quantaOf(SLOPE * Math.abs(step)))
    })
    return { state: this.#settle(before) }
  }

  #settle(before: readonly Node[]): object {
    this.tick += 1
    const at = this.size++
    let nodes_updated = 0
    let max_belief_change = 0
    for (const [id, node] of this.nodes.entries()) {
      const old = before[id] as Node
      node.belief = clamp(node.belief)
      max_belief_change = Math.max(max_belief_change, Math.abs(node.belief - old.belief))
      if (node.belief === old.belief && node.quanta === old.quanta) continue
      nodes_updated += 1
      node.at = at
    }
    const converged = max_belief_change <= 1e-12
    const edges_processed = this.edges.length
    const { tick } = this
    return { tick, nodes_updated, edges_processed, max_belief_change, converged, timestamp: timeOf(at) }
  }

  #status(): object {
    return {
      checksum_valid: true,
      drift: 0,
      drift_epsilon: 1e-6,
      drift_ok: true,
      esv_valid: true,
      coherent: true,
      quarantined: false,
      healthy: true,
      node_count: this.nodes.length,
      edge_count: this.edges.length,
      lineage_length: this.size,
      tick: this.tick,
      server_version: '0.3.0',
      timestamp: this.#now(),
    }
  }
}
