import { createHash, hash } from 'node:crypto'
import * as z from 'zod'
import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import type { Entry } from '../../lineage/entry.ts'
import { storeFaults } from '../../lineage/faults.ts'
import { Graph, type GraphConfig } from '../graph/graph.ts'
import { execute, type Operation, type OperationResult } from '../graph/operation.ts'

/** What is known of a node beside the physics. Kept out of everything an agent sees of the topology. */
export interface NodeClaim {
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
  /** Time of the newest entry, in milliseconds; 0 before the first. */
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

  /** Remembers what a new node stands for, or forgets it. Returns the way back when there is one to go. */
  #updateClaims({ op, args }: Operation): (() => void) | undefined {
    if (op === 'lineage.erase' && args.node !== undefined) return this.#forgetClaim(args.node)
    if (op !== 'node.create') return undefined
    const { claim, evidence } = args
    if (claim === undefined && evidence === undefined) return undefined
    const node = this.graph.nodeCount - 1
    this.claims.set(node, {
      ...(claim !== undefined && { claim }),
      ...(evidence !== undefined && { evidence }),
    })
    return () => this.claims.delete(node)
  }

  #forgetClaim(node: number): (() => void) | undefined {
    const known = this.claims.get(node)
    this.claims.delete(node)
    return known && (() => this.claims.set(node, known))
  }

  /** Becomes what another is. */
  copyFrom({ graph, newestTime, claims }: GraphState): void {
    this.graph = graph
    this.newestTime = newestTime
    this.claims.clear()
    for (const [node, claim] of claims) this.claims.set(node, claim)
  }

  /** Does again what an entry says was done, and holds the outcome against what it recorded. */
  replay(entry: Entry, payload: string | null): void {
    const damaged = (why: string, cause?: unknown) =>
      storeFaults.damaged(`entry ${entry.seq} ${why}`, { cause, detail: { seq: entry.seq } })
    if (payload === null) throw damaged('has been erased and cannot be carried out again')
    if (hash('sha256', payload) !== entry.payload_hash) {
      throw damaged('has another payload than was recorded')
    }
    let recorded: z.infer<typeof Payload>
    let done: OperationResult
    try {
      recorded = Payload.parse(JSON.parse(payload))
      const { op, args } = recorded
      done = this.execute({ op, args } as unknown as Operation, Date.parse(entry.timestamp))
    } catch (cause) {
      throw damaged('cannot be carried out again', cause)
    }
    const { result, delta } = recorded
    const same =
      done.delta === delta &&
      canonicalJson(done.result) === canonicalJson(result) &&
      this.graph.tick === entry.tick
    if (same) return
    done.undo()
    throw damaged('did something else when carried out again')
  }

  /** All of it in bytes that notice damage. `link` ties it to the entry it follows. */
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

  /** The state in a snapshot that follows `link`; undefined when it is damaged or belongs elsewhere. */
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
