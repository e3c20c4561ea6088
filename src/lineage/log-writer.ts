import { entryChecksum, genesisChecksum, sealEntry } from './chain.ts'
import { storeFaults } from './faults.ts'
import { coverRange, Frontier, leafHash, readNodes } from './merkle.ts'
import { readEntry, readRows } from './read-rows.ts'
import type { Entry, EntryDraft, LineageLog, Row, TreeNode } from './store.ts'

/** Prepared entries that are not stored yet. */
interface Batch {
  readonly rows: readonly Row[]
  readonly nodes: readonly TreeNode[]
  readonly expected: number
  /** Checksum of the last entry in the batch. */
  readonly headChecksum: string
  /** The Merkle tree after the batch. */
  readonly frontier: Frontier
}

/** The position of one process in a log: it follows entries of other processes and appends its own. */
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

  /** Starts at `size`. The entries before it are trusted and not verified again. */
  static async open(log: LineageLog, salt: (seq: number) => string, size = 0): Promise<LogWriter> {
    const hashes = await readNodes(log, coverRange(0, size))
    const [row] = size === 0 ? [] : await log.read(size - 1, 1)
    const headChecksum = row === undefined ? genesisChecksum(log.genesis) : readEntry(row).checksum
    return new LogWriter(log, salt, headChecksum, new Frontier(size, hashes))
  }

  /** Moves to the position of another writer of the same log. */
  copyFrom(other: LogWriter): void {
    this.#headChecksum = other.#headChecksum
    this.#frontier = other.#frontier.copy()
  }

  get size(): number {
    return this.#frontier.size
  }

  /** Root of the Merkle tree over the known entries. */
  get root(): string {
    return this.#frontier.root
  }

  /** Checksum of the newest known entry, or of the genesis. */
  get link(): string {
    return this.#headChecksum
  }

  /** Makes the next entries without storing them or moving the position. */
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

  /** Stores a batch. False when another process wrote first: call `follow`, then `prepare` again. */
  async commit(batch: Batch): Promise<boolean> {
    const stored = await this.log.append(batch.expected, batch.rows, batch.nodes)
    if (stored) {
      this.#frontier = batch.frontier
      this.#headChecksum = batch.headChecksum
    }
    return stored
  }

  /**
   * Yields the entries that were written since, in order, and verifies each checksum. A wrong checksum is a fault,
   * thrown after the valid entries before it were yielded.
   */
  async *follow(): AsyncGenerator<{ readonly entry: Entry; readonly row: Row }> {
    for await (const row of readRows(this.log, this.size)) {
      const entry = readEntry(row)
      if (entry.seq !== this.size || entryChecksum(entry, this.#headChecksum) !== entry.checksum) {
        throw storeFaults.damaged(
          `entry ${this.size} has a checksum that does not follow from the entry before it`,
          {
            detail: { seq: this.size },
          },
        )
      }
      yield { entry, row }
      this.#frontier.grow(leafHash(row.entry), [])
      this.#headChecksum = entry.checksum
    }
  }
}
