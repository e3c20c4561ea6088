import { packetFaults } from '../faults.ts'
import type { Matrix } from './vectors.ts'

/** Random access to bytes, in a file or in memory. */
export interface ByteSource {
  readonly size: number
  /** Reads exactly `length` bytes at `at`; both must lie within `size`. */
  read(at: number, length: number): Promise<Uint8Array>
}

/** The location of the rows of a flat index in its file. */
export interface FlatIndex {
  readonly dim: number
  readonly rows: number
  /** Offset of the first float32; not aligned to four bytes. */
  readonly offset: number
}

/** Bytes before the values of a flat index. */
export const FLAT_HEADER = 45
const PREFIX = 37
const FILLER = 1_048_576n
const MAX_DIM = 65_536
const METRICS = ['inner product', 'L2']

const refuse = (why: string): never => {
  throw packetFaults.index(`the index cannot be used: ${why}`)
}

const toDataView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const smallNumber = (value: bigint, what: string): number =>
  value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER) ? refuse(`${what} is ${value}`) : Number(value)

/** Writes FAISS's `IndexFlatIP` over these rows. */
export const writeFlatIndex = ({ rows, dim, values }: Matrix): Uint8Array => {
  const bytes = new Uint8Array(FLAT_HEADER + 4 * rows * dim)
  bytes.set(flatHeader(rows, dim))
  bytes.set(new Uint8Array(values.buffer, values.byteOffset, 4 * rows * dim), FLAT_HEADER)
  return bytes
}

/** The header of an `IndexFlatIP`, which its values follow. */
export const flatHeader = (rows: number, dim: number): Uint8Array => {
  const bytes = new Uint8Array(FLAT_HEADER)
  const view = toDataView(bytes)
  bytes.set(Buffer.from('IxFI'))
  view.setInt32(4, dim, true)
  view.setBigInt64(8, BigInt(rows), true)
  view.setBigInt64(16, FILLER, true)
  view.setBigInt64(24, FILLER, true)
  view.setUint8(32, 1)
  view.setInt32(33, 0, true)
  view.setBigUint64(37, BigInt(rows) * BigInt(dim), true)
  return bytes
}

const readExactly = async (source: ByteSource, at: number, length: number): Promise<DataView> =>
  at + length > source.size ? refuse('the file ends too early') : toDataView(await source.read(at, length))

interface Prefix {
  readonly magic: string
  readonly dim: number
  readonly rows: number
}

const readPrefix = async (source: ByteSource, at: number): Promise<Prefix> => {
  const view = await readExactly(source, at, PREFIX)
  const magic = Buffer.from(view.buffer, view.byteOffset, 4).toString('latin1')
  const dim = view.getInt32(4, true)
  const rows = smallNumber(view.getBigInt64(8, true), 'the number of rows')
  const metric = view.getInt32(33, true)
  if (!/^I[A-Za-z0-9]{3}$/.test(magic)) return refuse('it is not a FAISS file')
  if (dim <= 0 || dim > MAX_DIM) return refuse(`its dimension is ${dim}`)
  if (metric !== 0)
    return refuse(`it measures ${METRICS[metric] ?? `by metric ${metric}`}, not inner product`)
  return { magic, dim, rows }
}

const readFlatAt = async (source: ByteSource, at: number): Promise<FlatIndex> => {
  const { magic, dim, rows } = await readPrefix(source, at)
  if (magic !== 'IxFI' && magic !== 'IxFl') return refuse(`its kind is ${magic}`)
  const count = (await readExactly(source, at + PREFIX, 8)).getBigUint64(0, true)
  if (count !== BigInt(rows) * BigInt(dim))
    return refuse(`it declares ${count} values for ${rows} rows of ${dim}`)
  const offset = at + FLAT_HEADER
  if (offset + 4 * rows * dim !== source.size) return refuse('its length is not what its rows need')
  return { dim, rows, offset }
}

/** Element sizes of the arrays that store an HNSW graph. */
const GRAPH_ARRAYS = [8, 4, 4, 8, 4]
const GRAPH_NUMBERS = 5 * 4

/** Finds the flat rows of an HNSW file by skipping its graph. */
const skipGraph = async (source: ByteSource): Promise<FlatIndex> => {
  const { dim, rows } = await readPrefix(source, 0)
  let at = PREFIX
  for (const width of GRAPH_ARRAYS) {
    const count = (await readExactly(source, at, 8)).getBigUint64(0, true)
    // Checked before the multiplication: a forged count must not overflow to a small offset.
    if (count > BigInt(source.size)) return refuse('a length in it is beyond its end')
    at += 8 + width * Number(count)
  }
  const flat = await readFlatAt(source, at + GRAPH_NUMBERS)
  return flat.dim === dim && flat.rows === rows ? flat : refuse('its graph and its rows disagree')
}

/** Finds the rows of an index file. Trailing bytes, wrong sizes and other index types are refused. */
export const readFlatIndex = async (source: ByteSource): Promise<FlatIndex> =>
  (await readPrefix(source, 0)).magic === 'IHNf' ? skipGraph(source) : readFlatAt(source, 0)

export const memorySource = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: async (at, length) => bytes.subarray(at, at + length),
})

/** Copies float32 values out of unaligned bytes. */
export const copyFloats = (bytes: Uint8Array): Float32Array => {
  // Not `slice`: `Buffer.slice` does not copy.
  const copy = new Uint8Array(bytes)
  return new Float32Array(copy.buffer, 0, copy.length / 4)
}
