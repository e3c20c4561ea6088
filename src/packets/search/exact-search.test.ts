import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseCount } from '../../../test/support/case-count.ts'
import { byScore, type ReadRows, type SearchHit, searchExact } from './exact-search.ts'
import { QuantizedVectors, quantize } from './quantized-vectors.ts'

/** What a search is measured by: every row, every value, nothing clever. */
const plainSearch = (rows: Float32Array, dim: number, query: Float32Array, k: number): SearchHit[] => {
  const hits: SearchHit[] = []
  for (let row = 0; row < rows.length / dim; row++) {
    let score = 0
    for (let i = 0; i < dim; i++) score += (query[i] as number) * (rows[row * dim + i] as number)
    hits.push({ row, score })
  }
  return hits.sort(byScore).slice(0, k)
}

/** Gives the smallest blocks there are, of 64 rows. */
const SMALLEST = 1

const tableOf = (rows: Float32Array, dim: number, blockBytes?: number) => {
  const table = new QuantizedVectors(rows.length / dim, dim, blockBytes === undefined ? {} : { blockBytes })
  table.fill(0, rows)
  let reads = 0
  const read: ReadRows = (first, target) => {
    reads += target.length / dim
    target.set(rows.subarray(first * dim, first * dim + target.length))
  }
  return { table, read, reads: () => reads }
}

const check = (rows: Float32Array, dim: number, query: Float32Array, k: number) => {
  const { table, read } = tableOf(rows, dim)
  expect(searchExact(table, query, k, read)).toEqual(plainSearch(rows, dim, query, k))
}

/** The same table, of which one block is in memory at a time. */
const inBlocks = (table: QuantizedVectors, dim: number) => {
  const loads: number[] = []
  const { layout } = table
  const blocks = new QuantizedVectors(table.rows, dim, {
    blockBytes: SMALLEST,
    load: (block, target) => {
      loads.push(block)
      target.set(table.contents.subarray(layout.offsetOf(block), layout.offsetOf(block + 1)))
    },
  })
  return { blocks, loads }
}

/** Numbers that look random and are the same every time. */
const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) | 0
  return (seed >>> 8) / 2 ** 24 - 0.5
}

const unitRows = (count: number, dim: number, seed: number): Float32Array => {
  const next = random(seed)
  const rows = new Float32Array(count * dim)
  for (let row = 0; row < count; row++) {
    let sum = 0
    for (let i = 0; i < dim; i++) {
      const value = next() + next() + next()
      rows[row * dim + i] = value
      sum += value * value
    }
    for (let i = 0; i < dim; i++) rows[row * dim + i] = (rows[row * dim + i] as number) / Math.sqrt(sum)
  }
  return rows
}

const finite = fc.oneof(
  fc.float({ noNaN: true, noDefaultInfinity: true }),
  fc.float({ min: -1, max: 1, noNaN: true }),
  fc
    .constantFrom(0, -0, 1, -1, 0.5, 1e-45, -1e-45, 1e-38, 3.4e38, -3.4e38, 1e-20, 0.1, 1 / 3)
    .map(Math.fround),
)

