import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Fault } from '../../kernel/fault.ts'
import type { Clock } from '../../kernel/ports.ts'
import type { WordSearch } from '../../packets/ask/retrieve.ts'
import { memorySource } from '../../packets/format/faiss.ts'
import { writeWordIndex } from '../../packets/search/derive-word-index.ts'
import type { SearchHit } from '../../packets/search/exact-search.ts'
import { LexicalIndex } from '../../packets/search/lexical.ts'
import type { RankingKind } from '../../packets/search/tokens.ts'
import { type Append, WordIndexFile } from '../../packets/search/word-index.ts'
import { sweepDrafts } from '../files/atomic-write.ts'
import { withLock } from '../files/file-lock.ts'
import { type OpenedFile, openRegularFile } from '../jail/async.ts'
import { replaceStoreFile } from './drafts.ts'
import { openedSource } from './payload.ts'

/** Changed when the same files give another index. */
const FORMAT = 3
/** Another process may be making the index of a large packet. */
const LOCK_MS = 600_000

interface WordIndexOptions {
  /** Where the index is kept. */
  readonly path: string
  readonly kind: RankingKind
  readonly docs: OpenedFile
  readonly openSparse: () => Promise<OpenedFile | undefined>
  /** The number of chunks that the manifest says. */
  readonly promised: number | undefined
  readonly clock: Clock
  readonly progress: (done: number, total: number) => void
}

interface OpenIndex {
  readonly file: WordIndexFile
  readonly lexical: LexicalIndex
  readonly close: () => Promise<void>
}

const isDamage = (thrown: unknown): boolean => thrown instanceof Fault && thrown.code === 'packet.index'

/** The disk is full, or the folder may not be written or is locked for too long. */
const isUnwritable = (thrown: unknown): boolean =>
  thrown instanceof Fault && /^(?:lock|packet_disk)\./.test(thrown.code)

/**
 * Identifies the files of an index by inode and ctime, which cannot be forged by copying: an index that comes with a
 * store from elsewhere, or is of an earlier copy of the packet, is made again.
 */
const sourceStamp = async (
  kind: RankingKind,
  files: readonly (OpenedFile | undefined)[],
): Promise<string> => {
  const hash = createHash('sha256').update(JSON.stringify([FORMAT, kind]))
  for (const opened of files) {
    const stats = await opened?.file.stat({ bigint: true })
    const parts = stats && [stats.dev, stats.ino, stats.size, stats.ctimeNs]
    hash.update(JSON.stringify(parts?.map(String) ?? null))
  }
  return hash.digest('hex')
}

const openKept = async (path: string, madeFrom: string): Promise<OpenIndex | undefined> => {
  const opened = await openRegularFile(path).catch(() => undefined)
  if (opened === undefined) return undefined
  const file = await WordIndexFile.open(openedSource(opened)).catch(() => undefined)
  const close = () => opened.file.close()
  if (file?.madeFrom === madeFrom) return { file, lexical: new LexicalIndex(file), close }
  await close()
  return undefined
}

const openIndex = async (options: WordIndexOptions): Promise<OpenIndex> => {
  const { path, kind, docs, clock } = options
  const folder = dirname(path)
  // The words of fields come from docs.jsonl alone.
  const sparse = kind === 'fields' ? undefined : await options.openSparse()
  try {
    const madeFrom = await sourceStamp(kind, [docs, sparse])
    const ready = await openKept(path, madeFrom)
    if (ready !== undefined) return ready
    const sources = { docs: openedSource(docs), sparse: sparse && openedSource(sparse) }
    const write = (append: Append) =>
      writeWordIndex(sources, { kind, madeFrom, promised: options.promised }, append, options.progress)
    const makeFile = async (): Promise<OpenIndex | undefined> => {
      const done = await openKept(path, madeFrom)
      if (done !== undefined) return done
      await sweepDrafts(folder)
      // Not durable: damage is noticed by its checksums.
      await replaceStoreFile(path, write, { durable: false })
      return openKept(path, madeFrom)
    }
    const makeInMemory = async (): Promise<OpenIndex> => {
      const pieces: Uint8Array[] = []
      await write(async (bytes) => void pieces.push(Uint8Array.from(bytes)))
      const file = await WordIndexFile.open(memorySource(Buffer.concat(pieces)))
      return { file, lexical: new LexicalIndex(file), close: async () => {} }
    }
    // Only a process that finds no index takes the lock, and checks again: one of many makes it.
    const made = mkdir(folder, { recursive: true, mode: 0o755 })
      .catch(() => {})
      .then(() => withLock(`${path}.lock`, { clock, waitMs: LOCK_MS }, makeFile))
    const written = await made.catch((thrown: unknown) => {
      if (isUnwritable(thrown)) return undefined
      throw thrown
    })
    return written ?? (await makeInMemory())
  } finally {
    await sparse?.file.close()
  }
}

/**
 * The word index of a packet: derived from its files when it is first needed, kept beside the packet, and read by
 * offset. A damaged one is made again, and the question is answered from the new one.
 */
export class PacketWords implements WordSearch {
  readonly #options: WordIndexOptions
  #open: OpenIndex
  #remaking: Promise<OpenIndex> | undefined

  private constructor(options: WordIndexOptions, open: OpenIndex) {
    this.#options = options
    this.#open = open
  }

  static async open(options: WordIndexOptions): Promise<PacketWords> {
    return new PacketWords(options, await openIndex(options))
  }

  get rows(): number {
    return this.#open.file.rows
  }

  get warnings(): readonly string[] {
    const { warning } = this.#open.file
    return warning === '' ? [] : [warning]
  }

  /** Approximate memory use. */
  get bytes(): number {
    return this.#open.lexical.bytes
  }

  search(question: string, depth: number): Promise<SearchHit[]> {
    return this.#use(({ lexical }) => lexical.search(question, depth))
  }

  bestScore(question: string): Promise<number> {
    return this.#use(({ lexical }) => lexical.bestScore(question))
  }

  docRange(row: number): Promise<readonly [start: number, end: number]> {
    return this.#use(({ file }) => file.docRange(row))
  }

  docStarts(): Promise<Float64Array> {
    return this.#use(({ file }) => file.docStarts())
  }

  async close(): Promise<void> {
    await this.#open.close()
    await this.#options.docs.file.close()
  }

  async #use<T>(work: (open: OpenIndex) => Promise<T>): Promise<T> {
    const open = this.#open
    try {
      return await work(open)
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown
      if (this.#open === open) this.#open = await this.#remake(open)
      return work(this.#open)
    }
  }

  /** Concurrent questions share one new index. */
  #remake(damaged: OpenIndex): Promise<OpenIndex> {
    const remake = async (): Promise<OpenIndex> => {
      await rm(this.#options.path, { force: true }).catch(() => {})
      const open = await openIndex(this.#options)
      await damaged.close()
      return open
    }
    this.#remaking ??= remake().finally(() => {
      this.#remaking = undefined
    })
    return this.#remaking
  }
}
