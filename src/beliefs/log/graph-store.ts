import { nextTurn } from '../../kernel/async/cooperative.ts'
import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import type { JsonObject } from '../../kernel/encoding/json.ts'
import { Fault } from '../../kernel/fault.ts'
import type { Log } from '../../kernel/ports.ts'
import { auditLog } from '../../lineage/audit.ts'
import { UNREADABLE_STORE } from '../../lineage/faults.ts'
import { compareWithSeen, describeMismatch, type LogMemory, type SeenLog } from '../../lineage/log-memory.ts'
import { LogWriter } from '../../lineage/log-writer.ts'
import { readRows } from '../../lineage/read-rows.ts'
import type { LineageLog, LogStore, Snapshot } from '../../lineage/store.ts'
import type { ChainVerdict } from '../../lineage/verify.ts'
import { Graph, type GraphConfig } from '../graph/graph.ts'
import type { Erasure } from '../graph/operation.ts'
import type { Committed } from './batch.ts'
import { GraphState } from './graph-state.ts'
import { Replica } from './replica.ts'
import type { TimestampSource } from './timestamps.ts'
import { verifyReplay } from './verify-replay.ts'

interface GraphStoreOptions {
  readonly store: LogStore
  readonly name: string
  readonly config: GraphConfig
  /** Clock that gives entries their timestamps; part of the genesis. */
  readonly clockMode: 'wall' | 'deterministic'
  readonly timestamps: TimestampSource
  readonly salt: (seq: number) => string
  readonly logger: Log
  /** Minimum number of entries between two snapshots, and between two full audits. */
  readonly snapshotEvery: number
  /** Damage stops writing in this process and is not stored. */
  readonly readOnly?: boolean
  /** What this machine saw of the log; absent for a store in memory. */
  readonly memory?: LogMemory
}

const graphGenesis = (config: GraphConfig, clockMode: string): string =>
  canonicalJson({ ...config, pool: String(config.pool), clock: clockMode, version: 1 })

/** State and log position from the newest usable snapshot; the empty graph when there is none. */
const startState = async (log: LineageLog, options: GraphStoreOptions): Promise<[GraphState, LogWriter]> => {
  const { config, salt, logger } = options
  for (const { size, bytes } of await log.snapshots()) {
    try {
      const writer = await LogWriter.open(log, salt, size)
      const state = GraphState.restore(config, bytes, writer.link)
      await nextTurn()
      // The bytes are intact, but the graph may already have drifted when the snapshot was taken.
      if (state !== undefined && state.graph.auditAll() <= config.epsilon) return [state, writer]
    } catch (thrown) {
      // A damaged snapshot is not fatal: the log can replace it. An unavailable store is.
      if (thrown instanceof Fault && thrown.kind === 'unavailable') throw thrown
    }
    logger.write('warn', 'snapshot skipped', { size })
  }
  return [new GraphState(new Graph(config)), await LogWriter.open(log, salt)]
}

// The cost of a snapshot grows with the graph. Waiting until the log has doubled makes the cost per entry constant.
const GROWTH_DIVISOR = 2
/** Commits between two recounts of the energy of all nodes. */
const RECOUNT_EVERY = 1_000