describe('an exact search', () => {
  it('finds what a plain loop finds, whatever the values', () => {
    const shape = fc.record({
      dim: fc.integer({ min: 1, max: 40 }),
      count: fc.integer({ min: 0, max: 60 }),
      k: fc.integer({ min: 1, max: 25 }),
    })
    const cases = shape.chain(({ dim, count, k }) =>
      fc.record({
        dim: fc.constant(dim),
        k: fc.constant(k),
        rows: fc.array(finite, { minLength: dim * count, maxLength: dim * count }),
        query: fc.array(finite, { minLength: dim, maxLength: dim }),
      }),
    )
    fc.assert(
      fc.property(cases, ({ dim, k, rows, query }) =>
        check(Float32Array.from(rows), dim, Float32Array.from(query), k),
      ),
      { numRuns: caseCount(50, 400) },
    )
  })

  it('finds it among few different rows, where everything is a tie', () => {
    const small = fc.constantFrom(-1, 0, 1, 0.5)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(small, small, small), { minLength: 1, maxLength: 400 }),
        fc.tuple(small, small, small),
        fc.integer({ min: 1, max: 30 }),
        (rows, query, k) => check(Float32Array.from(rows.flat()), 3, Float32Array.from(query), k),
      ),
      { numRuns: caseCount(30, 200) },
    )
  })

  it('finds it among rows that differ by the last bit', () => {
    const dim = 48
    const base = unitRows(1, dim, 5)
    const rows = new Float32Array(3000 * dim)
    const next = random(9)
    for (let i = 0; i < rows.length; i++) {
      const value = base[i % dim] as number
      rows[i] = Math.fround(value * (1 + Math.round(next() * 4) * 2 ** -23))
    }
    for (const k of [1, 10, 100]) check(rows, dim, base, k)
  })

  it('finds it when one value of a row dwarfs the others', () => {
    const dim = 32
    const rows = unitRows(2000, dim, 11)
    for (let row = 0; row < 2000; row += 3) rows[row * dim] = 1000
    const query = unitRows(1, dim, 12)
    query[0] = 0
    check(rows, dim, query, 20)
  })

  it.each([384, 383, 1536, 16, 1])('finds it among rows of %i values that look like embeddings', (dim) => {
    const rows = unitRows(5000, dim, dim)
    for (let seed = 0; seed < 5; seed++) check(rows, dim, unitRows(1, dim, 1000 + seed), 10)
    check(rows, dim, rows.slice(7 * dim, 8 * dim), 10)
    check(rows, dim, new Float32Array(dim), 10)
  })

  it('gives equal rows in their order', () => {
    const { table, read } = tableOf(
      Float32Array.from({ length: 4000 }, () => 0.5),
      4,
    )
    expect(searchExact(table, Float32Array.of(1, 1, 1, 1), 4, read).map(({ row }) => row)).toEqual([
      0, 1, 2, 3,
    ])
  })

  it('looks at few of the floats', () => {
    const dim = 384
    const { table, read, reads } = tableOf(unitRows(20_000, dim, 3), dim)
    searchExact(table, unitRows(1, dim, 4), 10, read)
    expect(reads()).toBeLessThan(100)
  })

  it('finds fewer when there are fewer, and none among none', () => {
    const { table, read } = tableOf(Float32Array.of(1, 2, 3), 1)
    expect(searchExact(table, Float32Array.of(1), 10, read).map(({ row }) => row)).toEqual([2, 1, 0])
    expect(searchExact(new QuantizedVectors(0, 4), new Float32Array(4), 5, read)).toEqual([])
  })

  it('comes back from its contents', () => {
    const rows = unitRows(501, 20, 8)
    const { table, read } = tableOf(rows, 20)
    const copy = new QuantizedVectors(501, 20)
    copy.contents.set(table.contents)
    const query = unitRows(1, 20, 77)
    expect(searchExact(copy, query, 9, read)).toEqual(searchExact(table, query, 9, read))
  })

  it.each([
    ['that is no number', Float32Array.of(1, Number.NaN)],
    ['without end', Float32Array.of(Number.NEGATIVE_INFINITY, 1)],
    ['of another length', Float32Array.of(1, 2, 3)],
  ])('refuses a question %s', (_, query) => {
    const { table, read } = tableOf(Float32Array.of(1, 2, 3, 4), 2)
    expect(() => searchExact(table, query, 1, read)).toThrow(
      expect.objectContaining({ code: 'packet.vectors' }),
    )
  })

  it('refuses more rows than memory can hold', () => {
    expect(() => new QuantizedVectors(2 ** 32, 384)).toThrow(
      expect.objectContaining({ code: 'packet.too_large' }),
    )
  })
})

