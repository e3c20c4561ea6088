import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runSync } from '../../kernel/async/cooperative.ts'
import { parseSparseFast } from './bm25-fast-parser.ts'
import { LexicalIndex } from './lexical.ts'
import { packTask, unpackLexicalIndex } from './lexical-cache.ts'
import { embedLocally, LOCAL_DIM, localEmbedder } from './local-embedder.ts'
import { fuseRankings, fusionDepth } from './rank-fusion.ts'
import { readSparse, writeSparse } from './sparse-file.ts'
import { searchTerms, splitWords, stem } from './tokens.ts'

const scan = (...given: Parameters<typeof parseSparseFast>) => runSync(parseSparseFast(...given))

const never = new AbortController().signal
const rows = (hits: readonly { row: number }[]) => hits.map(({ row }) => row)

describe('words', () => {
  it.each([
    ['The parseHTTPHeader() call', ['the', 'parsehttpheader', 'parse', 'http', 'header', 'call']],
    ['snake_case-and.dots', ['snake', 'case', 'and', 'dots']],
    ['Größe ﬁle ２', ['größe', 'file', '2']],
    ['', []],
    [`${'x'.repeat(65)} y`, ['y']],
  ])('of %j are %j', (text, words) => {
    expect(splitWords(text)).toEqual(words)
  })
})

describe('what a text is found by', () => {
  it.each([
    ['the cat', ['the', 'cat']],
    ['鯨は', ['鯨は', '鯨', 'は', '鯨は']],
    ['鯨', ['鯨']],
    ['ラベル 1', ['ラベル', '1', 'ラ', 'ベ', 'ラベ', 'ル', 'ベル']],
  ])('of %j is %j', (text, terms) => {
    expect(searchTerms(text)).toEqual(terms)
  })

  it.each([
    ['数据库连接池', 0],
    ['备份保留多少天', 1],
    ['交通費', 2],
    ['แจ้งลา', 3],
    ['鯨', 4],
  ])('finds %s in writing that has no spaces', (question, row) => {
    const texts = [
      '本手册说明如何安装和配置数据库连接池。',
      '每天夜里自动备份一次，保留三十天。',
      '出張の交通費は領収書を添付して月末までに精算します。',
      'พนักงานต้องแจ้งลาล่วงหน้าสามวันทำการ',
      '鯨は大きい。',
    ]
    expect(rows(LexicalIndex.fromTexts(texts).search(question, 1))).toEqual([row])
    expect(rows(LexicalIndex.read(writeSparse(texts), texts.length).search(question, 1))).toEqual([row])
  })
})

describe('the root of a word', () => {
  it.each([
    ['verifies', 'verify'],
    ['verified', 'verify'],
    ['mocking', 'mock'],
    ['hosts', 'host'],
    ['files', 'file'],
    ['is', 'is'],
    ['string', 'string'],
  ])('%s is %s', (word, root) => {
    expect(stem(word)).toBe(root)
  })
})

describe('a lexical index', () => {
  const texts = ['the cat sat', 'the dog sat on the cat', 'birds fly', '', 'constructor __proto__ toString']
  const index = LexicalIndex.fromTexts(texts)

  it('puts rare words before common ones and short rows before long ones', () => {
    expect(rows(index.search('cat', 10))).toEqual([0, 1])
    expect(rows(index.search('dog the', 10))).toEqual([1, 0])
    expect(index.search('whale', 10)).toEqual([])
    expect(index.search('', 10)).toEqual([])
    expect(rows(index.search('the', 1))).toEqual([1])
  })

  it('finds a word in all its forms, and writes each as it stands', () => {
    const forms = ['the mock is closed', 'mocking hosts', 'a host']
    expect(rows(LexicalIndex.fromTexts(forms).search('mocked', 5))).toEqual([1, 0])
    expect(Object.keys(JSON.parse(Buffer.from(writeSparse(forms)).toString()).idf)).toEqual(
      'a closed host hosts is mock mocking the'.split(' '),
    )
    const foreign = { idf: {}, doc_len: [2, 1], tf: [{ 'Files,': 1, files: 1 }, { other: 1 }], avgdl: 1.5 }
    const read = LexicalIndex.read(Buffer.from(JSON.stringify(foreign)), 2)
    expect(rows(read.search('the file', 5))).toEqual([0])
  })

  it('counts as the formula counts', () => {
    const small = LexicalIndex.fromTexts(['a b', 'a'])
    const idf = Math.log(1 + (2 - 1 + 0.5) / 1.5)
    expect(small.search('b', 1)[0]?.score).toBeCloseTo(
      (idf * 2.2) / (1 + 1.2 * (0.25 + (0.75 * 2) / 1.5)),
      12,
    )
  })

  it('gives equal rows in their order', () => {
    expect(rows(LexicalIndex.fromTexts(['x', 'y x', 'x', 'x']).search('x', 3))).toEqual([0, 2, 3])
  })

  it('comes back from its file, words like __proto__ included', () => {
    const bytes = writeSparse(texts)
    const copy = LexicalIndex.read(bytes, texts.length)
    for (const question of ['cat', 'dog the', '__proto__', 'proto', 'constructor', 'tostring'])
      expect(copy.search(question, 10)).toEqual(index.search(question, 10))
    const { idf, doc_len, tf, avgdl } = JSON.parse(Buffer.from(bytes).toString())
    expect({ doc_len, first: tf[0], avgdl }).toEqual({
      doc_len: [3, 6, 2, 0, 5],
      first: { cat: 1, sat: 1, the: 1 },
      avgdl: 3.2,
    })
    expect(idf.birds).toBeCloseTo(Math.log(1 + 4.5 / 1.5), 12)
  })

  it.each([
    '',
    '[]',
    '{"doc_len":[1],"tf":[]}',
    '{"doc_len":[1],"tf":[{"a":"many"}]}',
    '{"doc_len":[-1],"tf":[{}]}',
    '{"doc_len":[1],"tf":[{"a":0.5}]}',
    '{"doc_len":[1],"tf":[[]]}',
    '{"doc_len":[1,2],"tf":[{},{}]}',
  ])('%j is refused', (text) => {
    expect(() => readSparse(Buffer.from(text), 1)).toThrow(expect.objectContaining({ code: 'packet.index' }))
  })
})