/** One graph and its log: opens it, takes snapshots, and rebuilds the graph from the log when it drifts. */
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
  /** When a person accepted the log, as far as this process knows. */
  #adopted: number | undefined
  /** Entries before this one were trusted because of a snapshot. */
  readonly #trusted: number
  #correcting = false

  private constructor(options: GraphStoreOptions, log: LineageLog, state: GraphState, writer: LogWriter) {
    this.#options = options
    this.log = log
    this.#state = state
    this.#writer = writer
    this.#snapshotAt = writer.size
    this.#auditedAt = writer.size
    this.#countedSize = writer.size
    this.#trusted = writer.size
    const { timestamps, logger, readOnly = false, memory } = options
    this.replica = new Replica({
      writer,
      state,
      timestamps,
      logger,
      readOnly,
      skipErased: () => this.#skipErased(),
      reload: () => this.#reloadAdopted(),
      verifyTrusted: () => this.#verifyTrusted(),
      noteSeen: (newest) => memory?.note(newest),
      onIdle: () => this.#onIdle(),
    })
  }

  static async open(options: GraphStoreOptions): Promise<GraphStore> {
    const { store, name, config, clockMode } = options
    const log = await store.open(name, graphGenesis(config, clockMode))
    const graphStore = new GraphStore(options, log, ...(await startState(log, options)))
    await graphStore.replica.read(() => undefined)
    await graphStore.compareWithSeen()
    return graphStore
  }

  /** Puts a log into quarantine that is not the one which this machine saw. Returns why. */
  async compareWithSeen(): Promise<string | undefined> {
    const seen = await this.#options.memory?.read()
    this.#adopted = seen?.adopted
    const why = seen && (await this.#findMismatch(seen))
    if (why !== undefined) await this.replica.stopWriting(why)
    return why
  }

  async #findMismatch(seen: SeenLog): Promise<string | undefined> {
    try {
      const outcome = await compareWithSeen(this.log, seen)
      return outcome === 'grown' ? undefined : describeMismatch(outcome, seen)
    } catch (thrown) {
      if (thrown instanceof Fault && thrown.kind === 'corrupt') return thrown.message
      throw thrown
    }
  }

  /** Starts from the log as it is, when a person accepted it since. */
  async #reloadAdopted(): Promise<void> {
    const { memory } = this.#options
    const adopted = (await memory?.read())?.adopted
    if (adopted === this.#adopted) return
    this.#adopted = adopted
    const [state, writer] = await startState(this.log, this.#options)
    this.#state.copyFrom(state)
    this.#writer.copyFrom(writer)
  }

  /** Verifies what the start took from a snapshot: why the log is damaged, or undefined. */
  async #verifyTrusted(): Promise<string | undefined> {
    if (this.#trusted === 0) return undefined
    const { chain } = await auditLog(this.log)
    return chain.outcome === 'broken' ? chain.why : undefined
  }

  /** Verifies the whole log, and stops writing where it finds damage. */
  async verify(): Promise<ChainVerdict> {
    const { chain } = await auditLog(this.log)
    if (chain.outcome === 'broken') {
      await this.replica.stopWriting(chain.why)
      return chain
    }
    const why = await this.compareWithSeen()
    return why === undefined ? chain : { outcome: 'broken', at: chain.size, why }
  }

  /**
   * Ends a quarantine whose reason was that the file could not be read, when all of it verifies now. The repair becomes
   * an entry of the log. Any other reason stays until the operator runs `log repair`.
   */
  async liftReadFailure(): Promise<void> {
    const { replica, log } = this
    if (replica.quarantine !== UNREADABLE_STORE || replica.isStuck) return
    const { chain } = await auditLog(log)
    if (chain.outcome === 'broken') return
    const { outcome } = await verifyReplay(this.#options.config, readRows(log))
    if (outcome === 'differs') return
    await replica.submit({ op: 'lineage.repair', args: { reason: UNREADABLE_STORE } })
    await log.setQuarantine(null)
    this.#options.logger.write('warn', 'quarantine ended, because the whole log verifies', {
      reason: UNREADABLE_STORE,
    })
  }

  get size(): number {
    return this.#writer.size
  }

  /** Checksum of the newest entry, or of the genesis in an empty log. */
  get head(): string {
    return this.#writer.link
  }

  async close(): Promise<void> {
    await this.replica.close()
    if (this.size > this.#snapshotAt) await this.#snapshot()
  }

  /**
   * Erases the payload of an entry. The erasure and its reason are recorded as a new entry. A new snapshot keeps the
   * effect of the erased operation, and all older snapshots are deleted because they may hold the erased data.
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

  /** Runs a full audit unless one was made recently. Drift is corrected later, in `#onIdle`. */
  auditIfStale(): void {
    if (this.size - this.#auditedAt >= this.#options.snapshotEvery) this.#audit()
  }

  #audit(): number {
    this.#auditedAt = this.size
    return this.#state.graph.auditAll()
  }

  /** Counts commits, ours and other processes', and is true at every `RECOUNT_EVERY`th. */
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

  /** A failed snapshot is only logged: the log holds everything, and the next interval tries again. */
  async #trySnapshot(): Promise<void> {
    try {
      await this.#snapshot()
    } catch (thrown) {
      this.#snapshotAt = this.size
      this.#options.logger.write('warn', 'snapshot not saved', { cause: String(thrown) })
    }
  }

  /** Rebuilds the graph from the log, which is the source of truth. */
  async #correct(before: number): Promise<void> {
    if (this.#correcting) return
    this.#correcting = true
    this.#cycles += 1
    const { config, logger } = this.#options
    logger.write('warn', 'energy is not conserved', { drift: before })
    try {
      const [shadow, writer] = await startState(this.log, this.#options)
      for await (const { entry, row } of writer.follow()) {
        if (entry.seq >= this.size) break
        shadow.replay(entry, row.payload)
      }
      const after = shadow.graph.auditAll()
      if (after > config.epsilon)
        return await this.replica.stopWriting('the graph still drifts after it was rebuilt from the log')
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
