import { packetFaults } from '../faults.ts'

const view = new DataView(new ArrayBuffer(4))

/** Round half to even. */
const roundEven = (value: number, drop: number): number => {
  const half = 2 ** (drop - 1)
  const kept = value >>> drop
  const rest = value & (2 ** drop - 1)
  return rest > half || (rest === half && (kept & 1) === 1) ? kept + 1 : kept
}

/** The IEEE 754 binary16 nearest to a float32. */
export const encodeFloat16 = (value: number): number => {
  view.setFloat32(0, value)
  const bits = view.getUint32(0)
  const sign = (bits >>> 16) & 0x8000
  const exponent = ((bits >>> 23) & 0xff) - 127
  const mantissa = bits & 0x7fffff
  if (exponent === 128) return sign | (mantissa === 0 ? 0x7c00 : 0x7e00)
  if (exponent > 15) return sign | 0x7c00
  // A carry out of the mantissa increments the exponent, which is the correct rounding.
  if (exponent >= -14) return sign | (((exponent + 15) << 10) + roundEven(mantissa, 13))
  // Subnormal; below 2^-25 everything rounds to zero.
  if (exponent < -25) return sign
  return sign | roundEven(mantissa | 0x800000, -exponent - 1)
}

export const decodeFloat16 = (bits: number): number => {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >>> 10) & 0x1f
  const mantissa = bits & 0x3ff
  if (exponent === 31) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (1 + mantissa / 1024) * 2 ** (exponent - 15)
}

/** Rows of float32 in row-major order. */
export interface Matrix {
  readonly rows: number
  readonly dim: number
  readonly values: Float32Array
}

/** `vectors.f16.bin`: little-endian binary16, row-major, without a header. */
export const writeVectors = ({ rows, dim, values }: Matrix): Uint8Array => {
  const bytes = new Uint8Array(rows * dim * 2)
  for (let i = 0; i < rows * dim; i++) {
    const half = encodeFloat16(values[i] ?? 0)
    bytes[2 * i] = half & 0xff
    bytes[2 * i + 1] = half >>> 8
  }
  return bytes
}

export const readVectors = (bytes: Uint8Array, dim: number): Matrix => {
  if (!Number.isSafeInteger(dim) || dim <= 0)
    throw packetFaults.vectors(`vectors need a dimension above zero, not ${dim}`)
  if (bytes.length % (2 * dim) !== 0)
    throw packetFaults.vectors(`${bytes.length} bytes are not a whole number of rows of ${dim} values`)
  const values = new Float32Array(bytes.length / 2)
  for (let i = 0; i < values.length; i++) {
    values[i] = decodeFloat16((bytes[2 * i] ?? 0) | ((bytes[2 * i + 1] ?? 0) << 8))
  }
  checkFinite(values)
  return { rows: values.length / dim, dim, values }
}

/** Rejects NaN and infinity, which break every comparison. */
export const checkFinite = (values: Float32Array): void => {
  const at = values.findIndex((value) => !Number.isFinite(value))
  if (at !== -1) throw packetFaults.vectors(`value ${at} of the vectors is not a finite number`)
}

/** Normalizes a row in place. A zero row stays. */
export const normalizeRow = (row: Float32Array): Float32Array => {
  let sum = 0
  for (const value of row) sum += value * value
  if (sum === 0) return row
  const scale = 1 / Math.sqrt(sum)
  for (let i = 0; i < row.length; i++) row[i] = (row[i] ?? 0) * scale
  return row
}

/** `windows.bin`: the number of the first window of each row, as unsigned 32-bit little-endian integers. */
export const writeWindowRows = (firsts: ArrayLike<number>): Uint8Array => {
  const bytes = new Uint8Array(4 * firsts.length)
  const view = new DataView(bytes.buffer)
  for (let row = 0; row < firsts.length; row++) view.setUint32(4 * row, firsts[row] ?? 0, true)
  return bytes
}

/** Reads `windows.bin`. Every row has at least one window, and the windows of a row follow each other. */
export const readWindowRows = (bytes: Uint8Array, rows: number, windows: number): Uint32Array => {
  if (bytes.length !== 4 * rows)
    throw packetFaults.index(`windows.bin has ${bytes.length} bytes for ${rows} rows`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const firsts = Uint32Array.from({ length: rows }, (_, row) => view.getUint32(4 * row, true))
  for (let row = 0; row < rows; row++) {
    const expected = row === 0 ? firsts[0] === 0 : (firsts[row] ?? 0) > (firsts[row - 1] ?? 0)
    if (!expected || (firsts[row] ?? 0) >= windows)
      throw packetFaults.index(`windows.bin has a wrong first window for row ${row}`)
  }
  return firsts
}
