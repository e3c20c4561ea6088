import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { embedLocally, LOCAL_DIM, localEmbedder } from '../../../test/support/local-embedder.ts'
import { lexicalOf, sparseBytes } from '../../../test/support/word-index.ts'
import { memorySource } from '../format/faiss.ts'
import { fuseRankings, fuseScores, fusionDepth } from './rank-fusion.ts'
import { readSparse, streamSparse } from './sparse-file.ts'
import { searchTerms, splitWords, stem } from './tokens.ts'

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

it('a text of ASCII has the words that it has beside other letters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
      expect([...searchTerms(text), 'é']).toEqual(searchTerms(`${text} é`))
    }),
  )
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
  ])('finds %s in writing that has no spaces', async (question, row) => {
    const texts = [
      '本手册说明如何安装和配置数据库连接池。',
      '每天夜里自动备份一次，保留三十天。',
      '出張の交通費は領収書を添付して月末までに精算します。',
      'พนักงานต้องแจ้งลาล่วงหน้าสามวันทำการ',
      '鯨は大きい。',
    ]
    expect(rows(await (await lexicalOf(texts)).search(question, 1))).toEqual([row])
    expect(rows(await (await lexicalOf(texts, await sparseBytes(texts))).search(question, 1))).toEqual([row])
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

  it('puts rare words before common ones and short rows before long ones', async () => {
    const index = await lexicalOf(texts)
    expect(rows(await index.search('cat', 10))).toEqual([0, 1])
    expect(rows(await index.search('dog the', 10))).toEqual([1, 0])
    expect(await index.search('whale', 10)).toEqual([])
    expect(await index.search('', 10)).toEqual([])
    expect(rows(await index.search('the', 1))).toEqual([1])
  })

  it('finds a word in all its forms, and writes each as it stands', async () => {
    const forms = ['the mock is closed', 'mocking hosts', 'a host']
    expect(rows(await (await lexicalOf(forms)).search('mocked', 5))).toEqual([1, 0])
    expect(Object.keys(JSON.parse(Buffer.from(await sparseBytes(forms)).toString()).idf)).toEqual(
      'a closed host hosts is mock mocking the'.split(' '),
    )
    const foreign = { idf: {}, doc_len: [2, 1], tf: [{ 'Files,': 1, files: 1 }, { other: 1 }], avgdl: 1.5 }
    const read = await lexicalOf(['', ''], Buffer.from(JSON.stringify(foreign)))
    expect(rows(await read.search('the file', 5))).toEqual([0])
  })

  it('counts as the formula counts', async () => {
    const small = await lexicalOf(['a b', 'a'])
    const idf = Math.log(1 + (2 - 1 + 0.5) / 1.5)
    expect((await small.search('b', 1))[0]?.score).toBeCloseTo(
      (idf * 2.2) / (1 + 1.2 * (0.25 + (0.75 * 2) / 1.5)),
      12,
    )
  })

  it('gives equal rows in their order', async () => {
    expect(rows(await (await lexicalOf(['x', 'y x', 'x', 'x'])).search('x', 3))).toEqual([0, 2, 3])
  })

  it('is written as one JSON object over all rows would be', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc
            .array(
              fc.oneof(fc.constantFrom('the', 'cat', 'readFile', '鯨は'), fc.string({ unit: 'grapheme' })),
            )
            .map((words) => words.join(' ')),
          { maxLength: 12 },
        ),
        async (texts) => {
          const rowWords = texts.map(searchTerms)
          const words = [...new Set(rowWords.flat())].sort()
          const seen = (word: string) => rowWords.filter((row) => row.includes(word)).length
          const pairs = (each: (word: string) => number | undefined) =>
            `{${words.flatMap((word) => (each(word) === undefined ? [] : [`${JSON.stringify(word)}:${each(word)}`])).join()}}`
          const weight = (word: string) =>
            Math.log(1 + (texts.length - seen(word) + 0.5) / (seen(word) + 0.5))
          const counts = rowWords.map((row) =>
            pairs((word) => row.filter((one) => one === word).length || undefined),
          )
          const lengths = rowWords.map(({ length }) => length)
          const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(texts.length, 1)
          expect(Buffer.from(await sparseBytes(texts)).toString()).toBe(
            `{"idf":${pairs(weight)},"doc_len":[${lengths.join()}],"tf":[${counts.join()}],"avgdl":${average}}`,
          )
        },
      ),
    )
  })

  it('comes back from its file, words like __proto__ included', async () => {
    const bytes = await sparseBytes(texts)
    const [index, copy] = [await lexicalOf(texts), await lexicalOf(texts, bytes)]
    for (const question of ['cat', 'dog the', '__proto__', 'proto', 'constructor', 'tostring'])
      expect(await copy.search(question, 10)).toEqual(await index.search(question, 10))
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
  const slowly = (bytes: Uint8Array, count: number) => {
    const { rows: counted, lengths } = readSparse(bytes, count)
    return { rows: [...counted].map((row) => Object.fromEntries(row)), lengths }
  }
  const quickly = async (bytes: Uint8Array, count: number) => {
    const found: Record<string, number>[] = Array.from({ length: count }, () => ({}))
    const row = (at: number, words: readonly string[], times: readonly number[]) => {
      words.forEach((word, i) => {
        Object.defineProperty(found[at], word, { value: times[i], enumerable: true })
      })
      return undefined
    }
    const lengths = await streamSparse(memorySource(bytes), count, (word) => word, {
      row,
      progress: () => {},
    })
    return lengths && { rows: found, lengths: [...lengths] }
  }

  it('gives what JSON in general gives, whatever the texts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 8 }), async (texts) => {
        const bytes = await sparseBytes(texts)
        expect(await quickly(bytes, texts.length)).toEqual(slowly(bytes, texts.length))
      }),
    )
  })

  it('knows many words, and a file of many blocks', async () => {
    const texts = Array.from({ length: 900 }, (_, i) =>
      Array.from({ length: 90 }, (__, j) => `word${i * j}`).join(' '),
    )
    const bytes = await sparseBytes(texts)
    expect(bytes.length).toBeGreaterThan(1_000_000)
    expect(await quickly(bytes, 900)).toEqual(slowly(bytes, 900))
  })

  it('leaves to JSON what is cut off, changed or written otherwise', async () => {
    const texts = ['the cat sat', 'a dog', '']
    const bytes = Buffer.from(await sparseBytes(texts))
    const text = bytes.toString()
    expect(await quickly(bytes, 2)).toBeUndefined()
    expect(await quickly(bytes, 4)).toBeUndefined()
    expect(await quickly(Buffer.from(JSON.stringify(JSON.parse(text), null, 1)), 3)).toBeUndefined()
    expect(await quickly(Buffer.from(text.replaceAll('cat', 'c\\u0061t')), 3)).toBeUndefined()
    for (let end = 0; end < bytes.indexOf('],"avgdl"'); end++)
      expect(await quickly(bytes.subarray(0, end), 3)).toBeUndefined()
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), async (at, byte) => {
        const changed = Buffer.from(bytes)
        changed[at] = byte
        const found = await quickly(changed, 3)
        expect(found === undefined || found.lengths.length === 3).toBe(true)
      }),
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

  it('of scores gives meaning the share of its embedder, else more than words', () => {
    const vectors = [
      { row: 1, score: 0.9 },
      { row: 2, score: 0.1 },
    ]
    const words = [{ row: 2, score: 3 }]
    const scores = (share?: number) =>
      fuseScores({ vectors, words, bestWords: 6, share, k: 2 }).map(({ row, score }) => [row, score])
    expect(scores()).toEqual([
      [1, 0.6],
      [2, 0.4],
    ])
    expect(scores(0.25)).toEqual([
      [2, 0.75],
      [1, 0.25],
    ])
  })

  it('of scores says that a row has no word of the question only where all rows with one are ranked', () => {
    const vectors = [{ row: 99, score: 0.9 }]
    const wordsOf99 = (count: number) => {
      const words = Array.from({ length: count }, (_, row) => ({ row, score: 3 }))
      return fuseScores({ vectors, words, bestWords: 6, k: 5 }).find(({ row }) => row === 99)?.words
    }
    expect(wordsOf99(fusionDepth(5) - 1)).toBe(0)
    expect(wordsOf99(fusionDepth(5))).toBeUndefined()
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
