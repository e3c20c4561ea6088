import { lazyAsync } from '../kernel/async/once.ts'
import { canonicalJson } from '../kernel/encoding/canonical.ts'
import type { CallRecord, Recorder } from '../kernel/ports.ts'
import { storeFaults } from './faults.ts'
import { compareWithSeen, describeSeen, type LogMemory, type SeenLog } from './log-memory.ts'
import { LogWriter } from './log-writer.ts'
import type { LogReader, LogStore } from './store.ts'

/** Name of the log of gate decisions, in the same store as the graphs. */
export const DECISION_LOG = 'gate-decisions'
/** This log is never replayed: a decision is a record, not an operation. */
export const DECISION_GENESIS = canonicalJson({ kind: 'decisions', version: 1 })

interface DecisionPorts {
  /** Called at the first decision, so that read-only commands create no file. */
  readonly open: () => Promise<LogStore>
  readonly salt: (seq: number) => string
  /** RFC 3339 timestamp for the entry with this sequence number. */
  readonly time: (seq: number) => string
  readonly memory?: LogMemory
  /** Gets a note when the log is not the one that this machine saw last. */
  readonly warn?: (message: string) => void
}

const MAX_ATTEMPTS = 100

/** The fix for a log of decisions that is not the one that this machine saw. */
export const ADOPT_DECISIONS = `Restore it from a backup. If you replaced or removed it yourself, run \`warrant lineage adopt --graph ${DECISION_LOG}\`.`

/** Records each decision as an entry of a lineage, so that it can be verified later. */
export class DecisionRecorder implements Recorder {
  readonly #ports: DecisionPorts
  readonly #opened = lazyAsync(() => this.#open())
  #queue: Promise<unknown> = Promise.resolve()

  constructor(ports: DecisionPorts) {
    this.#ports = ports
  }

  record(call: CallRecord): void | Promise<void> {
    if (call.verdict === undefined) return
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
      return { store, lost, writer: await LogWriter.open(log, this.#ports.salt, size) }
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
      throw storeFaults.changed(describeSeen(outcome, newest), { fix: ADOPT_DECISIONS })
    return lost
  }

  async #append({ tool, verdict = {} }: CallRecord): Promise<void> {
    const { writer, lost } = await this.#opened.get()
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const draft = {
        operation: tool,
        tick: 0,
        timestamp: this.#ports.time(writer.size),
        payload: (salt: string) => canonicalJson({ salt, tool, verdict }),
      }
      if (await writer.commit(writer.prepare([draft])))
        return this.#ports.memory?.write({ size: writer.size, head: writer.link, ...(lost && { lost }) })
      // Another process wrote first: verify its entries and move past them.
      for await (const _ of writer.follow());
    }
    throw storeFaults.busy(`other processes wrote first in ${MAX_ATTEMPTS} attempts`)
  }
}
