import { packetFaults } from '../faults.ts'

/** `windows.bin`: the number of the first window of each row, as unsigned 32-bit little-endian integers. */
export const writeWindowRows = (firsts: ArrayLike<number>): Uint8Array => {
  const bytes = new Uint8Array(4 * firsts.length)
  const view = new DataView(bytes.buffer)
  for (let row = 0; row < firsts.length; row++) view.setUint32(4 * row, firsts[row] as number, true)
  return bytes
}

/** Reads `windows.bin`. Every row has at least one window, and the windows of a row follow each other. */
export const readWindowRows = (bytes: Uint8Array, rows: number, windows: number): Uint32Array => {
  if (bytes.length !== 4 * rows)
    throw packetFaults.index(`windows.bin has ${bytes.length} bytes for ${rows} rows`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const firsts = Uint32Array.from({ length: rows }, (_, row) => view.getUint32(4 * row, true))
  for (let row = 0; row < rows; row++) {
    const expected = row === 0 ? firsts[0] === 0 : (firsts[row] as number) > (firsts[row - 1] as number)
    if (!expected || (firsts[row] as number) >= windows)
      throw packetFaults.index(`windows.bin has a wrong first window for row ${row}`)
  }
  return firsts
}
