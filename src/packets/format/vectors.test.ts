import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hnswFile } from '../../../test/support/packet-hnsw.ts'
import { copyFloats, memorySource, readFlatIndex, writeFlatIndex } from './faiss.ts'
import { decodeFloat16, encodeFloat16, normalizeRow, readVectors, writeVectors } from './vectors.ts'

const halves = Array.from({ length: 0x10000 }, (_, bits) => decodeFloat16(bits))

describe('binary16', () => {
  it('gives every value back', () => {
    const lost = halves.filter((value, bits) => !Number.isNaN(value) && encodeFloat16(value) !== bits)
    expect(lost).toEqual([])
    expect(halves[0x3c00]).toBe(1)
    expect(halves[0x7bff]).toBe(65504)
    expect(halves[0x0001]).toBe(2 ** -24)
    expect(encodeFloat16(Number.NaN)).toBe(0x7e00)
  })

  it('rounds to the nearest, and to the even of two', () => {
    const positive = halves.slice(0, 0x7c00)
    const nearest = (value: number): number => {
      if (value >= 65520) return 0x7c00
      let low = 0
      let high = positive.length - 1
      while (high - low > 1) {
        const middle = (low + high) >> 1
        if ((positive[middle] as number) <= value) low = middle
        else high = middle
      }
      const [down, up] = [value - (positive[low] as number), (positive[high] as number) - value]
      if (down === up) return low % 2 === 0 ? low : high
      return down < up ? low : high
    }
    const bits = fc.integer({ min: 0, max: 0x7f7f_ffff })
    const float = (word: number) => new Float32Array(new Uint32Array([word]).buffer)[0] as number
    fc.assert(
      fc.property(fc.oneof(bits, fc.integer({ min: 0x3300_0000, max: 0x4780_0000 })), (word) => {
        expect(encodeFloat16(float(word))).toBe(nearest(float(word)))
        expect(encodeFloat16(-float(word))).toBe(nearest(float(word)) | 0x8000)
      }),
      { numRuns: 5000 },
    )
    for (const tie of [1 + 2 ** -11, 1 + 3 * 2 ** -11, 2 ** -25, 3 * 2 ** -25, 65519.996, 65520]) {
      expect(encodeFloat16(tie)).toBe(nearest(Math.fround(tie)))
    }
  })
})

describe('vectors.f16.bin', () => {
  it('holds 0 to 11 as three rows of four', () => {
    const values = Float32Array.from({ length: 12 }, (_, i) => i)
    const bytes = writeVectors({ rows: 3, dim: 4, values })
    expect(Buffer.from(bytes).toString('hex')).toBe('0000003c0040004200440045004600470048804800498049')
    expect(readVectors(bytes, 4)).toEqual({ rows: 3, dim: 4, values })
  })

  it.each([
    ['no dimension', new Uint8Array(8), 0],
    ['a negative dimension', new Uint8Array(8), -4],
    ['half a dimension', new Uint8Array(8), 1.5],
    ['a row cut off', new Uint8Array(9), 4],
    ['rows of another length', new Uint8Array(8), 3],
    ['a value that is not a number', Uint8Array.of(0, 0x7e, 0, 0), 2],
    ['an infinite value', Uint8Array.of(0, 0x7c, 0, 0), 2],
  ])('with %s is refused', (_, bytes, dim) => {
    expect(() => readVectors(bytes, dim)).toThrow(expect.objectContaining({ code: 'packet.vectors' }))
  })

  it('rows are scaled to length one, and zeros stay', () => {
    expect([...normalizeRow(Float32Array.of(3, 4))]).toEqual([Math.fround(0.6), Math.fround(0.8)])
    expect([...normalizeRow(Float32Array.of(0, 0))]).toEqual([0, 0])
  })
})

const sample = { rows: 2, dim: 3, values: Float32Array.of(1, 2, 3, -0.5, 0.25, 1e-3) }

describe('index.faiss', () => {
  it('is laid out as FAISS lays it out', async () => {
    const bytes = writeFlatIndex(sample)
    expect(Buffer.from(bytes).toString('hex')).toBe(
      '49784649' +
        '03000000' +
        '0200000000000000' +
        '0000100000000000' +
        '0000100000000000' +
        '01' +
        '00000000' +
        '0600000000000000' +
        '0000803f0000004000004040000000bf0000803e6f12833a',
    )
    expect(await readFlatIndex(memorySource(bytes))).toEqual({ dim: 3, rows: 2, offset: 45 })
    expect(copyFloats(bytes.subarray(45))).toEqual(sample.values)
  })

  it('of no rows is its header alone', async () => {
    const bytes = writeFlatIndex({ rows: 0, dim: 4, values: new Float32Array(0) })
    expect(bytes).toHaveLength(45)
    expect(await readFlatIndex(memorySource(bytes))).toEqual({ dim: 4, rows: 0, offset: 45 })
  })

  it('with a graph has the same rows', async () => {
    const bytes = hnswFile(writeFlatIndex(sample))
    const { dim, rows, offset } = await readFlatIndex(memorySource(bytes))
    expect({ dim, rows }).toEqual({ dim: 3, rows: 2 })
    expect(copyFloats(bytes.subarray(offset))).toEqual(sample.values)
  })

  const damaged = (change: (bytes: Buffer) => void): Uint8Array => {
    const bytes = Buffer.from(writeFlatIndex(sample))
    change(bytes)
    return bytes
  }
  it.each<[string, Uint8Array]>([
    ['nothing in it', new Uint8Array(0)],
    ['half a header', writeFlatIndex(sample).subarray(0, 40)],
    ['a row missing', writeFlatIndex(sample).subarray(0, 60)],
    ['bytes behind its rows', Buffer.concat([writeFlatIndex(sample), Buffer.from('x')])],
    ['another magic', damaged((b) => b.write('ELF!'))],
    ['L2 rows', damaged((b) => b.write('IxF2'))],
    ['an id map', damaged((b) => b.write('IxMp'))],
    ['the L2 metric', damaged((b) => b.writeInt32LE(1, 33))],
    ['an unknown metric', damaged((b) => b.writeInt32LE(99, 33))],
    ['no dimension', damaged((b) => b.writeInt32LE(0, 4))],
    ['a negative dimension', damaged((b) => b.writeInt32LE(-3, 4))],
    ['a huge dimension', damaged((b) => b.writeInt32LE(2 ** 30, 4))],
    ['negative rows', damaged((b) => b.writeBigInt64LE(-1n, 8))],
    ['rows beyond all numbers', damaged((b) => b.writeBigInt64LE(2n ** 62n, 8))],
    ['a count that wraps round', damaged((b) => b.writeBigUInt64LE(2n ** 64n - 1n, 37))],
    ['a graph with a forged length', hnswFile(writeFlatIndex(sample)).fill(0xff, 37, 45)],
    ['a graph over nothing', hnswFile(new Uint8Array(37))],
    ['a graph over other rows', hnswFile(damaged((b) => b.writeBigInt64LE(1n, 8)))],
  ])('with %s is refused', async (_, bytes) => {
    await expect(readFlatIndex(memorySource(bytes))).rejects.toMatchObject({ code: 'packet.index' })
  })
})
