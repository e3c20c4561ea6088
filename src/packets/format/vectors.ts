import { packetFaults } from '../faults.ts'
import { decodeFloat16, encodeFloat16 } from './float16.ts'

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
    const half = encodeFloat16(values[i] as number)
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
    values[i] = decodeFloat16((bytes[2 * i] as number) | ((bytes[2 * i + 1] as number) << 8))
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
  for (let i = 0; i < row.length; i++) row[i] = (row[i] as number) * scale
  return row
}
