import { LANES, PIECE, sumLanes } from '../memory-layout.ts'
import { assembleWasm } from './assembler.ts'

/** Adds the product of half a piece of one row and the query. */
const single = (half: number): string => `
  local.get $row
  v128.load8x8_s offset=${(PIECE / 2) * half}
  local.get $at
  v128.load offset=${PIECE * half}
  i32x4.dot_i16x8_s
  local.get $sum
  i32x4.add
  local.set $sum`

/** Writes the sum of products of the query and each row of a list, wherever the rows lie. */
export const GATHER = assembleWasm({
  name: 'gather',
  parameters: {
    rows: 'i32',
    /** Bytes of a group of rows. */
    group: 'i32',
    list: 'i32',
    end: 'i32',
    query: 'i32',
    queryEnd: 'i32',
    out: 'i32',
  },
  result: 'i32',
  locals: { row: 'i32', at: 'i32', sum: 'v128' },
  body: `
  block $done
  loop $next
  local.get $list
  local.get $end
  i32.ge_u
  br_if $done
  local.get $list
  i32.load
  i32.const ${Math.log2(LANES)}
  i32.shr_u
  local.get $group
  i32.mul
  local.get $rows
  i32.add
  local.get $list
  i32.load
  i32.const ${LANES - 1}
  i32.and
  i32.const ${Math.log2(PIECE)}
  i32.shl
  i32.add
  local.set $row
  local.get $query
  local.set $at
  v128.zero
  local.set $sum
  loop $along
  ${single(0)}
  ${single(1)}
  local.get $row
  i32.const ${LANES * PIECE}
  i32.add
  local.set $row
  local.get $at
  i32.const ${2 * PIECE}
  i32.add
  local.tee $at
  local.get $queryEnd
  i32.lt_u
  br_if $along
  end
  local.get $out
  ${sumLanes('$sum')}
  i32.store
  local.get $out
  i32.const 4
  i32.add
  local.set $out
  local.get $list
  i32.const 4
  i32.add
  local.set $list
  br $next
  end
  end
  local.get $out`,
})
