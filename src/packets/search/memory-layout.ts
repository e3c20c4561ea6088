/** Rows are looked at four at a time; tables are filled up to a multiple of it. */
export const LANES = 4
/** Bytes a candidate takes: its score and its error as f64, its row as i32, four to spare. */
export const CANDIDATE_BYTES = 24
/** Bytes of what is known of each row beside its bytes: scale, length and residue as f32. */
export const FACT_BYTES = 12

/** Bytes of one row that lie together, before those of the next row of its group. */
export const PIECE = 16

/** The four sums of a row as one. */
export const sumLanes = (sum: string): string => `
  local.get ${sum}
  i32x4.extract_lane 0
  local.get ${sum}
  i32x4.extract_lane 1
  i32.add
  local.get ${sum}
  i32x4.extract_lane 2
  i32.add
  local.get ${sum}
  i32x4.extract_lane 3
  i32.add`