describe('an exact search in blocks', () => {
  /** Blocks that are loaded one by one, against the table in one block and against the plain loop. */
  const compare = (rows: Float32Array, dim: number, query: Float32Array, k: number) => {
    const { table: whole, read } = tableOf(rows, dim)
    const { table: parts } = tableOf(rows, dim, SMALLEST)
    const { blocks } = inBlocks(parts, dim)
    const expected = plainSearch(rows, dim, query, k)
    for (const table of [whole, parts, blocks, blocks])
      expect(searchExact(table, query, k, read)).toEqual(expected)
  }

  it('finds what the whole table finds, whatever the values', () => {
    const cases = fc
      .record({ dim: fc.integer({ min: 1, max: 40 }), count: fc.integer({ min: 0, max: 400 }) })
      .chain(({ dim, count }) =>
        fc.record({
          dim: fc.constant(dim),
          count: fc.constant(count),
          k: fc.integer({ min: 1, max: 100 }),
          // Rows that repeat, so that equal scores lie in different blocks.
          rows: fc.array(fc.array(finite, { minLength: dim, maxLength: dim }), {
            minLength: 1,
            maxLength: 30,
          }),
          query: fc.array(finite, { minLength: dim, maxLength: dim }),
          step: fc.integer({ min: 1, max: 29 }),
        }),
      )
    fc.assert(
      fc.property(cases, ({ dim, count, k, rows, query, step }) => {
        const all = Array.from({ length: count }, (_, i) => rows[(i * step) % rows.length] as number[])
        compare(Float32Array.from(all.flat()), dim, Float32Array.from(query), k)
      }),
      { numRuns: caseCount(30, 300) },
    )
  })

  it.each([63, 64, 65, 128, 191, 1000])('finds it among %i rows that look like embeddings', (count) => {
    const rows = unitRows(count, 48, count)
    for (const k of [1, 10, 200]) compare(rows, 48, unitRows(1, 48, 500), k)
  })

  it('gives equal rows in their order, across blocks', () => {
    compare(new Float32Array(4000).fill(0.5), 4, Float32Array.of(1, 1, 1, 1), 300)
  })

  it('has one block in memory, and loads each once for a question', () => {
    const { table, read } = tableOf(unitRows(1000, 16, 3), 16, SMALLEST)
    const { blocks, loads } = inBlocks(table, 16)
    expect(blocks.contents.length).toBe(64 * (16 + 12))
    searchExact(blocks, unitRows(1, 16, 4), 10, read)
    expect(loads).toEqual(Array.from({ length: 16 }, (_, block) => block))
    // So many rows do not fit into memory, and need not.
    expect(new QuantizedVectors(2 ** 31, 384, { load: () => {} }).contents.length).toBeLessThan(2 ** 20)
  })

  it('loads a block again that failed to load', () => {
    const { table, read } = tableOf(unitRows(200, 16, 3), 16, SMALLEST)
    let fails = true
    const { layout } = table
    const blocks = new QuantizedVectors(200, 16, {
      blockBytes: SMALLEST,
      load: (block, target) => {
        target.set(table.contents.subarray(layout.offsetOf(block), layout.offsetOf(block) + target.length))
        if (block !== 2 || !fails) return
        fails = false
        target.fill(0)
        throw new Error('unreadable')
      },
    })
    const query = unitRows(1, 16, 4)
    expect(() => searchExact(blocks, query, 10, read)).toThrow('unreadable')
    expect(searchExact(blocks, query, 10, read)).toEqual(searchExact(table, query, 10, read))
  })
})

describe('a quantized row', () => {
  it('is no further from the row than it says', () => {
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1, maxLength: 50 }), (list) => {
        const values = Float32Array.from(list)
        const bytes = new Int8Array(values.length)
        const place = { numbers: bytes, at: 0, gap: 0, most: 127, single: true }
        const { scale, residual } = quantize(values, 0, values.length, place)
        const distance = Math.sqrt(
          values.reduce((sum, value, i) => sum + (value - scale * (bytes[i] as number)) ** 2, 0),
        )
        expect(distance).toBeLessThanOrEqual(residual * (1 + 1e-12))
        expect(Math.min(...bytes)).toBeGreaterThanOrEqual(-127)
      }),
    )
  })
})
