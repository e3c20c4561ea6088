import { entryChecksum, genesisChecksum } from '../lineage/chain.ts'
import { proveInclusion } from '../lineage/proof.ts'
import { readEntry, readRows } from '../lineage/read-rows.ts'
import type { InclusionProof } from '../lineage/schemas.ts'
import type { Entry } from '../lineage/store.ts'
import type { ChainVerdict } from '../lineage/verify.ts'
import type { EdgeState } from './graph/edges.ts'
import type { EntityId } from './graph/graph.ts'
import type { NodeState } from './graph/nodes.ts'
import type { Operation } from './graph/operation.ts'
import type { Committed } from './log/batch.ts'
import { collectExport, type ExportFile, explainNode } from './log/export-file.ts'
import type { GraphStore } from './log/graph-store.ts'
import { formatTimestamp } from './log/timestamps.ts'
import type * as schemas from './schemas.ts'

type Output<K extends keyof typeof schemas> = schemas.SchemaOutput<(typeof schemas)[K]>

const MAX_REPLAY = 10_000

interface BeliefPorts {
  readonly graphStore: GraphStore
  readonly version: string
  /** Writes a whole file under the export root. */
  readonly writeFile: (path: string, content: Uint8Array) => Promise<void>
}

const nodeOutput = ({ id, belief, energy, at }: NodeState): Output<'NodeOutput'> => ({
  node_id: id,
  belief,
  energy,
  timestamp: formatTimestamp(at),
})

const edgeOutput = ({ id, src, dst, weight, at }: EdgeState): Output<'EdgeOutput'> => ({
  edge_id: id,
  src,
  dst,
  weight,
  timestamp: formatTimestamp(at),
})

const committedNode = ({ result }: Committed): Output<'NodeOutput'> => nodeOutput(result as NodeState)
const committedEdge = ({ result }: Committed): Output<'EdgeOutput'> => edgeOutput(result as EdgeState)

/** All operations and queries on a graph and its lineage. */
export class Beliefs {
  readonly graphStore: GraphStore
  readonly #ports: BeliefPorts
  #exporting: Promise<void> = Promise.resolve()

  constructor(ports: BeliefPorts) {
    this.graphStore = ports.graphStore
    this.#ports = ports
  }

  createNode(args: Extract<Operation, { op: 'node.create' }>['args']): Promise<Output<'NodeOutput'>> {
    return this.graphStore.replica.write({ op: 'node.create', args }, committedNode)
  }

  mutateNode(node: EntityId, delta: number): Promise<Output<'NodeOutput'>> {
    return this.graphStore.replica.write({ op: 'node.mutate', args: { delta, node } }, committedNode)
  }

  bindEdge(src: EntityId, dst: EntityId, weight: number): Promise<Output<'EdgeOutput'>> {
    return this.graphStore.replica.write({ op: 'edge.bind', args: { dst, src, weight } }, committedEdge)
  }

  async propagate(): Promise<Output<'PropagateResult'>> {
    const { result, timestamp } = await this.graphStore.replica.submit({ op: 'edge.propagate', args: {} })
    return {
      tick: Number(result.tick),
      nodes_updated: Number(result.nodesUpdated),
      edges_processed: Number(result.edgesProcessed),
      max_belief_change: Number(result.maxChange),
      converged: result.converged === true,
      timestamp,
    }
  }

  queryNode(node: EntityId): Promise<Output<'NodeOutput'>> {
    return this.graphStore.replica.read(({ graph }) => nodeOutput(graph.node(node)))
  }

  auditNode(node: EntityId): Promise<Output<'AuditResult'>> {
    return this.graphStore.replica.read(({ graph }) => {
      const { id, at } = graph.node(node)
      const { valid } = graph.auditNode(node)
      return { node_id: id, valid, result: valid ? 'VALID' : 'INVALID', timestamp: formatTimestamp(at) }
    })
  }

  governorStatus(): Promise<Output<'GovernorStatus'>> {
    const { replica } = this.graphStore
    return replica.read(({ graph, newestTime }) => {
      const { coherent } = graph.health()
      return {
        drift: this.#reportedDrift(graph.drift()),
        coherent: coherent && replica.quarantine === null,
        timestamp: formatTimestamp(newestTime),
      }
    })
  }

