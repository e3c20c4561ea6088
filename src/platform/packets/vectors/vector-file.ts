import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import { Fault } from '../../../kernel/fault.ts'
import type { Clock } from '../../../kernel/ports.ts'
import { packetFaults } from '../../../packets/faults.ts'
import { type ByteSource, copyFloats, type FlatIndex, readFlatIndex } from '../../../packets/format/faiss.ts'
import { checkFinite } from '../../../packets/format/vectors.ts'
import { type ReadRows, searchExact } from '../../../packets/search/exact-search.ts'
import { QuantizedVectors } from '../../../packets/search/quantized-vectors.ts'
import type { VectorIndex } from '../../../packets/search/vector-index.ts'
import { BLOCK_BYTES, BlockLayout } from '../../../packets/search/wasm/scan-module.ts'
import { sweepDrafts } from '../../files/atomic-write.ts'
import { withLock } from '../../files/file-lock.ts'
import { diskFault, replaceStoreFile } from '../drafts.ts'

/** The FAISS file of an index, and the cache file of its quantized vectors. */
export interface VectorFiles {
  readonly index: string
  readonly table: string
}

export interface VectorShape {
  readonly rows: number
  readonly dim: number
}

/** Opens an index whose shape is known. */
export type OpenVectors = (files: VectorFiles, expected: VectorShape) => Promise<VectorIndex>

const MAGIC = Buffer.from('WRNT-I8\x03', 'latin1')
const HEADER = 64
const CHUNK = 256 * 1024 * 1024
const ROWS_AT_ONCE = 2048
/**
 * The largest table that stays in memory: all that are searched in the main thread. A larger one is read in blocks by
 * every search, so that memory does not grow with the packet.
 */
const KEPT_BYTES = 96 * 1024 * 1024
const LOCK_MS = 30_000
// O_NONBLOCK: opening a FIFO in its place does not block; its size shows that it is not an index.
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

const readInto = (fd: number, target: Uint8Array, position: number): void => {
  for (let at = 0; at < target.length; ) {
    const got = readSync(fd, target, at, Math.min(CHUNK, target.length - at), position + at)
    if (got === 0) throw packetFaults.index('a file of the index has become shorter')
    at += got
  }
}

const fileSource = (fd: number): ByteSource => ({
  size: fstatSync(fd).size,
  read: async (at, length) => {
    const bytes = new Uint8Array(length)
    readInto(fd, bytes, at)
    return bytes
  },
})

/** Where the memory of a table ends; tests have smaller ones. */
interface TableLimits {
  readonly blockBytes: number
  readonly keptBytes: number
}

const LIMITS: TableLimits = { blockBytes: BLOCK_BYTES, keptBytes: KEPT_BYTES }

/** Memory of the table of an open index. */
export const vectorMemory = ({ rows, dim }: VectorShape): number => {
  const { bytes } = new BlockLayout(rows, dim)
  return bytes <= KEPT_BYTES ? bytes : BLOCK_BYTES
}

interface IndexFile extends FlatIndex {
  /** mtime in nanoseconds. */
  readonly written: bigint
  readonly limits: TableLimits
  readonly layout: BlockLayout
}

interface OpenTable {
  readonly vectors: QuantizedVectors
  close(): void
}

/**
 * The header of a table identifies its index. It has the mtime, because rebuilt vectors have the same shape.
 */
const tableHeader = ({ rows, dim, offset, written, layout }: IndexFile): Buffer => {
  const header = Buffer.alloc(HEADER)
  MAGIC.copy(header)
  header.writeUInt32LE(dim, 8)
  header.writeUInt32LE(layout.blockRows, 12)
  header.writeBigUInt64LE(BigInt(rows), 16)
  header.writeBigUInt64LE(BigInt(offset), 24)
  header.writeBigInt64LE(written, 32)
  return header
}

/** The table in an open file; undefined when it is truncated or of another index. */
const readTable = (fd: number, flat: IndexFile): QuantizedVectors | undefined => {
  const { rows, dim, layout, limits } = flat
  const header = Buffer.alloc(HEADER)
  if (fstatSync(fd).size !== HEADER + layout.bytes) return undefined
  readInto(fd, header, 0)
  if (!header.equals(tableHeader(flat))) return undefined
  if (layout.bytes > limits.keptBytes)
    return new QuantizedVectors(rows, dim, {
      ...limits,
      load: (block, target) => readInto(fd, target, HEADER + layout.offsetOf(block)),
    })
  const vectors = new QuantizedVectors(rows, dim, limits)
  readInto(fd, vectors.contents, HEADER)
  return vectors
}

