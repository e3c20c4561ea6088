import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder, sweep } from '../../../../test/support/binary.ts'
import { embedLocally, LOCAL_DIM } from '../../../../test/support/local-embedder.ts'
import { hnswFile } from '../../../../test/support/packet-hnsw.ts'
import { noAbort } from '../../../../test/support/packet-setup.ts'
import { writeFlatIndex } from '../../../packets/format/faiss.ts'
import { systemClock } from '../../system/clock.ts'
import { openVectors, vectorMemory } from './vector-file.ts'

afterAll(sweep)

const texts = Array.from({ length: 300 }, (_, i) => `chunk ${i} speaks of topic ${i % 7} and item ${i * i}`)
const values = new Float32Array(texts.length * LOCAL_DIM)
texts.forEach((text, row) => {
  values.set(embedLocally(text), row * LOCAL_DIM)
})
const expected = { rows: texts.length, dim: LOCAL_DIM }

const place = async () => {
  const folder = await makeFolder()
  const files = { index: join(folder, 'index.faiss'), table: join(folder, 'index.i8') }
  await writeFile(files.index, writeFlatIndex({ ...expected, values }))
  return { folder, files }
}
const rowsFor = async (files: { index: string; table: string }, text: string) => {
  const index = await openVectors(files, expected, systemClock)
  try {
    return (await index.search(embedLocally(text), 5, noAbort)).map(({ row }) => row)
  } finally {
    index.close()
  }
}

describe('an index in files', () => {
  it('is searched, and keeps its bytes for the next time', async () => {
    const { folder, files } = await place()
    const first = await rowsFor(files, texts[42] as string)
    expect(first[0]).toBe(42)
    expect((await readdir(folder)).sort()).toEqual(['index.faiss', 'index.i8'])
    const bytes = await readFile(files.table)
    expect(await rowsFor(files, texts[42] as string)).toEqual(first)
    expect(await readFile(files.table)).toEqual(bytes)
  })

  it.each<[string, (path: string) => Promise<void>]>([
    ['cut off', (path) => truncate(path, 1000)],
    ['empty', (path) => writeFile(path, '')],
    ['of another index', (path) => writeFile(path, Buffer.alloc(0x20000))],
  ])('makes its bytes again when they are %s', async (_, damage) => {
    const { files } = await place()
    const first = await rowsFor(files, 'topic 3')
    const bytes = await readFile(files.table)
    await damage(files.table)
    expect(await rowsFor(files, 'topic 3')).toEqual(first)
    expect(await readFile(files.table)).toEqual(bytes)
  })

  it('makes its bytes again when its vectors were made again', async () => {
    const { files } = await place()
    const last = texts.length - 1
    expect((await rowsFor(files, texts[42] as string))[0]).toBe(42)
    const turned = new Float32Array(values.length)
    for (let row = 0; row <= last; row++)
      turned.set(values.subarray(row * LOCAL_DIM, (row + 1) * LOCAL_DIM), (last - row) * LOCAL_DIM)
    await writeFile(files.index, writeFlatIndex({ ...expected, values: turned }))
    expect((await rowsFor(files, texts[42] as string))[0]).toBe(last - 42)
  })

  it('does not wait for a pipe that lies where its bytes are kept', async () => {
    const { files } = await place()
    execFileSync('mkfifo', [files.table])
    expect((await rowsFor(files, texts[42] as string))[0]).toBe(42)
  })

  it('a FAISS file with an HNSW graph gives the same answers as the flat file', async () => {
    const { files } = await place()
    const graph = await place()
    await writeFile(graph.files.index, hnswFile(writeFlatIndex({ ...expected, values })))
    for (const text of ['topic 3', 'item 81', texts[42] as string])
      expect(await rowsFor(graph.files, text)).toEqual(await rowsFor(files, text))
  })

  it('ignores the graph file that an earlier version left beside the table', async () => {
    const { files } = await place()
    await writeFile(`${files.table}.graph`, 'WRNT-HN\x01')
    expect((await rowsFor(files, texts[42] as string))[0]).toBe(42)
  })

  it('is opened by many at once, and made once', async () => {
    const { folder, files } = await place()
    const all = await Promise.all(Array.from({ length: 8 }, () => rowsFor(files, 'item 81')))
    expect(new Set(all.map(String)).size).toBe(1)
    expect((await readdir(folder)).sort()).toEqual(['index.faiss', 'index.i8'])
  })

  it.each<[string, (path: string) => Promise<void>, string]>([
    ['has lost its end', (path) => truncate(path, 5000), 'packet.index'],
    [
      'has another shape',
      (path) => writeFile(path, writeFlatIndex({ rows: 1, dim: 2, values: new Float32Array(2) })),
      'packet.index',
    ],
    [
      'has a value that is no number',
      (path) =>
        writeFile(
          path,
          writeFlatIndex({ ...expected, values: values.map((v, i) => (i === 9 ? Number.NaN : v)) }),
        ),
      'packet.vectors',
    ],
    [
      'is gone',
      (path) => writeFile(`${path}.x`, '').then(() => import('node:fs/promises').then(({ rm }) => rm(path))),
      'packet_disk.failed',
    ],
  ])('is refused when it %s', async (_, damage, code) => {
    const { files } = await place()
    await damage(files.index)
    await expect(openVectors(files, expected, systemClock)).rejects.toMatchObject({ code })
  })
})