  /** A graph whose log is invalid has at least the maximum drift of 1, whatever its own energy balance says. */
  #reportedDrift(drift: number): number {
    return this.graphStore.replica.isStuck ? Math.max(drift, 1) : drift
  }

  async governanceStatus(): Promise<Output<'GovernanceStatus'>> {
    const { replica } = this.graphStore
    const seen = await replica.read(({ graph, newestTime }, size) => {
      this.graphStore.auditIfStale()
      return {
        ...graph.health(),
        node_count: graph.nodeCount,
        edge_count: graph.edgeCount,
        tick: graph.tick,
        epsilon: graph.config.epsilon,
        newestTime,
        size,
      }
    })
    const checksumValid = !replica.isStuck && (await this.#isHeadValid(seen.size))
    const quarantined = replica.quarantine !== null
    const drift = this.#reportedDrift(seen.drift)
    const driftOk = drift <= seen.epsilon
    const coherent = seen.coherent && !quarantined
    return {
      checksum_valid: checksumValid,
      drift,
      drift_epsilon: seen.epsilon,
      drift_ok: driftOk,
      esv_valid: seen.validRatio === 1,
      coherent,
      quarantined,
      healthy: checksumValid && driftOk && coherent,
      node_count: seen.node_count,
      edge_count: seen.edge_count,
      lineage_length: seen.size,
      tick: seen.tick,
      server_version: this.#ports.version,
      timestamp: formatTimestamp(seen.newestTime),
    }
  }

  /** Whether the checksum of the newest entry is right. */
  async #isHeadValid(size: number): Promise<boolean> {
    if (size === 0) return true
    const { log } = this.graphStore
    const rows = (await log.read(Math.max(0, size - 2), Math.min(2, size))).map(readEntry)
    const last = rows.at(-1)
    const previous = rows.length === 2 ? rows[0]?.checksum : genesisChecksum(log.genesis)
    return last !== undefined && entryChecksum(last, previous ?? '') === last.checksum
  }

  /** Entries in order; the newest ones when `from` is absent. */
  async replay(from?: number, limit = MAX_REPLAY): Promise<Output<'ReplayResult'>> {
    const size = await this.#size()
    const count = Math.min(limit, MAX_REPLAY)
    const start = from ?? Math.max(0, size - count)
    const entries: Output<'LineageEntry'>[] = []
    for await (const { seq, checksum, timestamp } of this.#entries(start, Math.min(size, start + count))) {
      entries.push({ seq, checksum, timestamp })
    }
    return { entries, truncated: start > 0 }
  }

  /** Number of entries, including every write acknowledged before this call. */
  #size(): Promise<number> {
    return this.graphStore.replica.read((_, size) => size)
  }

  async *#entries(from: number, to: number): AsyncGenerator<Entry> {
    for await (const row of readRows(this.graphStore.log, from)) {
      if (row.seq >= to) return
      yield readEntry(row)
    }
  }

  /** Writes all public entries as JSON. With the genesis the file can be verified. */
  async exportLog(path: string): Promise<Output<'ExportResult'>> {
    const size = await this.#size()
    // Exports run one after the other, so that of two exports to one file the later one wins.
    const mine = this.#exporting.then(async () => {
      const collected = await this.collect(size)
      await this.#ports.writeFile(path, collected.content)
      return collected
    })
    this.#exporting = mine.then(
      () => {},
      () => {},
    )
    const { count, head, checksum } = await mine
    return { status: 'ok', path, checksum, count, head }
  }

  /** The export file of the first `size` entries. */
  collect(size: number): Promise<ExportFile> {
    return collectExport(this.graphStore.log.genesis, this.#entries(0, size))
  }

  prove(seq: number, size?: number): Promise<InclusionProof> {
    return proveInclusion(this.graphStore.log, seq, size)
  }

  /** Verifies every checksum and payload hash with code that is independent of the writer. */
  verify(): Promise<ChainVerdict> {
    return this.graphStore.verify()
  }

  /** What moved a node, with the topology. The schema of the tool decides what agents get of it. */
  async explain(node: EntityId): Promise<Output<'RevealedExplainResult'>> {
    const config = await this.graphStore.replica.read(({ graph }) => {
      graph.node(node)
      return graph.config
    })
    return explainNode(config, readRows(this.graphStore.log), Number(node))
  }
}
