import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readWindowRows, writeWindowRows } from '../format/vectors.ts'
import { searchByWindow, type VectorIndex } from './vector-index.ts'

/** An index whose scores are given. */
const scored = (scores: readonly number[]): VectorIndex => ({
  rows: scores.length,
  dim: 1,
  search: async (_, k) =>
    scores
      .map((score, row) => ({ row, score }))
      .sort((a, b) => b.score - a.score || a.row - b.row)
      .slice(0, k),
  close: () => {},
})

const signal = new AbortController().signal

it('ranks rows by their best window, as a search of every window would', async () => {
  const rows = fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 30 }), {
    minLength: 1,
    maxLength: 30,
  })
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 40 }), async (all, k) => {
      const firsts = Uint32Array.from(all, (_, row) => all.slice(0, row).flat().length)
      const index = searchByWindow(scored(all.flat()), firsts)
      const expected = all
        .map((scores, row) => {
          const score = Math.max(...scores)
          return { row, score, window: scores.indexOf(score) }
        })
        .sort((a, b) => b.score - a.score || a.row - b.row)
        .slice(0, k)
      expect(await index.search(new Float32Array(1), k, signal)).toEqual(expected)
    }),
    { numRuns: 200, seed: 19 },
  )
})

it('reads the first windows as they were written, and rejects any that are not in order', () => {
  expect([...readWindowRows(writeWindowRows([0, 2, 3]), 3, 4)]).toEqual([0, 2, 3])
  for (const [firsts, rows, windows] of [
    [[1, 2], 2, 4],
    [[0, 0], 2, 4],
    [[0, 4], 2, 4],
    [[0, 1, 2], 2, 4],
  ] as const)
    expect(() => readWindowRows(writeWindowRows(firsts), rows, windows)).toThrow(/windows\.bin/)
})
