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

const MAGIC = Buffer.from('WRNT-I8\x02', 'latin1')
const HEADER = 64
const CHUNK = 256 * 1024 * 1024
const ROWS_AT_ONCE = 2048
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

interface IndexFile extends FlatIndex {
  /** mtime in nanoseconds. */
  readonly written: bigint
}

/**
 * The header of a table identifies its index. It has the mtime, because rebuilt vectors have the same shape.
 */
const tableHeader = ({ rows, dim, offset, written }: IndexFile): Buffer => {
  const header = Buffer.alloc(HEADER)
  MAGIC.copy(header)
  header.writeUInt32LE(dim, 8)
  header.writeBigUInt64LE(BigInt(rows), 16)
  header.writeBigUInt64LE(BigInt(offset), 24)
  header.writeBigInt64LE(written, 32)
  return header
}

/** Loads a table; undefined when it is missing, truncated or of another index, and must be made again. */
const loadTable = (path: string, flat: IndexFile): QuantizedVectors | undefined => {
  let fd: number
  try {
    fd = openSync(path, READ)
  } catch {
    return undefined
  }
  try {
    const table = new QuantizedVectors(flat.rows, flat.dim)
    const header = Buffer.alloc(HEADER)
    if (fstatSync(fd).size !== HEADER + table.contents.length) return undefined
    readInto(fd, header, 0)
    if (!header.equals(tableHeader(flat))) return undefined
    readInto(fd, table.contents, HEADER)
    return table
  } finally {
    closeSync(fd)
  }
}

const makeTable = async (source: ByteSource, { rows, dim, offset }: FlatIndex): Promise<QuantizedVectors> => {
  const table = new QuantizedVectors(rows, dim)
  for (let first = 0; first < rows; first += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, rows - first)
    const values = copyFloats(await source.read(offset + first * dim * 4, count * dim * 4))
    checkFinite(values)
    table.fill(first, values)
    // Yields to other calls.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return table
}

const saveTable = async (path: string, flat: IndexFile, table: QuantizedVectors): Promise<void> => {
  // Durable: a table is opened by its header and size alone. Without space for it the table is used from memory.
  await replaceStoreFile(path, [tableHeader(flat), table.contents], { durable: true }).catch(() => {})
}

const openTable = async (
  { table: path }: VectorFiles,
  source: ByteSource,
  flat: IndexFile,
  clock: Clock,
): Promise<QuantizedVectors> => {
  const ready = loadTable(path, flat)
  if (ready !== undefined) return ready
  // Only a process that finds no table takes the lock, and checks again: one of many makes it.
  const making = withLock(`${path}.lock`, { clock, waitMs: LOCK_MS }, async () => {
    const done = loadTable(path, flat)
    if (done !== undefined) return done
    await sweepDrafts(dirname(path))
    const made = await makeTable(source, flat)
    await saveTable(path, flat, made)
    return made
  })
  return making.catch((thrown: unknown) => {
    if (!(thrown instanceof Fault) || thrown.code !== 'lock.failed') throw thrown
    // Without write permission each process makes its own table.
    return makeTable(source, flat)
  })
}

/**
 * Opens an index for searching. The floats stay on disk and are read where the quantized rows cannot decide.
 */
export const openVectors = async (
  files: VectorFiles,
  expected: VectorShape,
  clock: Clock,
): Promise<VectorIndex> => {
  let fd: number
  try {
    fd = openSync(files.index, READ)
  } catch (cause) {
    throw diskFault(cause)
  }
  try {
    const source = fileSource(fd)
    const flat = { ...(await readFlatIndex(source)), written: fstatSync(fd, { bigint: true }).mtimeNs }
    if (flat.dim !== expected.dim || flat.rows !== expected.rows)
      throw packetFaults.index(
        `the index has ${flat.rows} rows of ${flat.dim} values, the packet ${expected.rows} of ${expected.dim}`,
      )
    const table = await openTable(files, source, flat, clock)
    const read: ReadRows = (first, { buffer, byteOffset, byteLength }) =>
      readInto(fd, new Uint8Array(buffer, byteOffset, byteLength), flat.offset + first * flat.dim * 4)
    return {
      rows: flat.rows,
      dim: flat.dim,
      search: async (query, k) => searchExact(table, query, k, read),
      close: () => closeSync(fd),
    }
  } catch (cause) {
    closeSync(fd)
    throw cause
  }
}
