import { createHash, hash } from 'node:crypto'
import type { EdgeState } from './edges.ts'
import { CELL } from './energy.ts'

/*
 * Binary form of the records that an operation changed: by ascending id, big-endian, without padding.
 *   node, 40 bytes: id u64 | belief f64 | h f64 | m f64 | l f64
 *   edge, 32 bytes: id u64 | src u64 | dst u64 | weight f64
 */
const NODE_BYTES = 40
const EDGE_BYTES = 32
const PER_CHUNK = 2048

const chunk = new DataView(new ArrayBuffer(NODE_BYTES * PER_CHUNK))
const bytes = new Uint8Array(chunk.buffer)

// Ids are table rows and therefore below 2^31.
const putId = (offset: number, id: number): void => {
  chunk.setUint32(offset, 0)
  chunk.setUint32(offset + 4, id)
}

const packNode = (offset: number, id: number, cells: Float64Array): void => {
  putId(offset, id)
  const cell = id * CELL
  chunk.setFloat64(offset + 8, cells[cell] as number)
  chunk.setFloat64(offset + 16, cells[cell + 1] as number)
  chunk.setFloat64(offset + 24, cells[cell + 2] as number)
  chunk.setFloat64(offset + 32, cells[cell + 3] as number)
}

const oneNode = bytes.subarray(0, NODE_BYTES)
const oneEdge = bytes.subarray(0, EDGE_BYTES)

/** SHA-256 of one node's record, in hexadecimal. */
export const nodeDelta = (id: number, cells: Float64Array): string => {
  packNode(0, id, cells)
  return hash('sha256', oneNode, 'hex')
}

/** SHA-256 of the records of many nodes, in hexadecimal. */
export const nodesDelta = (ids: Uint32Array, cells: Float64Array): string => {
  if (ids.length <= PER_CHUNK) return hash('sha256', packNodes(ids, cells), 'hex')
  const whole = createHash('sha256')
  for (let from = 0; from < ids.length; from += PER_CHUNK) {
    whole.update(packNodes(ids.subarray(from, from + PER_CHUNK), cells))
  }
  return whole.digest('hex')
}

/** The returned bytes are overwritten by the next call. */
const packNodes = (ids: Uint32Array, cells: Float64Array): Uint8Array => {
  for (let n = 0; n < ids.length; n += 1) packNode(n * NODE_BYTES, ids[n] as number, cells)
  return bytes.subarray(0, ids.length * NODE_BYTES)
}

/** SHA-256 of one edge's record, in hexadecimal. */
export const edgeDelta = ({ id, src, dst, weight }: EdgeState): string => {
  putId(0, id)
  putId(8, src)
  putId(16, dst)
  chunk.setFloat64(24, weight)
  return hash('sha256', oneEdge, 'hex')
}
