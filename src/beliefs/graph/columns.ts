/** A column of a table: one typed array per field, longer than the number of rows. */
export type Column = Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>

/** Row indices are stored as signed 32-bit integers. */
export const MAX_ROWS = 2 ** 31 - 1

/** Doubles the capacity, so that appending copies each row about once (amortized). */
export const capacityFor = (rows: number, capacity: number): number => Math.max(rows, capacity * 2, 16)

export const grow = <T extends Column>(column: T, length: number): T => {
  const grown = new (column.constructor as new (length: number) => T)(length)
  grown.set(column)
  return grown
}