describe('a table that is read in blocks', () => {
  const limits = { blockBytes: 100 * (LOCAL_DIM + 12), keptBytes: 0 }
  const answers = async (files: { index: string; table: string }, more?: typeof limits) => {
    const index = await openVectors(files, expected, systemClock, more)
    const found = []
    for (const text of ['topic 3', 'item 81', texts[42] as string])
      for (const k of [1, 5, 300]) found.push(await index.search(embedLocally(text), k, noAbort))
    index.close()
    return found
  }

  it('gives the answers of one in memory, made now or earlier', async () => {
    const { folder, files } = await place()
    const kept = await answers(files)
    expect(await answers(files, limits)).toEqual(kept)
    const bytes = await readFile(files.table)
    expect(await answers(files, limits)).toEqual(kept)
    expect(await readFile(files.table)).toEqual(bytes)
    // The same blocks, of which all are kept.
    expect(await answers(files, { ...limits, keptBytes: 2 ** 20 })).toEqual(kept)
    expect(await readFile(files.table)).toEqual(bytes)
    expect((await readdir(folder)).sort()).toEqual(['index.faiss', 'index.i8'])
  })

  it('is in memory where it cannot be written', async () => {
    const { folder, files } = await place()
    const kept = await answers(files)
    const table = join(folder, 'taken')
    await mkdir(join(table, 'file'), { recursive: true })
    expect(await answers({ ...files, table }, limits)).toEqual(kept)
    expect((await readdir(folder)).sort()).toEqual(['index.faiss', 'index.i8', 'taken'])
  })

  it('leaves nothing when a value in its last block is no number', async () => {
    const { folder, files } = await place()
    const damaged = values.map((value, i) => (i === values.length - 1 ? Number.NaN : value))
    await writeFile(files.index, writeFlatIndex({ ...expected, values: damaged }))
    await expect(answers(files, limits)).rejects.toMatchObject({ code: 'packet.vectors' })
    expect(await readdir(folder)).toEqual(['index.faiss'])
  })

  it('goes on with its file when another process replaces it', async () => {
    const { files } = await place()
    const index = await openVectors(files, expected, systemClock, limits)
    const first = await index.search(embedLocally('topic 3'), 5, noAbort)
    // Blocks of another size: the file is made again.
    expect(await rowsFor(files, 'topic 3')).toEqual(first.map(({ row }) => row))
    expect(await index.search(embedLocally('topic 3'), 5, noAbort)).toEqual(first)
    index.close()
  })

  it('is refused when it is cut off while it is open, and made again by the next to open it', async () => {
    const { files } = await place()
    const index = await openVectors(files, expected, systemClock, limits)
    const search = () => index.search(embedLocally('topic 3'), 5, noAbort)
    const rows = (await search()).map(({ row }) => row)
    await truncate(files.table, 2000)
    await expect(search()).rejects.toMatchObject({ code: 'packet.index' })
    expect(await rowsFor(files, 'topic 3')).toEqual(rows)
    index.close()
  })

  it('counts as one block, one in memory as all its rows', () => {
    expect(vectorMemory({ rows: 1000, dim: 384 })).toBe(396_032)
    expect(vectorMemory({ rows: 10 ** 6, dim: 384 })).toBe(2 ** 20)
  })
})
