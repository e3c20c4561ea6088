import { describe, expect, it } from 'vitest'
import { type ReadRows, searchExact } from './exact-search.ts'
import { HnswIndex, levelOf } from './hnsw.ts'
import { QuantizedVectors } from './quantized-vectors.ts'

const DIM = 32

/** Rows of length one around some centres, the same in every run. */
const clusteredRows = (count: number, seed: number): Float32Array => {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  }
  const centres = Float32Array.from({ length: 20 * DIM }, next)
  const rows = new Float32Array(count * DIM)
  for (let row = 0; row < count; row++) {
    let sum = 0
    for (let i = 0; i < DIM; i++) {
      const value = next() * 0.6 + (centres[(row % 20) * DIM + i] as number)
      rows[row * DIM + i] = value
      sum += value * value
    }
    for (let i = 0; i < DIM; i++) rows[row * DIM + i] = (rows[row * DIM + i] as number) / Math.sqrt(sum)
  }
  return rows
}

const grow = (rows: Float32Array, step = 1000) => {
  const table = new QuantizedVectors(rows.length / DIM, DIM)
  table.fill(0, rows)
  const graph = new HnswIndex(table)
  while (!graph.whole) graph.grow(step)
  const read: ReadRows = (first, target) =>
    target.set(rows.subarray(first * DIM, first * DIM + target.length))
  return { table, graph, read }
}

const rows = clusteredRows(4000, 1)
const questions = clusteredRows(60, 99)
const questionAt = (i: number) => questions.subarray(i * DIM, (i + 1) * DIM)

describe('a graph over rows', () => {
  const { table, graph, read } = grow(rows)

  it('finds nearly all of what an exact search finds, with the same scores', () => {
    let found = 0
    for (let i = 0; i < 60; i++) {
      const exact = searchExact(table, questionAt(i), 10, read)
      const near = graph.nearest(questionAt(i), 10, read)
      const scores = new Map(near.map(({ row, score }) => [row, score]))
      for (const { row, score } of exact) {
        if (!scores.has(row)) continue
        expect(scores.get(row)).toBe(score)
        found += 1
      }
    }
    expect(found / 600).toBeGreaterThan(0.97)
  })

  it.each([new Float32Array(3), new Float32Array(DIM).fill(Number.NaN)])(
    'refuses a question that is none',
    (question) => {
      expect(() => graph.nearest(question, 1, read)).toThrow(
        expect.objectContaining({ code: 'packet.vectors' }),
      )
    },
  )

  it('looks at few of the floats', () => {
    let reads = 0
    graph.nearest(questionAt(0), 10, (first, target) => {
      reads += target.length / DIM
      read(first, target)
    })
    expect(reads).toBeLessThanOrEqual(256)
  })

  it('is the same graph however it is grown', () => {
    expect(grow(rows, 7).graph.links).toEqual(graph.links)
  })

  it('comes back from its links', () => {
    const copy = new HnswIndex(table)
    expect(copy.restore(graph.links.slice())).toBe(true)
    expect(copy.nearest(questionAt(3), 10, read)).toEqual(graph.nearest(questionAt(3), 10, read))
  })

  it.each<[string, (links: Uint32Array) => Uint32Array]>([
    ['too few', (links) => links.subarray(1)],
    ['too many of one row', (links) => links.fill(33, 0, 1)],
    ['to a row that is not there', (links) => links.fill(4000, 1, 2)],
  ])('takes no links that are %s', (_, damage) => {
    expect(new HnswIndex(table).restore(damage(graph.links.slice()))).toBe(false)
  })

  it.each([0, 1, 2, 5])('of %i rows finds them all', (count) => {
    const few = grow(rows.slice(0, count * DIM))
    expect(few.graph.nearest(questionAt(0), 10, few.read)).toEqual(
      searchExact(few.table, questionAt(0), 10, few.read),
    )
  })

  it('gives equal rows in their order', () => {
    const alike = grow(Float32Array.from({ length: 50 * DIM }, () => 0.5))
    const found = alike.graph.nearest(new Float32Array(DIM).fill(1), 5, alike.read)
    expect(found.map(({ row }) => row)).toEqual([0, 1, 2, 3, 4])
  })

  it('has a sixteenth of its rows on the level above', () => {
    const above = Array.from({ length: 16_000 }, (_, row) => levelOf(row)).filter((level) => level > 0)
    expect(above.length).toBeGreaterThan(800)
    expect(above.length).toBeLessThan(1200)
  })
})
