import { entryChecksum, genesisChecksum, sealEntry } from './chain.ts'
import type { Entry, EntryDraft } from './entry.ts'
import { storeFaults } from './faults.ts'
import { coverRange, Frontier, leafHash } from './merkle.ts'
import { readEntry, readRows } from './read-rows.ts'
import type { LineageLog, Row, TreeNode } from './store.ts'
import { readNodes } from './tree.ts'

/** Entries made and not yet stored. */
export interface Batch {
  readonly rows: readonly Row[]
  readonly nodes: readonly TreeNode[]
  readonly expected: number
  /** Checksum of the last of them. */
  readonly headChecksum: string
  /** The tree once they are stored. */
  readonly frontier: Frontier
}

/** One process's place in a log: it follows what others write, and adds its own. */
export class LogWriter {
  readonly log: LineageLog
  readonly #salt: (seq: number) => string
  #headChecksum: string
  #frontier: Frontier

  private constructor(
    log: LineageLog,
    salt: (seq: number) => string,
    headChecksum: string,
    frontier: Frontier,
  ) {
    this.log = log
    this.#salt = salt
    this.#headChecksum = headChecksum
    this.#frontier = frontier
  }

  /** Stands at `size`, whose last entry is the caller's word for what came before. */
  static async open(log: LineageLog, salt: (seq: number) => string, size = 0): Promise<LogWriter> {
    const hashes = await readNodes(log, coverRange(0, size))
    const [row] = size === 0 ? [] : await log.read(size - 1, 1)
    const headChecksum = row === undefined ? genesisChecksum(log.genesis) : readEntry(row).checksum
    return new LogWriter(log, salt, headChecksum, new Frontier(size, hashes))
  }

  /** Takes the place another scribe of the same log has. */
  copyFrom(other: LogWriter): void {
    this.#headChecksum = other.#headChecksum
    this.#frontier = other.#frontier.copy()
  }

  get size(): number {
    return this.#frontier.size
  }

  /** Checksum of the newest entry we know; of the genesis when there is none. */
  get link(): string {
    return this.#headChecksum
  }

  /** Makes entries that follow on. Nothing is stored, and we do not move. */
  prepare(drafts: readonly EntryDraft[]): Batch {
    const frontier = this.#frontier.copy()
    const rows: Row[] = []
    const nodes: TreeNode[] = []
    let headChecksum = this.#headChecksum
    for (const draft of drafts) {
      const seq = frontier.size
      const { checksum, row } = sealEntry(draft, seq, headChecksum, this.#salt(seq))
      rows.push(row)
      frontier.grow(leafHash(row.entry), nodes)
      headChecksum = checksum
    }
    return { rows, nodes, expected: this.size, headChecksum, frontier }
  }

  /** Stores a batch. False when another process was first: follow it, then compose again. */
  async commit(batch: Batch): Promise<boolean> {
    const stored = await this.log.append(batch.expected, batch.rows, batch.nodes)
    if (stored) {
      this.#frontier = batch.frontier
      this.#headChecksum = batch.headChecksum
    }
    return stored
  }

  /**
   * Hands over what was written since, in order, each link checked. A link that does not hold is a fault,
   * and what came before it has been handed over.
   */
  async *follow(): AsyncGenerator<{ readonly entry: Entry; readonly row: Row }> {
    for await (const row of readRows(this.log, this.size)) {
      const entry = readEntry(row)
      if (entry.seq !== this.size || entryChecksum(entry, this.#headChecksum) !== entry.checksum) {
        throw storeFaults.damaged(`entry ${this.size} does not follow from the one before it`, {
          detail: { seq: this.size },
        })
      }
      yield { entry, row }
      this.#frontier.grow(leafHash(row.entry), [])
      this.#headChecksum = entry.checksum
    }
  }
}
