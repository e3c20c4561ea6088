import { lazyAsync } from '../kernel/async/once.ts'
import { canonicalJson } from '../kernel/encoding/canonical.ts'
import type { CallRecord, Recorder } from '../kernel/ports.ts'
import { storeFaults } from './faults.ts'
import { LogWriter } from './log-writer.ts'
import type { LogStore } from './store.ts'

/** The log that decisions go to, beside the graphs in the same store. */
export const DECISION_LOG = 'gate-decisions'
/** Nothing in it is done again: a decision is a fact, not an operation. */
export const DECISION_GENESIS = canonicalJson({ kind: 'decisions', version: 1 })

interface DecisionPorts {
  /** Opened with the first decision and not before: whoever only reads leaves no file behind. */
  readonly open: () => Promise<LogStore>
  readonly salt: (seq: number) => string
  /** RFC 3339, for the entry with this number. */
  readonly time: (seq: number) => string
}

const MAX_ATTEMPTS = 100

/** Writes each decision down as an entry of a lineage, so that it can be verified who was told what, and when. */
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
      // Another process was first: its entries are checked on the way past them.
      for await (const _ of writer.follow());
    }
    throw storeFaults.busy(`another process was first ${MAX_ATTEMPTS} times`)
  }
}
