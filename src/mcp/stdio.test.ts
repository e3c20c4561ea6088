import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineReader } from './stdio.ts'

const LIMIT = 64

const readAll = (chunks: readonly Buffer[]): string[] => {
  const seen: string[] = []
  const reader = new LineReader(LIMIT, {
    line: (text) => seen.push(`line ${text}`),
    oversize: () => seen.push('oversize'),
    garbled: () => seen.push('garbled'),
  })
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return seen
}

/** What the reader must say, found the slow and obvious way. */
const expected = (bytes: Buffer): string[] => {
  const text = bytes.toString('latin1')
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => {
    if (line.length > LIMIT) return 'oversize'
    const raw = Buffer.from(line.endsWith('\r') ? line.slice(0, -1) : line, 'latin1')
    const decoded = raw.toString('utf8')
    return Buffer.from(decoded, 'utf8').equals(raw) ? `line ${decoded}` : 'garbled'
  })
}

describe('lines', () => {
  it('do not depend on how the bytes were cut into chunks', () => {
    const piece = fc.oneof(
      fc.constantFrom('\n', '\r\n', '{}', 'é', '😀', 'x'.repeat(70)).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
    )
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.array(fc.nat(40), { maxLength: 20 }),
        (pieces, cuts) => {
          const bytes = Buffer.concat(pieces)
          const chunks: Buffer[] = []
          let from = 0
          for (const cut of cuts) {
            chunks.push(bytes.subarray(from, from + cut))
            from += cut
          }
          chunks.push(bytes.subarray(from))
          expect(readAll(chunks)).toEqual(expected(bytes))
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('past the limit cost one report however long they go on', () => {
    const long = Array.from({ length: 1_000 }, () => Buffer.from('x'.repeat(1_000)))
    expect(readAll([...long, Buffer.from('\n{}\n')])).toEqual(['oversize', 'line {}'])
  })

  it('of exactly the limit are served', () => {
    expect(readAll([Buffer.from(`${'x'.repeat(LIMIT)}\n`)])).toEqual([`line ${'x'.repeat(LIMIT)}`])
  })
})