/** Opens a table; undefined when it is missing or not of this index, and must be made again. */
const loadTable = (path: string, flat: IndexFile): OpenTable | undefined => {
  let fd: number
  try {
    fd = openSync(path, READ)
  } catch {
    return undefined
  }
  let vectors: QuantizedVectors | undefined
  try {
    vectors = readTable(fd, flat)
    return vectors === undefined ? undefined : { vectors, close: () => closeSync(fd) }
  } finally {
    if (vectors === undefined) closeSync(fd)
  }
}

/** The blocks of a table, in order. A block is valid until the next is taken. */
async function* quantizeBlocks(
  source: ByteSource,
  { rows, dim, offset, limits, layout }: IndexFile,
): AsyncGenerator<Uint8Array> {
  let block: QuantizedVectors | undefined
  for (let start = 0; start < rows; start += layout.blockRows) {
    const size = Math.min(layout.blockRows, rows - start)
    // One memory for all full blocks.
    if (block?.rows !== size) block = new QuantizedVectors(size, dim, limits)
    for (let first = 0; first < size; first += ROWS_AT_ONCE) {
      const count = Math.min(ROWS_AT_ONCE, size - first)
      const values = copyFloats(await source.read(offset + (start + first) * dim * 4, count * dim * 4))
      checkFinite(values)
      block.fill(first, values)
      // Yields to other calls.
      await new Promise((resolve) => setImmediate(resolve))
    }
    yield block.contents
  }
}

/** A table that is in no file. */
const makeInMemory = async (source: ByteSource, flat: IndexFile): Promise<OpenTable> => {
  const vectors = new QuantizedVectors(flat.rows, flat.dim, flat.limits)
  let at = 0
  for await (const block of quantizeBlocks(source, flat)) {
    vectors.contents.set(block, at)
    at += block.length
  }
  return { vectors, close: () => {} }
}

/** Writes a table block by block; false where the disk cannot take it. */
const saveTable = async (path: string, source: ByteSource, flat: IndexFile): Promise<boolean> => {
  const content = async function* () {
    yield tableHeader(flat)
    yield* quantizeBlocks(source, flat)
  }
  try {
    // Durable: a table is opened by its header and size alone.
    await replaceStoreFile(path, content(), { durable: true })
    return true
  } catch (thrown) {
    if (diskFault(thrown).code.startsWith('packet_disk.')) return false
    throw thrown
  }
}

const openTable = async (
  { table: path }: VectorFiles,
  source: ByteSource,
  flat: IndexFile,
  clock: Clock,
): Promise<OpenTable> => {
  const ready = loadTable(path, flat)
  if (ready !== undefined) return ready
  // Only a process that finds no table takes the lock, and checks again: one of many makes it.
  const making = withLock(`${path}.lock`, { clock, waitMs: LOCK_MS }, async () => {
    const done = loadTable(path, flat)
    if (done !== undefined) return done
    await sweepDrafts(dirname(path))
    const saved = await saveTable(path, source, flat)
    return saved ? loadTable(path, flat) : undefined
  })
  const made = await making.catch((thrown: unknown) => {
    if (!(thrown instanceof Fault) || thrown.code !== 'lock.failed') throw thrown
    return undefined
  })
  // Without space or write permission each process has its own table in memory.
  return made ?? makeInMemory(source, flat)
}

/**
 * Opens an index for searching. The floats stay on disk and are read where the quantized rows cannot decide.
 */
export const openVectors = async (
  files: VectorFiles,
  expected: VectorShape,
  clock: Clock,
  limits = LIMITS,
): Promise<VectorIndex> => {
  let fd: number
  try {
    fd = openSync(files.index, READ)
  } catch (cause) {
    throw diskFault(cause)
  }
  try {
    const source = fileSource(fd)
    const flat = await readFlatIndex(source)
    if (flat.dim !== expected.dim || flat.rows !== expected.rows)
      throw packetFaults.index(
        `the index has ${flat.rows} rows of ${flat.dim} values, the packet ${expected.rows} of ${expected.dim}`,
      )
    const written = fstatSync(fd, { bigint: true }).mtimeNs
    const layout = new BlockLayout(flat.rows, flat.dim, limits.blockBytes)
    const table = await openTable(files, source, { ...flat, written, limits, layout }, clock)
    const read: ReadRows = (first, { buffer, byteOffset, byteLength }) =>
      readInto(fd, new Uint8Array(buffer, byteOffset, byteLength), flat.offset + first * flat.dim * 4)
    return {
      rows: flat.rows,
      dim: flat.dim,
      search: async (query, k) => searchExact(table.vectors, query, k, read),
      close: () => {
        table.close()
        closeSync(fd)
      },
    }
  } catch (cause) {
    closeSync(fd)
    throw cause
  }
}
