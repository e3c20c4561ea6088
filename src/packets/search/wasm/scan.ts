import { CANDIDATE_BYTES, FACT_BYTES, LANES, PIECE, sumLanes } from '../memory-layout.ts'
import { assembleWasm } from './assembler.ts'

const lanes = Array.from({ length: LANES }, (_, lane) => lane)

/** Adds the product of eight bytes of each row and eight of the query to the row's sums. */
const step = (half: number): string => `
  local.get $at
  v128.load offset=${PIECE * half}
  local.set $part
  ${lanes
    .map(
      (lane) => `
  local.get $rows
  v128.load8x8_s offset=${PIECE * lane + (PIECE / 2) * half}
  local.get $part
  i32x4.dot_i16x8_s
  local.get $sum${lane}
  i32x4.add
  local.set $sum${lane}`,
    )
    .join('\n')}`

/** Judges one row: its score from whole numbers, how wrong that can be, and whether it may be among the best. */
const judge = (lane: number): string => `
  block $skip
  ${sumLanes(`$sum${lane}`)}
  f64.convert_i32_s
  local.get $facts
  f32.load offset=${lane * FACT_BYTES}
  f64.promote_f32
  local.get $scale
  f64.mul
  f64.mul
  local.tee $score
  local.get $facts
  f32.load offset=${lane * FACT_BYTES + 4}
  f64.promote_f32
  local.get $byLength
  f64.mul
  local.get $facts
  f32.load offset=${lane * FACT_BYTES + 8}
  f64.promote_f32
  local.get $byResidue
  f64.mul
  f64.add
  local.tee $error
  f64.add
  local.get $least
  f64.lt
  br_if $skip
  local.get $out
  local.get $score
  f64.store
  local.get $out
  local.get $error
  f64.store offset=8
  local.get $out
  local.get $first
  i32.const ${lane}
  i32.add
  i32.store offset=16
  local.get $out
  i32.const ${CANDIDATE_BYTES}
  i32.add
  local.set $out
  end`

/**
 * Walks over rows and writes down every one whose score plus error reaches `least`. It returns where it stopped
 * writing. Rows are `stride` bytes long, a multiple of sixteen; the query is its bytes as i16.
 */
export const SCAN = assembleWasm({
  name: 'scan',
  parameters: {
    rows: 'i32',
    stride: 'i32',
    facts: 'i32',
    first: 'i32',
    last: 'i32',
    query: 'i32',
    scale: 'f64',
    byLength: 'f64',
    byResidue: 'f64',
    least: 'f64',
    out: 'i32',
  },
  result: 'i32',
  locals: {
    ...Object.fromEntries(lanes.map((lane) => [`sum${lane}`, 'v128'])),
    at: 'i32',
    end: 'i32',
    part: 'v128',
    score: 'f64',
    error: 'f64',
  },
  body: `
  block $done
  loop $group
  local.get $first
  local.get $last
  i32.ge_u
  br_if $done
  ${lanes.map((lane) => `v128.zero\n  local.set $sum${lane}`).join('\n  ')}
  local.get $query
  local.set $at
  local.get $rows
  local.get $stride
  i32.add
  local.set $end
  loop $along
  ${step(0)}
  ${step(1)}
  local.get $at
  i32.const ${2 * PIECE}
  i32.add
  local.set $at
  local.get $rows
  i32.const ${LANES * PIECE}
  i32.add
  local.tee $rows
  local.get $end
  i32.lt_u
  br_if $along
  end
  ${lanes.map(judge).join('\n')}
  local.get $facts
  i32.const ${LANES * FACT_BYTES}
  i32.add
  local.set $facts
  local.get $first
  i32.const ${LANES}
  i32.add
  local.set $first
  br $group
  end
  end
  local.get $out`,
})
