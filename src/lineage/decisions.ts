import { lazyAsync } from '../kernel/async/once.ts'
import { canonicalJson } from '../kernel/encoding/canonical.ts'
import type { JsonObject } from '../kernel/encoding/json.ts'
import { Fault } from '../kernel/fault.ts'
import { optional } from '../kernel/optional.ts'
import type { CallRecord, Recorder } from '../kernel/ports.ts'
import { isAudited } from '../kernel/record-call.ts'
import { newestAnchors } from './anchors.ts'
import { nameLog, storeFaults } from './faults.ts'
import { compareWithSeen, describeMismatch, type LogMemory } from './log-memory.ts'
import { LogWriter } from './log-writer.ts'
import { GATE_RUN, isJudging, isJudgingRun, newestRun } from './newest-run.ts'
import { DECISION_LOG, logOrigin } from './origin.ts'
import { readEntry } from './read-rows.ts'
import type { EntryDraft, LogReader, LogStore } from './store.ts'

/**
 * Size and newest checksum of each belief graph in a store. Graphs have logs of their own; with their heads in the log
 * of decisions, a proof about that log also shows that a graph was not rewritten since.
 */
const readGraphHeads = async (store: LogStore): Promise<readonly JsonObject[]> => {
  const heads: JsonObject[] = []
  for (const graph of (await store.names()).toSorted()) {
    const log = graph === DECISION_LOG ? undefined : await store.find(graph)
    const { size, entry } = (await log?.head()) ?? { size: 0, entry: null }
    if (entry !== null)
      heads.push({ graph, size, head: readEntry({ seq: size - 1, entry, payload: null }).checksum })
  }
  return heads
}

/** This log is never replayed: a decision is a record, not an operation. */
export const DECISION_GENESIS = canonicalJson({ kind: 'decisions', version: 1 })

/** The first entry of a log: its random salt makes the checksum, and so the origin, unlike that of any other log. */
const LOG_BEGIN = 'log.begin'
/** An entry that has only the heads of the graphs. */
const ANCHOR = 'lineage.anchor'
const ANCHORING: readonly string[] = [ANCHOR, GATE_RUN]

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

/** What an entry keeps of a call: never arguments or contents. */
const auditedFacts = ({ tool, outcome, code, verdict, args }: CallRecord): JsonObject => ({
  tool,
  outcome,
  ...optional({ code, verdict, args }),
})

interface OpenedLog {
  readonly store: LogStore
  readonly log: LogReader
  readonly writer: LogWriter
  readonly origin: string
}

/** A call that waits for its entry. */
interface PendingRecord {
  readonly call: CallRecord
  readonly resolve: (attached: JsonObject | undefined) => void
  readonly reject: (cause: unknown) => void
}

/** Calls that one commit records at most. */
const MAX_BATCH = 64

/**
 * Records each decision and each effect as an entry of a lineage, so that it can be verified later. Calls that end while
 * an entry is written share the next commit.
 */
export class DecisionRecorder implements Recorder {
  readonly #ports: DecisionPorts
  #opened = lazyAsync(() => this.#open())
  #pending: PendingRecord[] = []
  #writing: Promise<void> | undefined
  /** Number of the newest entry of a gate run; each entry names it, so that it is found without a search. */
  #lastRun: number | null = null

  constructor(ports: DecisionPorts) {
    this.#ports = ports
  }

  record(call: CallRecord): undefined | Promise<JsonObject | undefined> {
    return isAudited(call) ? this.#add(call) : undefined
  }

  /** Records the heads of the belief graphs in the same store, if there are any that changed since. */
  async anchor(): Promise<void> {
    const { store, log } = await this.#opened.get()
    const heads = await readGraphHeads(store)
    if (heads.length > 0 && canonicalJson(heads) !== canonicalJson(await newestAnchors(log)))
      await this.#add({ tool: ANCHOR, effect: 'write', outcome: 'answer', ms: 0 })
  }

  async close(): Promise<void> {
    await this.#writing
    await (await this.#opened.peek())?.store.close()
  }

  /** Closes the log, so that the next record opens it anew and compares it with what was seen. */
  async #reopen(): Promise<OpenedLog> {
    const former = this.#opened
    this.#opened = lazyAsync(() => this.#open())
    await (await former.peek())?.store.close()
    return this.#opened.get()
  }

