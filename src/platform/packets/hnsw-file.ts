import { HnswIndex } from '../../packets/search/hnsw.ts'
import type { QuantizedVectors } from '../../packets/search/quantized-vectors.ts'
import { readRegularFile } from '../jail/async.ts'
import { replaceStoreFile } from './drafts.ts'

/** Rows put in at a time, before others get their turn. */
const STEP = 32
/** More than a file read at once can have. */
const MAX_BYTES = 2 ** 31 - 1

/** Reads a graph back. One that is missing or not of these rows is no error: it can be made again. */
const loadGraph = async (
  path: string,
  header: Buffer,
  table: QuantizedVectors,
): Promise<HnswIndex | undefined> => {
  const bytes = await readRegularFile(path, MAX_BYTES).catch(() => undefined)
  if (bytes === undefined || !bytes.subarray(0, header.length).equals(header)) return undefined
  const links = new Uint8Array(bytes.subarray(header.length))
  const graph = new HnswIndex(table)
  return links.length % 4 === 0 && graph.restore(new Uint32Array(links.buffer)) ? graph : undefined
}

/**
 * A graph that is there sooner or later: read if it was kept, else made between the questions, which takes
 * minutes for a million rows, and kept. Whoever asks before it is whole is answered without it.
 */
export class HnswFile {
  #graph: HnswIndex | undefined
  #closed = false
  /** Settles when nothing more will come. */
  readonly done: Promise<void>

  constructor(path: string, header: Buffer, table: QuantizedVectors) {
    this.done = this.#open(path, header, table)
  }

  get whole(): HnswIndex | undefined {
    return this.#graph
  }

  close(): void {
    this.#closed = true
  }

  async #open(path: string, header: Buffer, table: QuantizedVectors): Promise<void> {
    const kept = await loadGraph(path, header, table)
    this.#graph = kept ?? (await this.#grow(table))
    if (kept !== undefined || this.#graph === undefined) return
    const { buffer, byteLength } = this.#graph.links
    // Without room for it the graph serves from memory, and is made again next time.
    const links = new Uint8Array(buffer, 0, byteLength)
    await replaceStoreFile(path, [header, links], { durable: true }).catch(() => {})
  }

  async #grow(table: QuantizedVectors): Promise<HnswIndex | undefined> {
    const graph = new HnswIndex(table)
    while (!graph.whole) {
      if (this.#closed) return undefined
      graph.grow(STEP)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return graph
  }
}
