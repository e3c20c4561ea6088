import { SCAN_BYTES } from './scan-bytes.ts'

/** The memory layout that `scan.wat` reads and writes. */

/** Rows of a group, scanned together with SIMD; a table is padded to a multiple of it. */
export const GROUP_ROWS = 4
/** Adjacent bytes of one row; those of the next row of the group follow. */
export const PIECE_BYTES = 16
/** Scale, norm and residual norm of a row, as f32. */
export const STATS_BYTES = 12
/** Score and error as f64, row as i32, four bytes unused. */
export const CANDIDATE_BYTES = 24

/** Parameters in the order of `scan.wat`; those before `scale` but `first` and `last` are addresses. */
type Scan = (
  rows: number,
  groupBytes: number,
  stats: number,
  first: number,
  last: number,
  query: number,
  scale: number,
  byNorm: number,
  byResidual: number,
  least: number,
  out: number,
) => number

/** The scan function over a memory. */
export const loadScan = (memory: WebAssembly.Memory): Scan => {
  const module = new WebAssembly.Module(new Uint8Array(Buffer.from(SCAN_BYTES, 'base64')))
  return new WebAssembly.Instance(module, { host: { memory } }).exports.scan as Scan
}
