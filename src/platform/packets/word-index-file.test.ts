import { cp, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder, sweep } from '../../../test/support/binary.ts'
import { buildTexts } from '../../../test/support/packet-setup.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { draftName } from '../files/atomic-write.ts'
import { systemClock } from '../system/clock.ts'
import { packetReader } from './reader.ts'

afterAll(sweep)

const DIGEST = digestBytes('packet')
const TEXTS = {
  'lamp.md': '# Lamp\n\nThe keeper trims the wick.\n',
  'fog.md': '# Fog\n\nThe horn is sounded twice.\n',
}

const storeTexts = async (texts: Readonly<Record<string, string>>) => {
  const root = await makeFolder()
  const folder = join(root, 'cas/packet')
  for (const [path, bytes] of await buildTexts(texts)) {
    await mkdir(join(folder, 'payload', path, '..'), { recursive: true })
    await writeFile(join(folder, 'payload', path), bytes)
  }
  return { root, folder }
}

const open = ({ root, folder }: { root: string; folder: string }, watch?: () => void) =>
  packetReader(root, systemClock)(DIGEST, folder, watch)

const ask = async (place: { root: string; folder: string }, question = 'wick') => {
  const packet = await open(place)
  try {
    const [hit] = await packet.lexical.search(question, 1)
    return hit && (await packet.docs.row(hit.row)).metadata.path
  } finally {
    packet.close()
  }
}

/** The folder of the indexes. */
const indexFolder = async (root: string): Promise<string> => {
  const folder = join(root, 'index', DIGEST.replace(':', '_'))
  const [print = ''] = await readdir(folder)
  return join(folder, print)
}

const wordsFile = async (root: string): Promise<string> => join(await indexFolder(root), 'words.bin')

describe('the word index of a stored packet', () => {
  it('is made once, and says how far it is', async () => {
    const place = await storeTexts(TEXTS)
    const steps: unknown[] = []
    const packet = await open(place, (...step: unknown[]) => steps.push(step[0]))
    packet.close()
    expect(new Set(steps)).toEqual(new Set(['index']))
    const first = await stat(await wordsFile(place.root))
    const again = await open(place, (...step: unknown[]) => steps.push(['again', ...step]))
    expect(again.docs.rows).toBe(2)
    again.close()
    expect(steps.flat()).not.toContain('again')
    expect((await stat(await wordsFile(place.root))).ino).toBe(first.ino)
  })

  it('that became damaged while it was open is made again, and the question is answered', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`${i}.md`, `# T${i}\n\nword${i}\n`]),
    )
    const place = await storeTexts({ ...many, ...TEXTS })
    const packet = await open(place)
    const path = await wordsFile(place.root)
    const bytes = await readFile(path)
    await writeFile(path, Buffer.from(bytes).fill(0xff, 0, 500))
    const answers = await Promise.all(['wick', 'horn', 'word7'].map((one) => packet.lexical.search(one, 1)))
    const docs = await Promise.all(answers.map(([hit]) => packet.docs.row(hit?.row ?? -1)))
    expect(docs.map(({ metadata }) => metadata.path)).toEqual(['lamp.md', 'fog.md', '7.md'])
    expect(await readFile(await wordsFile(place.root))).toHaveLength(bytes.length)
    packet.close()
  })

  it.each([
    ['is cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['is empty', () => Buffer.alloc(0)],
    ['is of an earlier release', () => Buffer.from('WRNT-BM\x02')],
    ['has changed bytes', (bytes: Buffer) => Buffer.from(bytes).fill(7, 10, 60)],
  ])('that %s is made again', async (_, damage) => {
    const place = await storeTexts(TEXTS)
    await ask(place)
    const path = await wordsFile(place.root)
    await writeFile(path, damage(await readFile(path)))
    expect(await ask(place)).toBe('lamp.md')
    expect(await ask(place, 'horn')).toBe('fog.md')
  })

  it('that comes with a store from elsewhere is not believed', async () => {
    const place = await storeTexts({ ...TEXTS, 'lamp.md': TEXTS['fog.md'], 'fog.md': TEXTS['lamp.md'] })
    expect(await ask(place)).toBe('fog.md')
    const forged = await wordsFile(place.root)
    const target = await storeTexts(TEXTS)
    await ask(target)
    const docs = await stat(join(place.folder, 'payload/docs.jsonl'))
    const targetDocs = join(target.folder, 'payload/docs.jsonl')
    expect((await stat(targetDocs)).size).toBe(docs.size)
    await utimes(targetDocs, docs.atime, docs.mtime)
    await cp(forged, await wordsFile(target.root))
    expect(await ask(target)).toBe('lamp.md')
  })

  it.each(['with fields', 'of an earlier build'])(
    '%s is made in memory where nothing can be written',
    async (kind) => {
      const place = await storeTexts(TEXTS)
      await writeFile(join(place.root, 'index'), 'not a folder')
      const reader = packetReader(place.root, systemClock, async () => {
        throw new Error('vectors are not asked')
      })
      const manifest = join(place.folder, 'payload/manifest.json')
      const text = await readFile(manifest, 'utf8')
      const { lexical, ...rest } = JSON.parse(text.replace(/"dim": \d+/, '"dim": 0'))
      await writeFile(manifest, JSON.stringify(kind === 'with fields' ? { ...rest, lexical } : rest))
      const packet = await reader(DIGEST, place.folder)
      const [hit] = await packet.lexical.search('wick', 1)
      expect((await packet.docs.row(hit?.row ?? -1)).metadata.path).toBe('lamp.md')
      packet.close()
    },
  )

  it('leaves no draft, and removes those of processes that were killed', async () => {
    const place = await storeTexts(TEXTS)
    await ask(place)
    const folder = await indexFolder(place.root)
    await rm(await wordsFile(place.root))
    const dead = draftName().replace(`-${process.pid}-`, '-1999999999-')
    await writeFile(join(folder, dead), 'half')
    await Promise.all([ask(place), ask(place), ask(place)])
    expect((await readdir(folder)).sort()).toEqual(['index.faiss', 'index.i8', 'words.bin'])
  })
})