describe('the quick way to read sparse/bm25.json', () => {
  const same = (word: string) => word
  const slowly = (bytes: Uint8Array, count: number) => {
    const { rows: counted, lengths } = readSparse(bytes, count)
    return { rows: [...counted].map((row) => Object.fromEntries(row)), lengths }
  }
  const quickly = (bytes: Uint8Array, count: number) => {
    const scanned = scan(bytes, count, same)
    if (scanned === undefined) return undefined
    const found: Record<string, number>[] = Array.from({ length: count }, () => ({}))
    for (const [word, { rows: places, counts }] of scanned.postings)
      places.forEach((row, i) => {
        Object.defineProperty(found[row], word, { value: counts[i], enumerable: true })
      })
    return { rows: found, lengths: scanned.lengths }
  }

  it('gives what JSON in general gives, whatever the texts', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 8 }), (texts) => {
        const bytes = writeSparse(texts)
        expect(quickly(bytes, texts.length)).toEqual(slowly(bytes, texts.length))
      }),
    )
  })

  it('knows many words', () => {
    const texts = Array.from({ length: 40 }, (_, i) =>
      Array.from({ length: 90 }, (__, j) => `w${i * j}`).join(' '),
    )
    expect(quickly(writeSparse(texts), 40)).toEqual(slowly(writeSparse(texts), 40))
  })

  it('leaves to JSON what is cut off, changed or written otherwise', () => {
    const texts = ['the cat sat', 'a dog', '']
    const bytes = Buffer.from(writeSparse(texts))
    expect(scan(bytes, 2, same)).toBeUndefined()
    expect(scan(bytes, 4, same)).toBeUndefined()
    expect(scan(Buffer.from(JSON.stringify(JSON.parse(bytes.toString()), null, 1)), 3, same)).toBeUndefined()
    expect(scan(Buffer.from(bytes.toString().replaceAll('cat', 'c\\u0061t')), 3, same)).toBeUndefined()
    for (let end = 0; end < bytes.indexOf('],"avgdl"'); end++)
      expect(scan(bytes.subarray(0, end), 3, same)).toBeUndefined()
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, byte) => {
        const changed = Buffer.from(bytes)
        changed[at] = byte
        const found = scan(changed, 3, same)
        expect(found === undefined || found.lengths.length === 3).toBe(true)
      }),
    )
  })
})

it('an index of many rows is read and packed in steps', () => {
  const texts = Array.from({ length: 2000 }, (_, i) => `${'lamp wick oil '.repeat(20)} word${i} and ${i % 7}`)
  const made = LexicalIndex.fromTexts(texts)
  const steps = [...LexicalIndex.buildTask(texts)]
  expect(steps.length).toBeGreaterThan(5)
  const words = Array.from({ length: 200 }, (_, i) => [`long-word-number-${i}`, 1])
  const tf = Array.from({ length: 2000 }, () => Object.fromEntries(words))
  const sparse = { idf: {}, doc_len: tf.map(() => 200), tf, avgdl: 200 }
  const bytes = Buffer.from(JSON.stringify(sparse))
  expect([...LexicalIndex.readTask(bytes, 2000)].length).toBeGreaterThan(5)
  const read = LexicalIndex.read(bytes, 2000)
  expect([...packTask(read)].length).toBeGreaterThan(0)
  expect(made.search('word7', 1)).toMatchObject([{ row: 7 }])
})

