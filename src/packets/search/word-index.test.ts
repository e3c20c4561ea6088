import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DocTable } from '../../../test/support/doc-table.ts'
import {
  fieldIndexOf,
  lexicalOf,
  openWordIndex,
  textDocs,
  wordIndexBytes,
} from '../../../test/support/word-index.ts'
import { type Doc, IndexedDocs, writeDocs } from '../format/docs.ts'
import { memorySource } from '../format/faiss.ts'
import { byScore } from './exact-search.ts'
import { LexicalIndex } from './lexical.ts'
import { searchTerms, stem } from './tokens.ts'
import { ByteReader, ByteWriter } from './varint.ts'

const rows = (hits: readonly { row: number }[]) => hits.map(({ row }) => row)

/** BM25 as the definition says, in the same order of sums. */
const bm25 = (texts: readonly string[], question: string) => {
  const all = texts.map((text) => searchTerms(text).map(stem))
  const average = all.reduce((sum, { length }) => sum + length, 0) / Math.max(all.length, 1)
  const scores = all.map(() => 0)
  for (const word of [...new Set(searchTerms(question).map(stem))].sort()) {
    const times = all.map((words) => words.filter((one) => one === word).length)
    const seen = times.filter((count) => count > 0).length
    const weight = Math.log(1 + (all.length - seen + 0.5) / (seen + 0.5)) * 2.2
    all.forEach(({ length }, row) => {
      const count = times[row] as number
      const norm = 1.2 * (1 - 0.75 + (0.75 * length) / (average || 1))
      if (count > 0) scores[row] = (scores[row] as number) + (weight * count) / (count + norm)
    })
  }
  return scores
    .map((score, row) => ({ row, score }))
    .filter(({ score }) => score > 0)
    .sort(byScore)
}

const word = fc.constantFrom(
  'lamp',
  'lamps',
  'wick',
  'oil',
  'größe',
  '鯨は',
  'parseHTTP',
  '__proto__',
  'a',
  '😀',
)

describe('numbers of any size', () => {
  it('come back', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeNat()), (numbers) => {
        const writer = new ByteWriter(1)
        for (const number of numbers) writer.varint(number)
        const reader = new ByteReader(writer.written)
        expect(numbers.map(() => reader.varint())).toEqual(numbers)
        expect(reader.atEnd).toBe(true)
      }),
    )
  })
})