  #add(call: CallRecord): Promise<JsonObject | undefined> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ call, resolve, reject })
      this.#writing ??= this.#writeAll()
    })
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, MAX_BATCH)
      try {
        await this.#write(batch)
      } catch (cause) {
        for (const { reject } of batch) reject(cause instanceof Fault ? nameLog(cause, DECISION_LOG) : cause)
      }
    }
    // In the same turn as the last look at the queue: a call that is added later starts anew.
    this.#writing = undefined
  }

  async #open(): Promise<OpenedLog> {
    const store = await this.#ports.open()
    try {
      const log = await store.open(DECISION_LOG, DECISION_GENESIS)
      const { size } = await log.head()
      const seen = await this.#checkMemory(log, size)
      const writer = await LogWriter.open(log, this.#ports.salt, seen)
      this.#lastRun = await newestRun(log, size)
      await this.#follow(writer)
      if (size === 0) await this.#begin(writer)
      return { store, log, writer, origin: await logOrigin(DECISION_LOG, log) }
    } catch (cause) {
      await store.close()
      throw cause
    }
  }

  /**
   * A log that was cut or rewritten is a fault. One that is gone is begun again, and its end is remembered. Returns from
   * which size on its entries are new to this machine.
   */
  async #checkMemory(log: LogReader, size: number): Promise<number> {
    const { memory, warn } = this.#ports
    const seen = await memory?.read()
    if (seen === undefined) {
      if (size > 0 && memory !== undefined)
        warn?.(`the log of decisions is new to this machine; it is continued after its ${size} entries.`)
      return size
    }
    const { lost: _, ...newest } = seen
    if (size === 0 && newest.size > 0) {
      warn?.(
        `the log of decisions is gone, of which this machine saw ${newest.size} entries; a new log was started. ${nameLog(storeFaults.changed(''), DECISION_LOG).fix}`,
      )
      await memory?.noteLost(newest)
      return 0
    }
    const outcome = await compareWithSeen(log, newest)
    if (outcome !== 'grown') throw storeFaults.changed(describeMismatch(outcome, newest))
    return newest.size
  }

  async #begin(writer: LogWriter): Promise<void> {
    const { version } = this.#ports
    const draft = this.#draft(0, LOG_BEGIN, { tool: LOG_BEGIN, version, last_run: null })
    // When another process wrote first, the log has its beginning.
    if (!(await writer.commit(writer.prepare([draft])))) await this.#follow(writer)
    this.#noteSeen(writer)
  }

  #noteSeen({ size, link: head }: LogWriter): void {
    this.#ports.memory?.note({ size, head })
  }

  /** Verifies the entries of other processes and moves past them. */
  async #follow(writer: LogWriter): Promise<void> {
    for await (const { row } of writer.follow()) if (isJudgingRun(row)) this.#lastRun = row.seq
  }

  #draft(index: number, operation: string, payload: JsonObject): EntryDraft {
    const text = (salt: string) => canonicalJson({ salt, ...payload })
    return { operation, tick: 0, timestamp: this.#ports.time(index), payload: text }
  }

  /** The next entries, made for the place that they will have. A call whose attachment fails is left out. */
  async #makeEntries(batch: readonly PendingRecord[], { store, writer, origin }: OpenedLog) {
    const anchors = batch.some(({ call: { tool } }) => ANCHORING.includes(tool))
    const graphs = anchors ? await readGraphHeads(store) : []
    const drafts: EntryDraft[] = []
    const made: { readonly pending: PendingRecord; readonly receipt: JsonObject | undefined }[] = []
    let lastRun = this.#lastRun
    for (const pending of batch) {
      const { call } = pending
      const index = writer.size + drafts.length
      try {
        const receipt = await call.attach?.({ origin, index })
        const heads = ANCHORING.includes(call.tool) && graphs.length > 0 && { graphs }
        const facts = {
          ...auditedFacts(call),
          ...heads,
          last_run: lastRun,
          ...optional({ receipt }),
        }
        drafts.push(this.#draft(index, call.tool, facts))
        made.push({ pending, receipt })
        if (isJudging(call.tool, call)) lastRun = index
      } catch (cause) {
        pending.reject(cause)
      }
    }
    return { drafts, made, lastRun }
  }

  /** A log that another process replaced or repaired is opened once more, and judged then. */
  async #write(batch: readonly PendingRecord[]): Promise<void> {
    const opened = await this.#opened.get()
    try {
      await this.#writeTo(opened, batch)
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.kind !== 'corrupt') throw thrown
      await this.#writeTo(await this.#reopen(), batch)
    }
  }

  async #writeTo(opened: OpenedLog, batch: readonly PendingRecord[]): Promise<void> {
    const { log, writer } = opened
    let rest = batch
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const reason = await log.quarantine()
      if (reason !== null) throw storeFaults.damaged(`writing is stopped: ${reason}`)
      const { drafts, made, lastRun } = await this.#makeEntries(rest, opened)
      if (drafts.length === 0) return
      if (await writer.commit(writer.prepare(drafts))) {
        this.#lastRun = lastRun
        this.#noteSeen(writer)
        for (const { pending, receipt } of made) {
          const { call, resolve, reject } = pending
          try {
            await call.stored?.()
            resolve(receipt)
          } catch (cause) {
            reject(cause)
          }
        }
        return
      }
      rest = made.map(({ pending }) => pending)
      if ((await log.head()).size < writer.size) throw storeFaults.changed('the log lost entries that it had')
      await this.#follow(writer)
    }
    throw storeFaults.busy(`other processes wrote first in ${MAX_ATTEMPTS} attempts`)
  }
}
