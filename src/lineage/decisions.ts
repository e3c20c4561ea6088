import { lazyAsync } from '../kernel/async/once.ts'
import { canonicalJson } from '../kernel/encoding/canonical.ts'
import type { JsonObject } from '../kernel/encoding/json.ts'
import type { CallRecord, Recorder } from '../kernel/ports.ts'
import { isAudited } from '../kernel/record-call.ts'
import { storeFaults } from './faults.ts'
import { compareWithSeen, describeMismatch, type LogMemory, type SeenLog } from './log-memory.ts'
import { LogWriter } from './log-writer.ts'
import { isJudgingRun, newestRun } from './newest-run.ts'
import { DECISION_LOG, logOrigin } from './origin.ts'
import type { LogReader, LogStore } from './store.ts'

/** This log is never replayed: a decision is a record, not an operation. */
export const DECISION_GENESIS = canonicalJson({ kind: 'decisions', version: 1 })

/** The first entry of a log: its random salt makes the checksum, and so the origin, unlike that of any other log. */
const LOG_BEGIN = 'log.begin'

interface DecisionPorts {
  /** Called at the first decision, so that read-only commands create no file. */
  readonly open: () => Promise<LogStore>
  readonly salt: (seq: number) => string
  /** Version of the program, kept in the first entry. */
  readonly version: string
  /** RFC 3339 timestamp for the entry with this sequence number. */
  readonly time: (seq: number) => string
  readonly memory?: LogMemory
  /** Gets a note when the log is not the one that this machine saw last. */
  readonly warn?: (message: string) => void
}

const MAX_ATTEMPTS = 100

/** The fix for a log of decisions that is not the one that this machine saw. */
export const ADOPT_DECISIONS = `Restore it from a backup. If you replaced or removed it yourself, run \`warrant lineage adopt --graph ${DECISION_LOG}\`.`

/** What an entry keeps of a call: never arguments or contents. */
const auditedFacts = ({ tool, outcome, code, verdict, args }: CallRecord): JsonObject => ({
  tool,
  outcome,
  ...(code !== undefined && { code }),
  ...(verdict !== undefined && { verdict }),
  ...(args !== undefined && { args }),
})

/** Records each decision and each effect as an entry of a lineage, so that it can be verified later. */
export class DecisionRecorder implements Recorder {
  readonly #ports: DecisionPorts
  readonly #opened = lazyAsync(() => this.#open())
  #queue: Promise<unknown> = Promise.resolve()
  /** Number of the newest entry of a gate run; each entry names it, so that it is found without a search. */
  #lastRun: number | null = null

  constructor(ports: DecisionPorts) {
    this.#ports = ports
  }

  record(call: CallRecord): undefined | Promise<JsonObject | undefined> {
    if (!isAudited(call)) return
    const written = this.#queue.then(() => this.#append(call))
    this.#queue = written.catch(() => {})
    return written
  }

  async close(): Promise<void> {
    await this.#queue
    await (await this.#opened.peek())?.store.close()
  }

  async #open() {
    const store = await this.#ports.open()
    try {
      const log = await store.open(DECISION_LOG, DECISION_GENESIS)
      const { size } = await log.head()
      const lost = await this.#checkMemory(log, size)
      const writer = await LogWriter.open(log, this.#ports.salt, size)
      this.#lastRun = await newestRun(log, size)
      if (size === 0) await this.#begin(writer)
      return { store, lost, writer, origin: await logOrigin(DECISION_LOG, log) }
    } catch (cause) {
      await store.close()
      throw cause
    }
  }

  /** A log that was cut or rewritten is a fault. One that is gone is begun again; its end is returned, to be kept. */
  async #checkMemory(log: LogReader, size: number): Promise<SeenLog['lost']> {
    const { memory, warn } = this.#ports
    const seen = await memory?.read()
    if (seen === undefined) {
      if (size > 0 && memory !== undefined)
        warn?.(`the log of decisions is new to this machine; it is continued after its ${size} entries.`)
      return undefined
    }
    const { lost, ...newest } = seen
    if (size === 0 && newest.size > 0) {
      warn?.(
        `the log of decisions is gone, of which this machine saw ${newest.size} entries; a new log was started. ${ADOPT_DECISIONS}`,
      )
      return newest
    }
    const outcome = await compareWithSeen(log, newest)
    if (outcome !== 'grown')
      throw storeFaults.changed(describeMismatch(outcome, newest), { fix: ADOPT_DECISIONS })
    return lost
  }

  /** Logs of earlier versions lack this entry: their origin comes from their first decision. */
  async #begin(writer: LogWriter): Promise<void> {
    const { version } = this.#ports
    // When another process wrote first, the log has its beginning.
    if (!(await this.#commit(writer, LOG_BEGIN, { tool: LOG_BEGIN, version }))) await this.#follow(writer)
  }

  /** Verifies the entries of other processes and moves past them. */
  async #follow(writer: LogWriter): Promise<void> {
    for await (const { row } of writer.follow()) if (isJudgingRun(row)) this.#lastRun = row.seq
  }

  /** Adds an entry. False when another process wrote first. */
  async #commit(writer: LogWriter, operation: string, payload: JsonObject): Promise<boolean> {
    const timestamp = this.#ports.time(writer.size)
    const named = { ...payload, last_run: this.#lastRun }
    const draft = {
      operation,
      tick: 0,
      timestamp,
      payload: (salt: string) => canonicalJson({ salt, ...named }),
    }
    const batch = writer.prepare([draft])
    if (!(await writer.commit(batch))) return false
    for (const row of batch.rows) if (isJudgingRun(row)) this.#lastRun = row.seq
    return true
  }

  async #append(call: CallRecord): Promise<JsonObject | undefined> {
    const { tool, attach, stored } = call
    const { writer, lost, origin } = await this.#opened.get()
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const receipt = await attach?.({ origin, index: writer.size })
      const payload = { ...auditedFacts(call), ...(receipt && { receipt }) }
      if (await this.#commit(writer, tool, payload)) {
        await this.#ports.memory?.write({ size: writer.size, head: writer.link, ...(lost && { lost }) })
        await stored?.()
        return receipt
      }
      await this.#follow(writer)
    }
    throw storeFaults.busy(`other processes wrote first in ${MAX_ATTEMPTS} attempts`)
  }
}
