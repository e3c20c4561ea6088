import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHUNK_SIZES, chunkText } from './chunk.ts'

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`).join('\n')
const places = (text: string, spans = [] as { start: number; symbol?: string }[]) =>
  chunkText(text, spans, CHUNK_SIZES).map(({ start, end }) => [start, end])

describe('a text in windows', () => {
  it.each([
    [1, [[1, 1]]],
    [80, [[1, 80]]],
    [
      81,
      [
        [1, 80],
        [71, 81],
      ],
    ],
    [
      150,
      [
        [1, 80],
        [71, 150],
      ],
    ],
    [
      151,
      [
        [1, 80],
        [71, 150],
        [141, 151],
      ],
    ],
  ])('of %i lines is cut at %j', (count, expected) => {
    expect(places(numbered(count))).toEqual(expected)
  })

  it('has no blank lines around its chunks, and true numbers', () => {
    expect(chunkText('\n\n  a\n\n b\n\n', [], CHUNK_SIZES)).toEqual([{ text: 'a\n\n b', start: 3, end: 5 }])
    expect(chunkText('\r\n\r\nx\r\n', [], CHUNK_SIZES)).toEqual([{ text: 'x', start: 3, end: 3 }])
    expect(chunkText('a\rb\n\nc', [], CHUNK_SIZES)).toEqual([{ text: 'a\rb\n\nc', start: 1, end: 3 }])
    expect(chunkText('a\r\rb\r', [], CHUNK_SIZES)).toEqual([{ text: 'a\n\nb', start: 1, end: 3 }])
    expect(chunkText(' \n\t\n', [], CHUNK_SIZES)).toEqual([])
  })

  it('is one chunk when it shall not be cut, and ends whatever the overlap', () => {
    expect(chunkText(numbered(500), [], { lines: 0, overlap: 10 })).toHaveLength(1)
    expect(chunkText(numbered(5), [], { lines: 2, overlap: 99 })).toHaveLength(4)
  })
})

describe('a text with parts', () => {
  it('is cut where they begin; what stands before is kept', () => {
    const spans = [
      { start: 30, symbol: 'f' },
      { start: 60, symbol: 'g' },
    ]
    expect(
      chunkText(numbered(200), spans, CHUNK_SIZES).map(({ start, end, symbol }) => [start, end, symbol]),
    ).toEqual([
      [1, 29, undefined],
      [30, 59, 'f'],
      [60, 139, 'g'],
      [130, 200, 'g'],
    ])
  })

  it('puts small parts together', () => {
    const spans = [1, 4, 7, 10].map((start) => ({ start, symbol: `s${start}` }))
    expect(chunkText(numbered(12), spans, CHUNK_SIZES)).toMatchObject([{ start: 1, end: 12, symbol: 's1' }])
    const later = [{ start: 3, symbol: 's', headings: ['One', 's'] }]
    expect(chunkText(numbered(12), later, CHUNK_SIZES)).toMatchObject([{ ...later[0], start: 1, end: 12 }])
  })

  it('loses no line that is not blank, whatever the parts', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.array(fc.integer({ min: -5, max: 320 }), { maxLength: 12 }),
        (count, starts) => {
          const seen = new Set(
            chunkText(
              numbered(count),
              starts.map((start) => ({ start })),
              CHUNK_SIZES,
            ).flatMap(({ text, start, end }) => {
              expect(text.split('\n')).toEqual(
                Array.from({ length: end - start + 1 }, (_, i) => `line ${start + i}`),
              )
              return text.split('\n')
            }),
          )
          expect(seen.size).toBe(count)
        },
      ),
    )
  })
})
