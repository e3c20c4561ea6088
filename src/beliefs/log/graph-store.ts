import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import type { JsonObject } from '../../kernel/encoding/json.ts'
import { Fault } from '../../kernel/fault.ts'
import type { Log } from '../../kernel/ports.ts'
import { LogWriter } from '../../lineage/log-writer.ts'
import type { LineageLog, LogStore, Snapshot } from '../../lineage/store.ts'
import { Graph, type GraphConfig } from '../graph/graph.ts'
import type { Erasure } from '../graph/operation.ts'
import type { Committed } from './batch.ts'
import { GraphState } from './graph-state.ts'
import { Replica } from './replica.ts'
import type { TimestampSource } from './timestamps.ts'

export interface GraphStoreOptions {
  readonly store: LogStore
  readonly name: string
  readonly config: GraphConfig
  /** Which clock the entries carry; part of the genesis. */
  readonly clockMode: 'wall' | 'deterministic'
  readonly timestamps: TimestampSource
  readonly salt: (seq: number) => string
  readonly logger: Log
  /** Entries between two snapshots, and between two recounts. */
  readonly snapshotEvery: number
}

export const graphGenesis = (config: GraphConfig, clockMode: string): string =>
  canonicalJson({ ...config, pool: String(config.pool), clock: clockMode, version: 1 })

/** State and place after the newest snapshot that can be used, or at the very beginning. */
const startState = async (log: LineageLog, options: GraphStoreOptions): Promise<[GraphState, LogWriter]> => {
  const { config, salt, logger } = options
  for (const { size, bytes } of await log.snapshots()) {
    try {
      const writer = await LogWriter.open(log, salt, size)
      const state = GraphState.restore(config, bytes, writer.link)
      // It is whole, but it may be the picture of a graph that was already wrong.
      if (state !== undefined && state.graph.auditAll() <= config.epsilon) return [state, writer]
    } catch (thrown) {
      // Whatever is wrong with it or around it, the log itself says more; unless nobody answers.
      if (thrown instanceof Fault && thrown.kind === 'unavailable') throw thrown
    }
    logger.write('warn', 'snapshot passed over', { size })
  }
  return [new GraphState(new Graph(config)), await LogWriter.open(log, salt)]
}

// A snapshot costs what the graph's size asks. Taken ever less often, they cost every entry the same.
const GROWTH_DIVISOR = 2
/** Commits between two counts of all energy. It looks at every node once, and at nothing else. */
const RECOUNT_EVERY = 1_000

/** Keeps one graph: opens it, snapshots it, and puts it right when its books do not agree. */
export class GraphStore {
  readonly replica: Replica
  readonly log: LineageLog
  readonly #options: GraphStoreOptions
  readonly #state: GraphState
  readonly #writer: LogWriter
  #snapshotAt: number
  #auditedAt: number
  #countedSize: number
  #commits = 0
  #cycles = 0
  #correcting = false

  private constructor(options: GraphStoreOptions, log: LineageLog, state: GraphState, writer: LogWriter) {
    this.#options = options
    this.log = log
    this.#state = state
    this.#writer = writer
    this.#snapshotAt = writer.size
    this.#auditedAt = writer.size
    this.#countedSize = writer.size
    const { timestamps, logger } = options
    this.replica = new Replica({
      writer,
      state,
      timestamps,
      logger,
      skipErased: () => this.#skipErased(),
      onIdle: () => this.#onIdle(),
    })
  }

  static async open(options: GraphStoreOptions): Promise<GraphStore> {
    const { store, name, config, clockMode } = options
    const log = await store.open(name, graphGenesis(config, clockMode))
    const graphStore = new GraphStore(options, log, ...(await startState(log, options)))
    await graphStore.replica.read(() => undefined)
    return graphStore
  }

  get size(): number {
    return this.#writer.size
  }

  /** Checksum of the newest entry; of the genesis while there is none. */
  get head(): string {
    return this.#writer.link
  }

  async close(): Promise<void> {
    await this.replica.close()
    if (this.size > this.#snapshotAt) await this.#snapshot()
  }

  /**
   * Forgets what an entry was made from. That it was erased, and why, is an entry itself; the outcome of what
   * is gone lives on in a snapshot, and no older one stays.
   */
  async erase(erasure: Erasure): Promise<Committed> {
    const done = await this.replica.submit({ op: 'lineage.erase', args: erasure })
    await this.replica.idle()
    const snapshot = this.#takeSnapshot()
    await this.log.erase(erasure.seq, snapshot)
    this.#snapshotAt = snapshot.size
    return done
  }

  async #skipErased(): Promise<boolean> {
    const [state, writer] = await startState(this.log, this.#options)
    if (writer.size <= this.size) return false
    this.#state.copyFrom(state)
    this.#writer.copyFrom(writer)
    return true
  }

  #takeSnapshot(): Snapshot {
    return { size: this.size, bytes: this.#state.serialize(this.head) }
  }

  async #snapshot(): Promise<void> {
    const snapshot = this.#takeSnapshot()
    await this.log.saveSnapshot(snapshot)
    this.#snapshotAt = snapshot.size
  }

  /** Counts everything anew, unless that has been done of late. Drift it finds is put right afterwards. */
  auditIfStale(): void {
    if (this.size - this.#auditedAt >= this.#options.snapshotEvery) this.#audit()
  }

  #audit(): number {
    this.#auditedAt = this.size
    return this.#state.graph.auditAll()
  }

  /** Whether the energy is to be counted again: so many commits have come, ours and others'. */
  #isRecountDue(): boolean {
    if (this.size === this.#countedSize) return false
    this.#countedSize = this.size
    this.#commits += 1
    if (this.#commits < RECOUNT_EVERY) return false
    this.#commits = 0
    return true
  }

  #onIdle(): void | Promise<void> {
    const due =
      this.size - this.#snapshotAt >= Math.max(this.#options.snapshotEvery, this.size / GROWTH_DIVISOR)
    const { graph } = this.#state
    const drift = due ? this.#audit() : this.#isRecountDue() ? graph.recountEnergy() : graph.drift()
    if (drift > this.#options.config.epsilon) return this.#correct(drift)
    if (due) return this.#trySnapshot()
  }

  /** Losing one loses nothing: the next is tried when as many entries have come again. */
  async #trySnapshot(): Promise<void> {
    try {
      await this.#snapshot()
    } catch (thrown) {
      this.#snapshotAt = this.size
      this.#options.logger.write('warn', 'snapshot not kept', { cause: String(thrown) })
    }
  }

  /** Rebuilds the graph from the log; our copy of it is wrong, the log is what happened. */
  async #correct(before: number): Promise<void> {
    if (this.#correcting) return
    this.#correcting = true
    this.#cycles += 1
    const { config, logger } = this.#options
    logger.write('warn', 'books do not agree', { drift: before })
    try {
      const [shadow, writer] = await startState(this.log, this.#options)
      for await (const { entry, row } of writer.follow()) {
        if (entry.seq >= this.size) break
        shadow.replay(entry, row.payload)
      }
      const after = shadow.graph.auditAll()
      if (after > config.epsilon) return await this.replica.stopWriting('the rebuilt graph drifts too')
      this.#state.graph = shadow.graph
      const args: JsonObject = {
        pre_delta: before,
        attempted_correction: before - after,
        post_delta: after,
        status: 'success',
        cycle_number: this.#cycles,
      }
      void this.replica.submit({ op: 'governor.correction', args }).catch(() => {})
    } catch (cause) {
      await this.replica.stopWriting(`the graph could not be rebuilt: ${String(cause)}`)
    } finally {
      this.#correcting = false
    }
  }
}
