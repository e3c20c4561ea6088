import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import { defineFaults, Fault } from '../../kernel/fault.ts'
import type { Log } from '../../kernel/ports.ts'
import { storeFaults } from '../../lineage/faults.ts'
import type { LogPoint } from '../../lineage/log-memory.ts'
import type { LogWriter } from '../../lineage/log-writer.ts'
import type { EntryDraft } from '../../lineage/store.ts'
import type { Operation, OperationResult } from '../graph/operation.ts'
import { type BatchPlan, type Committed, type GraphJob, settleAll } from './batch.ts'
import type { GraphState } from './graph-state.ts'
import type { TimestampSource } from './timestamps.ts'

/**
 * The payload of an entry as canonical JSON. The outer members are written in sorted order by hand; digests, salts and
 * operation names need no escaping.
 */
export const writePayload = (operation: Operation, done: OperationResult, salt: string): string =>
  `{"args":${canonicalJson(operation.args)},"delta":"${done.delta}","op":"${operation.op}","result":${canonicalJson(done.result)},"salt":"${salt}"}`

export const replicaFaults = defineFaults('replica', {
  quarantined: {
    kind: 'corrupt',
    fix: 'Run `warrant log verify --graph NAME`: it says what is wrong, and what to do.',
  },
  contended: { kind: 'unavailable', fix: 'Other processes are writing to the same graph. Try again.' },
  closed: { kind: 'unavailable', fix: 'The server is shutting down. Start it again.' },
})

const MAX_ATTEMPTS = 1_000
// Adaptive batching: jobs that arrive while a batch is gathered share one durable commit. The three limits below were
// tuned with `npm run --prefix bench beliefs`: row "durable `node_create`, stdio, 64 in the pipe" in bench/README.md.

/** Event loop turns to gather a batch. An idle turn takes microseconds, a commit about a hundred times that. */
const MAX_GATHER_TURNS = 64
/** Idle turns to wait while the batch is still smaller than the one before. */
const MAX_IDLE_TURNS = 16
/** Above this size a larger batch no longer makes a job cheaper, and only adds latency. */
const MAX_BATCH_JOBS = 1_024

interface ReplicaOptions {
  readonly writer: LogWriter
  readonly state: GraphState
  readonly timestamps: TimestampSource
  readonly logger: Log
  readonly readOnly: boolean
  /** Skips erased entries by loading a snapshot taken after them. False when there is none. */
  readonly skipErased: () => Promise<boolean>
  /** Starts anew where a person accepted the log since: as a restored one, or as it is. */
  readonly reload: () => Promise<void>
  /** Verifies the entries that the start did not read; called before the first write. */
  readonly verifyTrusted: () => Promise<string | undefined>
  /** Remembers the newest entry outside of the store. Called before a write is acknowledged. */
  readonly noteSeen: (newest: LogPoint) => void
  /** Called after each batch, for snapshots and audits. */
  readonly onIdle: () => void | Promise<void>
}

/**
 * One process's copy of a graph. The log is the source of truth: every job first catches up with entries of other
 * processes, a write is acknowledged only when it is durable, and all jobs of a batch share one commit.
 */
export class Replica {
  readonly #options: ReplicaOptions
  #jobs: GraphJob[] = []
  #running: Promise<void> | undefined
  /** Size of the previous batch: the estimate for the next one. */
  #previousBatch = 0
  #quarantine: string | null = null
  /** The reason that a read-only process found; it is not stored. */
  #unstored: string | null = null
  #isStuck = false
  #isVerified = false
  #closed = false

  constructor(options: ReplicaOptions) {
    this.#options = options
  }

  get quarantine(): string | null {
    return this.#quarantine
  }

  /** True while an invalid entry of the log cannot be replayed. Then even `lineage.repair` is refused. */
  get isStuck(): boolean {
    return this.#isStuck
  }

  /** Puts the log into quarantine: no process can write to it until it is repaired. */
  async stopWriting(reason: string): Promise<void> {
    if (this.#quarantine === reason) return
    this.#quarantine = reason
    this.#options.logger.write('error', 'quarantined', { reason })
    if (this.#options.readOnly) this.#unstored = reason
    else await this.#options.writer.log.setQuarantine(reason)
  }

  submit(operation: Operation): Promise<Committed> {
    return this.write(operation, (done) => done)
  }

  /** Like `submit`, and passes the result through `format`. */
  write<T>(operation: Operation, format: (done: Committed) => T): Promise<T> {
    return new Promise<T>((resolve, reject) =>
      this.#enqueue({
        kind: 'write',
        operation,
        settle: (done) => resolve(format(done)),
        reject,
      }),
    )
  }

