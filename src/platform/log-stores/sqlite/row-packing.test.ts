import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../../lineage/store.ts'
import { firstSeq, packRuns, type Run, unpackRun } from './row-packing.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const rowsFrom = (first: number) =>
  fc
    .array(fc.record({ entry: text, payload: fc.option(text) }), { minLength: 1, maxLength: 200 })
    .map((list): Row[] => list.map((one, place) => ({ seq: first + place, ...one })))

// One by one: the bytes of a run hold until the next is packed.
const unpackAll = (runs: Iterable<Run>): Row[] => {
  const rows: Row[] = []
  for (const run of runs) rows.push(...unpackRun(run, firstSeq(run), Number.POSITIVE_INFINITY))
  return rows
}

describe('runs of entries', () => {
  it('give back what was put in, whatever the texts', () => {
    fc.assert(
      fc.property(rowsFrom(7), (rows) => {
        expect(unpackAll(packRuns(rows))).toEqual(rows)
      }),
    )
  })

  it('are limited in size, because reading one entry reads its whole run', () => {
    const rows = Array.from({ length: 200 }, (_, seq): Row => ({ seq, entry: 'e', payload: 'p' }))
    expect([...packRuns(rows)].map(({ seq }) => seq)).toEqual([63, 127, 191, 199])
    const large = rows.slice(0, 5).map((one) => ({ ...one, payload: 'p'.repeat(200_000) }))
    expect([...packRuns(large)].map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4])
    expect(unpackAll(packRuns(large))).toEqual(large)
  })

  it('give any part of themselves', () => {
    const rows = Array.from({ length: 64 }, (_, seq): Row => ({ seq, entry: `e${seq}`, payload: `p${seq}` }))
    const [run] = packRuns(rows)
    expect(unpackRun(run as Run, 10, 12)).toEqual(rows.slice(10, 12))
  })

  it('hand over what comes before a damaged byte, one by one', () => {
    const rows = Array.from({ length: 20 }, (_, seq): Row => ({ seq, entry: `e${seq}`, payload: `p${seq}` }))
    const [whole] = packRuns(rows)
    const at = fc.nat({ max: 10_000 })
    fc.assert(
      fc.property(fc.constantFrom('sizes', 'bytes'), at, fc.nat({ max: 7 }), (part, place, bit) => {
        const run = { ...(whole as Run), [part]: Uint8Array.from((whole as Run)[part]) }
        const byte = place % run[part].length
        run[part][byte] = (run[part][byte] ?? 0) ^ (1 << bit)
        const read = (seq: number): Row | undefined => {
          try {
            return unpackRun(run, seq, seq + 1)[0]
          } catch {
            return undefined
          }
        }
        // The entry that a size belongs to; of the texts, the one the byte lies in.
        const [hit] =
          part === 'sizes'
            ? [Math.floor(byte / 8)]
            : rows.flatMap(({ seq }) => {
                const before = rows.slice(0, seq + 1).map(({ entry, payload }) => `${entry}${payload}`)
                return before.join('').length > byte ? [seq] : []
              })
        for (const row of rows.slice(0, hit)) expect(read(row.seq)).toEqual(row)
        expect(read(hit as number)).not.toEqual(rows[hit as number])
      }),
    )
  })
})
