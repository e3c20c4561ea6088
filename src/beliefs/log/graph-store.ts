import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import type { JsonObject } from '../../kernel/encoding/json.ts'
import { Fault } from '../../kernel/fault.ts'
import type { Log as Diary } from '../../kernel/ports.ts'
import { Scribe } from '../../lineage/log-writer.ts'
import type { Log, LogStore, Snapshot } from '../../lineage/store.ts'
import { Graph, type GraphConfig } from '../graph/graph.ts'
import type { Erasure } from '../graph/operation.ts'
import type { Committed } from './batch.ts'
import { State } from './graph-state.ts'
import { Replica } from './replica.ts'
import type { Stamper } from './timestamps.ts'

export interface KeeperOptions {
  readonly store: LogStore
  readonly name: string
  readonly config: GraphConfig
  /** Which clock the entries carry; part of the genesis. */
  readonly clockMode: 'wall' | 'deterministic'
  readonly stamp: Stamper
  readonly salt: (seq: number) => string
  readonly diary: Diary
  /** Entries between two snapshots, and between two recounts. */
  readonly every: number
}

export const genesisOf = (config: GraphConfig, clockMode: string): string =>
  canonicalJson({ ...config, pool: String(config.pool), clock: clockMode, version: 1 })

/** State and place after the newest snapshot that can be used, or at the very beginning. */
const startState = async (log: Log, options: KeeperOptions): Promise<[State, Scribe]> => {
  const { config, salt, diary } = options
  for (const { size, bytes } of await log.snapshots()) {
    try {
      const scribe = await Scribe.open(log, salt, size)
      const state = State.restore(config, bytes, scribe.link)
      // It is whole, but it may be the picture of a graph that was already wrong.
      if (state !== undefined && state.graph.recount() <= config.epsilon) return [state, scribe]
    } catch (thrown) {
      // Whatever is wrong with it or around it, the log itself says more; unless nobody answers.
      if (thrown instanceof Fault && thrown.kind === 'unavailable') throw thrown
    }
    diary.write('warn', 'snapshot passed over', { size })
  }
  return [new State(new Graph(config)), await Scribe.open(log, salt)]
}

// A snapshot costs what the graph's size asks. Taken ever less often, they cost every entry the same.
const SPARSE = 2
/** Commits between two counts of all energy. It looks at every node once, and at nothing else. */
const AUDIT_EVERY = 1_000

/** Keeps one graph: opens it, snapshots it, and puts it right when its books do not agree. */
export class Keeper {
  readonly replica: Replica
  readonly log: Log
  readonly #options: KeeperOptions
  readonly #state: State
  readonly #scribe: Scribe
  #snapshotAt: number
  #recountAt: number
  #weighedAt: number
  #commits = 0
  #cycles = 0
  #correcting = false

  private constructor(options: KeeperOptions, log: Log, state: State, scribe: Scribe) {
    this.#options = options
    this.log = log
    this.#state = state
    this.#scribe = scribe
    this.#snapshotAt = scribe.size
    this.#recountAt = scribe.size
    this.#weighedAt = scribe.size
    const { stamp, diary } = options
    this.replica = new Replica({
      scribe,
      state,
      stamp,
      diary,
      skipErased: () => this.#skipErased(),
      rested: () => this.#rested(),
    })
  }

  static async open(options: KeeperOptions): Promise<Keeper> {
    const { store, name, config, clockMode } = options
    const log = await store.open(name, genesisOf(config, clockMode))
    const keeper = new Keeper(options, log, ...(await startState(log, options)))
    await keeper.replica.read(() => undefined)
    return keeper
  }

  get size(): number {
    return this.#scribe.size
  }

  /** Checksum of the newest entry; of the genesis while there is none. */
  get head(): string {
    return this.#scribe.link
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
    const [state, scribe] = await startState(this.log, this.#options)
    if (scribe.size <= this.size) return false
    this.#state.moveTo(state)
    this.#scribe.moveTo(scribe)
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
  recountStale(): void {
    if (this.size - this.#recountAt >= this.#options.every) this.#recount()
  }

  #recount(): number {
    this.#recountAt = this.size
    return this.#state.graph.recount()
  }

  /** Whether the energy is to be counted again: so many commits have come, ours and others'. */
  #mustWeigh(): boolean {
    if (this.size === this.#weighedAt) return false
    this.#weighedAt = this.size
    this.#commits += 1
    if (this.#commits < AUDIT_EVERY) return false
    this.#commits = 0
    return true
  }

  #rested(): void | Promise<void> {
    const due = this.size - this.#snapshotAt >= Math.max(this.#options.every, this.size / SPARSE)
    const { graph } = this.#state
    const drift = due ? this.#recount() : this.#mustWeigh() ? graph.weigh() : graph.drift()
    if (drift > this.#options.config.epsilon) return this.#correct(drift)
    if (due) return this.#trySnapshot()
  }

  /** Losing one loses nothing: the next is tried when as many entries have come again. */
  async #trySnapshot(): Promise<void> {
    try {
      await this.#snapshot()
    } catch (thrown) {
      this.#snapshotAt = this.size
      this.#options.diary.write('warn', 'snapshot not kept', { cause: String(thrown) })
    }
  }

  /** Rebuilds the graph from the log; our copy of it is wrong, the log is what happened. */
  async #correct(before: number): Promise<void> {
    if (this.#correcting) return
    this.#correcting = true
    this.#cycles += 1
    const { config, diary } = this.#options
    diary.write('warn', 'books do not agree', { drift: before })
    try {
      const [shadow, scribe] = await startState(this.log, this.#options)
      for await (const { entry, row } of scribe.follow()) {
        if (entry.seq >= this.size) break
        shadow.replay(entry, row.payload)
      }
      const after = shadow.graph.recount()
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