  /**
   * Runs `query` on a state that includes every write acknowledged before this call, by any process. `size` is the
   * number of entries in that state. Resolves only when those entries are durable.
   */
  read<T>(query: (state: GraphState, size: number) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const ask = (state: GraphState, entries: number) => {
        const seen = query(state, entries)
        return () => resolve(seen)
      }
      this.#enqueue({ kind: 'read', query: ask, reject })
    })
  }

  /** Resolves when no batch is running. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.idle()
  }

  #enqueue(job: GraphJob): void {
    if (this.#closed) return job.reject(replicaFaults.closed('the graph is closed'))
    this.#jobs.push(job)
    this.#running ??= this.#gather().then(() => this.#drain())
  }

  /** Waits for the end of this event loop turn, and for further turns while more jobs are expected. */
  async #gather(): Promise<void> {
    for (let turn = 0, idle = 0; turn < MAX_GATHER_TURNS && this.#jobs.length < MAX_BATCH_JOBS; turn += 1) {
      const known = this.#jobs.length
      await new Promise<void>((resolve) => setImmediate(resolve))
      if (this.#jobs.length > known) idle = 0
      else if (known >= this.#previousBatch || idle === MAX_IDLE_TURNS) return
      else idle += 1
    }
  }

  async #drain(): Promise<void> {
    while (this.#jobs.length > 0) {
      const jobs = this.#jobs
      this.#jobs = []
      this.#previousBatch = jobs.length
      try {
        await this.#serve(jobs)
      } catch (thrown) {
        for (const job of jobs) job.reject(thrown)
      }
    }
    this.#running = undefined
  }

  async #serve(jobs: readonly GraphJob[]): Promise<void> {
    const { writer } = this.#options
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      await this.#catchUp()
      if (!this.#isVerified && jobs.some(({ kind }) => kind === 'write')) await this.#verifyTrusted()
      const plan = this.#plan(jobs)
      if (plan.drafts.length === 0) {
        settleAll(jobs, plan)
        return this.#options.onIdle()
      }
      let stored = false
      try {
        stored = await writer.commit(writer.prepare(plan.drafts))
      } finally {
        if (!stored) for (const undo of plan.undo.toReversed()) undo()
      }
      if (stored) {
        this.#options.noteSeen({ size: writer.size, head: writer.link })
        settleAll(jobs, plan)
        return this.#options.onIdle()
      }
    }
    throw replicaFaults.contended(`other processes wrote first in ${MAX_ATTEMPTS} attempts`)
  }

  /** Nothing is appended to a log with a broken middle. */
  async #verifyTrusted(): Promise<void> {
    const why = await this.#options.verifyTrusted()
    if (why === undefined) this.#isVerified = true
    else await this.stopWriting(why)
  }

  /** Replays entries of other processes. An invalid entry stops all writing; the valid ones before it are kept. */
  async #catchUp(): Promise<void> {
    this.#quarantine = (await this.#options.writer.log.quarantine()) ?? this.#unstored
    let damage = await this.#findDamage()
    if (damage !== undefined) {
      await this.#options.reload()
      // What looks damaged is read a second time: a read may fail once without any damage.
      damage = await this.#findDamage()
    }
    this.#isStuck = damage !== undefined
    if (damage) await this.stopWriting(damage.message)
  }

  async #findDamage(): Promise<Fault | undefined> {
    const { writer } = this.#options
    let isBehind = true
    const atHead = await catchDamage(async () => {
      const { size, entry } = await writer.log.head()
      const isKnown = size > writer.size || entry === null || entry.includes(writer.link)
      if (size < writer.size || !isKnown) throw storeFaults.damaged('the log has lost entries it had')
      isBehind = size > writer.size
    })
    return (isBehind ? await catchDamage(() => this.#follow()) : undefined) ?? atHead
  }

  async #follow(): Promise<void> {
    const { writer, state, skipErased } = this.#options
    for await (const { entry, row } of writer.follow()) {
      if (row.payload === null && (await skipErased())) return this.#follow()
      state.replay(entry, row.payload)
    }
  }

  /** Executes the jobs in order on the local state, without storing anything yet. */
  #plan(jobs: readonly GraphJob[]): BatchPlan {
    const drafts: EntryDraft[] = []
    const undo: (() => void)[] = []
    const settles: BatchPlan['settles'][number][] = []
    const errors = new Map<number, unknown>()
    for (const job of jobs) {
      try {
        if (job.kind === 'read') {
          settles.push(job.query(this.#options.state, this.#options.writer.size + drafts.length))
        } else {
          const made = this.#execute(job.operation, drafts.length)
          drafts.push(made.draft)
          undo.push(made.undo)
          settles.push(() => job.settle(made.committed))
        }
      } catch (thrown) {
        errors.set(settles.length, thrown)
        settles.push(() => {})
      }
    }
    return { drafts, undo, settles, errors }
  }

  #execute(operation: Operation, ahead: number) {
    if (this.#quarantine !== null && (this.#isStuck || operation.op !== 'lineage.repair')) {
      throw replicaFaults.quarantined(`writing is stopped: ${this.#quarantine}`)
    }
    const { writer, state, timestamps } = this.#options
    const seq = writer.size + ahead
    const time = timestamps(seq)
    const done = state.execute(operation, time.ms)
    const draft: EntryDraft = {
      operation: operation.op,
      tick: state.graph.tick,
      timestamp: time.text,
      payload: (salt) => writePayload(operation, done, salt),
    }
    return { draft, undo: done.undo, committed: { seq, timestamp: time.text, result: done.result } }
  }
}

/** The fault when `work` failed because of damage; other errors are thrown. */
const catchDamage = async (work: () => Promise<void>): Promise<Fault | undefined> => {
  try {
    await work()
    return undefined
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.kind === 'corrupt') return thrown
    throw thrown
  }
}