describe('packed words', () => {
  const texts = ['the cat sat', 'the dog', '', '__proto__ größe cat cat']
  const index = LexicalIndex.fromTexts(texts)
  const packLexicalIndex = (one: LexicalIndex) => runSync(packTask(one))
  const packed = packLexicalIndex(index)

  it('answer as the index they were made from', () => {
    const copy = unpackLexicalIndex(packed, texts.length)
    for (const question of ['cat', 'the dog', 'proto', 'größe', 'nothing'])
      expect(copy?.search(question, 5)).toEqual(index.search(question, 5))
    expect(copy && packLexicalIndex(copy)).toEqual(packed)
    expect(unpackLexicalIndex(packLexicalIndex(LexicalIndex.fromTexts([''])), 1)?.search('x', 1)).toEqual([])
  })

  it('that are not whole are none', () => {
    expect(unpackLexicalIndex(packed, 3)).toBeUndefined()
    expect(unpackLexicalIndex(new Uint8Array(), 0)).toBeUndefined()
    expect(unpackLexicalIndex(packed.subarray(0, 30), 4)).toBeUndefined()
    expect(unpackLexicalIndex(Buffer.concat([packed, Buffer.from('x')]), 4)).toBeUndefined()
    fc.assert(
      fc.property(fc.nat(packed.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = Buffer.from(packed)
        bytes[at] = (bytes[at] as number) ^ flip
        const read = unpackLexicalIndex(bytes, texts.length)
        // Whatever was changed, it is refused or can be asked.
        expect(read?.search('cat the', 5) ?? []).toBeInstanceOf(Array)
      }),
      { numRuns: 300 },
    )
  })
})

describe('fusion', () => {
  const hits = (...list: number[]) => ({ hits: list.map((row) => ({ row, score: 1 })), weight: 1 })

  it('prefers what both rankings have, and ties go by row', () => {
    expect(rows(fuseRankings([hits(5, 1, 9), hits(1, 7)], 10))).toEqual([1, 5, 7, 9])
    expect(fuseRankings([hits(4), hits(3)], 10)).toEqual([
      { row: 3, score: 1 / 61 },
      { row: 4, score: 1 / 61 },
    ])
    expect(rows(fuseRankings([hits(1, 2, 3)], 2))).toEqual([1, 2])
    expect([1, 5, 20].map(fusionDepth)).toEqual([20, 20, 80])
  })

  it('lets the built-in embedder fill up what words leave, and push nothing aside', () => {
    const weight = localEmbedder.weight ?? 1
    const weak = { ...hits(9, 5, 2, 1), weight }
    expect(rows(fuseRankings([weak, hits(1, 5, 2)], 10))).toEqual([1, 5, 2, 9])
    expect(rows(fuseRankings([weak, hits()], 10))).toEqual([9, 5, 2, 1])
    const many = Array.from({ length: 10 }, (_, row) => row)
    expect(rows(fuseRankings([{ ...hits(...many.toReversed()), weight }, hits(...many)], 10))).toEqual(many)
  })
})

describe('the local embedder', () => {
  const likeness = (a: string, b: string) => {
    const [x, y] = [embedLocally(a), embedLocally(b)]
    return x.reduce((sum, value, i) => sum + value * (y[i] as number), 0)
  }

  it('gives the same vector for the same text, for ever', async () => {
    const {
      values,
      rows: count,
      dim,
    } = await localEmbedder.embed(['verify the digest', ''], 'document', never)
    expect({ count, dim }).toEqual({ count: 2, dim: LOCAL_DIM })
    expect(values.slice(0, LOCAL_DIM)).toEqual(embedLocally('verify the digest'))
    expect(values.slice(LOCAL_DIM).every((value) => value === 0)).toBe(true)
    const { createHash } = await import('node:crypto')
    const print = createHash('sha256')
      .update(new Uint8Array(embedLocally('verify the digest').buffer))
      .digest('hex')
    expect(print.slice(0, 16)).toMatchInlineSnapshot(`"dfef8e11d0263a59"`)
  })

  it('finds texts alike that share words or parts of words', () => {
    expect(likeness('how are digests verified', 'verify the digest of a blob')).toBeGreaterThan(0.15)
    expect(likeness('how are digests verified', 'the cat sat on a mat')).toBeLessThan(0.1)
    expect(likeness('openFile', 'open file')).toBeGreaterThan(0.3)
    expect(likeness('same words', 'same words')).toBeCloseTo(1, 5)
  })
})
