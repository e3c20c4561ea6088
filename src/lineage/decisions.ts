import { lazyAsync } from '../kernel/async/once.ts'
import { canonicalJson } from '../kernel/encoding/canonical.ts'
import type { CallRecord, Recorder } from '../kernel/ports.ts'
import { storeFaults } from './faults.ts'
import { LogWriter } from './log-writer.ts'
import type { LogStore } from './store.ts'

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
}

const MAX_ATTEMPTS = 100

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
      return { store, writer: await LogWriter.open(log, this.#ports.salt, size) }
    } catch (cause) {
      await store.close()
      throw cause
    }
  }

  async #append({ tool, verdict = {} }: CallRecord): Promise<void> {
    const { writer } = await this.#opened.get()
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const draft = {
        operation: tool,
        tick: 0,
        timestamp: this.#ports.time(writer.size),
        payload: (salt: string) => canonicalJson({ salt, tool, verdict }),
      }
      if (await writer.commit(writer.prepare([draft]))) return
      // Another process wrote first: verify its entries and move past them.
      for await (const _ of writer.follow());
    }
    throw storeFaults.busy(`other processes wrote first in ${MAX_ATTEMPTS} attempts`)
  }
}
