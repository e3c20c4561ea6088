/** What rows are kept in: one array per field, longer than the rows there are. */
export type Column = Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>

/** Positions are kept as signed 32-bit integers. */
export const MAX_ROWS = 2 ** 31 - 1

/** Room for `rows`, doubling, so that a million appends copy each row about once. */
export const capacityFor = (rows: number, capacity: number): number => Math.max(rows, capacity * 2, 16)

export const grow = <T extends Column>(column: T, length: number): T => {
  const grown = new (column.constructor as new (length: number) => T)(length)
  grown.set(column)
  return grown
}
