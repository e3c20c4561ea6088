import { createHash, hash } from 'node:crypto'
import * as z from 'zod'
import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import { optional } from '../../kernel/optional.ts'
import { storeFaults } from '../../lineage/faults.ts'
import type { Entry } from '../../lineage/store.ts'
import { Graph, type GraphConfig } from '../graph/graph.ts'
import { execute, type Operation, type OperationResult } from '../graph/operation.ts'

/** Text of a node beside its numbers. Never part of the topology that agents are shown. */
interface NodeClaim {
  readonly claim?: string
  readonly evidence?: string
}

const Payload = z.object({
  op: z.string(),
  args: z.record(z.string(), z.json()),
  result: z.record(z.string(), z.json()),
  delta: z.string(),
})

const Header = z.object({
  link: z.string(),
  at: z.number(),
  claims: z.array(
    z.object({
      node: z.int(),
      claim: z.string().exactOptional(),
      evidence: z.string().exactOptional(),
    }),
  ),
})

const LENGTH_BYTES = 4
const HASH_BYTES = 32

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** A graph and the claims of its nodes: a deterministic function of the log. */
export class GraphState {
  graph: Graph
  /** Timestamp of the newest entry in milliseconds; 0 in an empty log. */
  newestTime: number
  readonly claims: Map<number, NodeClaim>

  constructor(graph: Graph, at = 0, claims: ReadonlyMap<number, NodeClaim> = new Map()) {
    this.graph = graph
    this.newestTime = at
    this.claims = new Map(claims)
  }

  execute(operation: Operation, at: number): OperationResult {
    const before = this.newestTime
    const done = execute(this.graph, operation, at)
    const takeBack = this.#updateClaims(operation)
    this.newestTime = at
    const undo = () => {
      this.newestTime = before
      takeBack?.()
      done.undo()
    }
    return { result: done.result, delta: done.delta, undo }
  }

  /** Stores the claim of a new node, or deletes an erased one. Returns the undo function if anything changed. */
  #updateClaims({ op, args }: Operation): (() => void) | undefined {
    if (op === 'lineage.erase' && args.node !== undefined) return this.#forgetClaim(args.node)
    if (op !== 'node.create') return undefined
    const { claim, evidence } = args
    if (claim === undefined && evidence === undefined) return undefined
    const node = this.graph.nodeCount - 1
    this.claims.set(node, {
      ...optional({ claim, evidence }),
    })
    return () => this.claims.delete(node)
  }

  #forgetClaim(node: number): (() => void) | undefined {
    const known = this.claims.get(node)
    this.claims.delete(node)
    return known && (() => this.claims.set(node, known))
  }

  copyFrom({ graph, newestTime, claims }: GraphState): void {
    this.graph = graph
    this.newestTime = newestTime
    this.claims.clear()
    for (const [node, claim] of claims) this.claims.set(node, claim)
  }

  /** Executes the operation of an entry again and compares the result with the recorded one. */
  replay(entry: Entry, payload: string | null): void {
    const damaged = (why: string, cause?: unknown) =>
      storeFaults.damaged(`entry ${entry.seq} ${why}`, { cause, detail: { seq: entry.seq } })
    if (payload === null) throw damaged('was erased and cannot be replayed')
    if (hash('sha256', payload) !== entry.payload_hash) {
      throw damaged('has a payload that does not match its hash')
    }
    let recorded: z.infer<typeof Payload>
    let done: OperationResult
    try {
      recorded = Payload.parse(JSON.parse(payload))
      const { op, args } = recorded
      done = this.execute({ op, args } as unknown as Operation, Date.parse(entry.timestamp))
    } catch (cause) {
      throw damaged('cannot be replayed', cause)
    }
    const { result, delta } = recorded
    const same =
      done.delta === delta &&
      canonicalJson(done.result) === canonicalJson(result) &&
      this.graph.tick === entry.tick
    if (same) return
    done.undo()
    throw damaged('gives another result when it is replayed')
  }

  /** Snapshot bytes with a checksum. `link` is the checksum of the newest entry that the state includes. */
  serialize(link: string): Uint8Array {
    const claims = [...this.claims].map(([node, claim]) => ({ node, ...claim }))
    const header = Buffer.from(canonicalJson({ link, at: this.newestTime, claims }))
    const bytes = this.graph.serialize({ before: LENGTH_BYTES + header.length, after: HASH_BYTES })
    bytes.writeUInt32LE(header.length)
    header.copy(bytes, LENGTH_BYTES)
    const end = bytes.length - HASH_BYTES
    sha256(bytes.subarray(0, end)).copy(bytes, end)
    return bytes
  }

  /** The state of a snapshot taken at `link`; undefined when it is damaged or belongs to another entry. */
  static restore(config: GraphConfig, bytes: Uint8Array, link: string): GraphState | undefined {
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, Math.max(0, bytes.length - HASH_BYTES))
    if (body.length < LENGTH_BYTES || !sha256(body).equals(bytes.subarray(-HASH_BYTES))) return undefined
    const end = LENGTH_BYTES + body.readUInt32LE(0)
    const header = Header.parse(JSON.parse(body.subarray(LENGTH_BYTES, end).toString('utf8')))
    if (header.link !== link) return undefined
    const claims = header.claims.map(({ node, ...claim }): [number, NodeClaim] => [node, claim])
    return new GraphState(Graph.restore(config, body.subarray(end)), header.at, new Map(claims))
  }
}
