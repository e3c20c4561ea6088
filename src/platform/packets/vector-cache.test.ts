import { execFileSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder, sweep } from '../../../test/support/binary.ts'
import { noAbort } from '../../../test/support/packet-setup.ts'
import type { Embedder } from '../../packets/embed.ts'
import { cacheDocuments } from './vector-cache.ts'

afterAll(sweep)

/** An embedder that remembers what it was asked. */
const counting = (model: string, dim = 2) => {
  const asked: string[] = []
  const embedder: Embedder = {
    model,
    provider: 'test',
    dim,
    embed: async (texts) => {
      asked.push(...texts)
      const values = Float32Array.from(texts.flatMap((text) => [text.length, ...Array(dim - 1).fill(1)]))
      return { rows: texts.length, dim, values }
    },
  }
  return { asked, embedder }
}
const folderOf = async (root: string) => {
  const base = join(root, 'cache/embeddings/documents')
  return join(base, (await readdir(base))[0] ?? '')
}

describe('vectors of documents', () => {
  it('are asked for once, by whatever process, and come back in the order of the texts', async () => {
    const root = await makeFolder()
    const first = counting('m')
    const embedder = cacheDocuments(first.embedder, root)
    await embedder.embed(['a'], 'document', noAbort)
    await embedder.embed(['a', 'bbb'], 'document', noAbort)
    expect(first.asked).toEqual(['a', 'bbb'])
    const second = counting('m')
    const { rows, dim, values } = await cacheDocuments(second.embedder, root).embed(
      ['bbb', 'cc', 'a'],
      'document',
      noAbort,
    )
    expect(second.asked).toEqual(['cc'])
    expect({ rows, dim, values: [...values] }).toEqual({ rows: 3, dim: 2, values: [3, 1, 2, 1, 1, 1] })
  })

  it('leave an embedder what decides how its packets are searched', async () => {
    const { embedder } = counting('m')
    const kept = { share: 0.5, windows: () => [] }
    expect(cacheDocuments({ ...embedder, ...kept }, await makeFolder())).toMatchObject(kept)
  })

  it.runIf(process.platform === 'linux')('are looked through once, however many are asked for', async () => {
    const root = await makeFolder()
    const texts = Array.from({ length: 64 }, (_, at) => 'x'.repeat(at))
    await cacheDocuments(counting('m', 1_000).embedder, root).embed(texts, 'document', noAbort)
    const { asked, embedder } = counting('m', 1_000)
    const again = cacheDocuments(embedder, root)
    const readSoFar = async () => Number(/rchar: (\d+)/.exec(await readFile('/proc/self/io', 'utf8'))?.[1])
    const before = await readSoFar()
    await again.embed(texts, 'document', noAbort)
    expect(asked).toEqual([])
    // Keys and vectors, and room for whatever else this process reads; 64 times the file would be 16 MB.
    expect((await readSoFar()) - before).toBeLessThan(4_000_000)
  })

  it('are asked for again where a pipe lies in the place of what was kept', async () => {
    const root = await makeFolder()
    await cacheDocuments(counting('m').embedder, root).embed(['a'], 'document', noAbort)
    execFileSync('mkfifo', [join(await folderOf(root), `${'0'.repeat(64)}.vec`)])
    const second = counting('m')
    await cacheDocuments(second.embedder, root).embed(['a', 'b'], 'document', noAbort)
    expect(second.asked).toEqual(['b'])
  })

  it('of another model are others, and questions are not kept', async () => {
    const root = await makeFolder()
    await cacheDocuments(counting('m').embedder, root).embed(['a'], 'document', noAbort)
    const other = counting('n')
    const embedder = cacheDocuments(other.embedder, root)
    await embedder.embed(['a'], 'document', noAbort)
    await embedder.embed(['a'], 'query', noAbort)
    expect(other.asked).toEqual(['a', 'a'])
  })

  it.each<[string, (bytes: Buffer) => Uint8Array]>([
    ['are cut off', (bytes) => bytes.subarray(0, -1)],
    ['have a flipped bit', (bytes) => bytes.fill((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1)],
    ['are something else', () => Buffer.from('something else altogether')],
    ['are empty', () => Buffer.alloc(0)],
  ])('are asked for again when their files %s', async (_, damage) => {
    const root = await makeFolder()
    await cacheDocuments(counting('m').embedder, root).embed(['a', 'bbb'], 'document', noAbort)
    const folder = await folderOf(root)
    for (const name of await readdir(folder))
      await writeFile(join(folder, name), damage(await readFile(join(folder, name))))
    const again = counting('m')
    const { values } = await cacheDocuments(again.embedder, root).embed(['a', 'bbb'], 'document', noAbort)
    expect(again.asked).toContain('bbb')
    expect([...values]).toEqual([1, 1, 3, 1])
  })

  it('of a model that changed its length are all asked for again', async () => {
    const root = await makeFolder()
    await cacheDocuments(counting('m').embedder, root).embed(['a', 'bb'], 'document', noAbort)
    const longer = counting('m', 3)
    const { dim, values } = await cacheDocuments(longer.embedder, root).embed(
      ['a', 'ccc'],
      'document',
      noAbort,
    )
    expect({ dim, values: [...values] }).toEqual({ dim: 3, values: [1, 1, 1, 3, 1, 1] })
  })

  it('give way to newer ones when there are too many', async () => {
    const root = await makeFolder()
    const embedder = cacheDocuments(counting('m').embedder, root, 200)
    for (const text of ['a', 'b', 'c', 'd', 'e']) await embedder.embed([text], 'document', noAbort)
    expect((await readdir(await folderOf(root))).length).toBeLessThanOrEqual(3)
  })

  it('are not kept where no packets are', async () => {
    const root = join(await makeFolder(), 'none')
    await cacheDocuments(counting('m').embedder, root).embed(['a'], 'document', noAbort)
    await expect(readdir(root)).rejects.toThrow('ENOENT')
  })

  it('cost nothing but requests where they cannot be kept', async () => {
    const root = await makeFolder()
    await writeFile(join(root, 'cache'), 'in the way')
    const { embedder } = counting('m')
    expect((await cacheDocuments(embedder, root).embed(['a'], 'document', noAbort)).rows).toBe(1)
  })
})