describe('a word index in a file', () => {
  it('answers as the formula says, to the last bit', async () => {
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '))
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 40 }), text, async (texts, question) => {
        expect(await (await lexicalOf(texts)).search(question, 50)).toEqual(bm25(texts, question))
      }),
      { numRuns: 60 },
    )
  })

  it('has many rows and many words', async () => {
    const texts = Array.from(
      { length: 3000 },
      (_, i) => `common ${i % 3} unique${i} ${'again '.repeat(i % 5)}`,
    )
    const index = await lexicalOf(texts)
    for (const question of ['common', 'unique2999 common', 'again 2', 'unique0 unique1500'])
      expect(await index.search(question, 20)).toEqual(bm25(texts, question).slice(0, 20))
    expect(await index.search('zzz', 5)).toEqual([])
    expect(await index.search('0', 5)).toEqual(bm25(texts, '0').slice(0, 5))
  })

  it.each(['plain', 'fields'] as const)('of kind %s is the same from many small runs', async (kind) => {
    const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(' '))
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 300 }), text, async (texts, question) => {
        const docs = textDocs(texts)
        const small = await wordIndexBytes({ docs, kind, runSize: 20 })
        const [one, other] = await Promise.all(
          [await wordIndexBytes({ docs, kind }), small].map(async (bytes) =>
            new LexicalIndex(await openWordIndex(bytes)).search(question, 400),
          ),
        )
        expect(other).toEqual(one)
      }),
      { numRuns: 30 },
    )
  })

  it('of no words has no answer', async () => {
    expect(await (await lexicalOf(['', '—'])).search('x', 1)).toEqual([])
    expect(await (await lexicalOf([])).search('x', 1)).toEqual([])
  })

  it('that is damaged or cut off anywhere is a fault or unharmed, and never gives another answer', async () => {
    const texts = Array.from({ length: 50 }, (_, i) => `the cat sat on mat ${i} ${i % 7} größe`)
    const bytes = await wordIndexBytes({ docs: textDocs(texts) })
    const ask = async (given: Uint8Array) => {
      const file = await openWordIndex(given)
      return {
        hits: await new LexicalIndex(file).search('cat 3 17', 5),
        places: [...(await file.docStarts())],
      }
    }
    const whole = await ask(bytes)
    const askOrFault = (given: Uint8Array) =>
      ask(given).catch((thrown: unknown) => {
        expect(thrown).toMatchObject({ code: 'packet.index' })
        return whole
      })
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] as number) ^ flip
        expect(await askOrFault(changed)).toEqual(whole)
      }),
      { numRuns: 300 },
    )
    for (let end = 0; end < bytes.length; end += 97)
      await expect(ask(bytes.subarray(0, end))).rejects.toMatchObject({ code: 'packet.index' })
    await expect(ask(Buffer.concat([bytes, Buffer.from('x')]))).rejects.toMatchObject({
      code: 'packet.index',
    })
  })

  it('is the same bytes for the same files', async () => {
    const docs = textDocs(['the cat', 'a dog'])
    expect(await wordIndexBytes({ docs })).toEqual(await wordIndexBytes({ docs }))
  })

  it('knows where the chunks are', async () => {
    const docs: readonly Doc[] = Array.from({ length: 300 }, (_, i) => ({
      id: String(i),
      text: i % 2 === 0 ? 'x'.repeat(i) : '',
      metadata: { path: `${i % 10}.md` },
    }))
    const bytes = Buffer.concat([Buffer.from('\n \n'), writeDocs(docs), Buffer.from('\n\n')])
    const table = new DocTable(bytes)
    const indexed = new IndexedDocs(
      memorySource(bytes),
      await openWordIndex(await wordIndexBytes({ docs: bytes })),
    )
    expect(indexed.rows).toBe(300)
    for (const row of [0, 1, 17, 299]) expect(await indexed.row(row)).toEqual(table.row(row))
    await expect(indexed.row(300)).rejects.toThrow(RangeError)
    expect(await indexed.rowsWith('"7.md"')).toEqual(Array.from({ length: 30 }, (_, i) => 10 * i + 7))
    expect(await indexed.rowsWith('nowhere')).toEqual([])
    const all: Doc[] = []
    for await (const doc of indexed) all.push(doc)
    expect(all).toEqual([...table])
  })
})

describe('an index with fields', () => {
  const doc = (text: string, metadata: Doc['metadata'] = {}): Doc => ({ id: '', text, metadata })

  it('finds a chunk by its headings, path and symbol', async () => {
    const index = await fieldIndexOf([
      doc('nothing here', { headings: ['Lamps', 'Trimming'], path: 'guide/fog.md' }),
      doc('nothing there', { symbol: 'fillReservoir', path: 'src/tank.ts' }),
      doc('other text', { headings: 'no list', path: 7, symbol: ['x'] }),
    ])
    for (const [question, row] of [
      ['trimming', 0],
      ['lamp', 0],
      ['fog', 0],
      ['reservoir', 1],
      ['tank', 1],
      ['other', 2],
    ] as const)
      expect(rows(await index.search(question, 5))).toEqual([row])
  })

  it('puts a heading before a mention, and words side by side before words apart', async () => {
    const filler = 'one two three four five six seven eight nine ten eleven twelve'
    const index = await fieldIndexOf([
      doc(`the wick is mentioned once ${filler}`),
      doc(`text of a section ${filler} wick`, { headings: ['Wick'] }),
      doc(`copper ${filler} kettle`),
      doc(`${filler} copper kettle`),
      ...Array.from({ length: 6 }, () => doc(filler)),
    ])
    expect(rows(await index.search('wick', 2))).toEqual([1, 0])
    expect(rows(await index.search('copper kettle', 2))).toEqual([3, 2])
    const [near, far] = await index.search('copper kettle', 2)
    expect(near?.score).toBeGreaterThan(far?.score ?? 0)
  })

  it('finds the rows that plain words find, whatever the texts', async () => {
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '))
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 200 }), text, async (texts, question) => {
        const found = await (await fieldIndexOf(texts.map((one) => doc(one)))).search(question, 300)
        expect(rows(found).sort((a, b) => a - b)).toEqual(rows(bm25(texts, question)).sort((a, b) => a - b))
        expect(found.every(({ score }) => Number.isFinite(score))).toBe(true)
      }),
      { numRuns: 40 },
    )
  })
})
