import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { makePem } from '../../../test/support/private-key.ts'
import { openPlainCheckpoint, type ReadResource, readPlainLog } from '../../../test/support/tile-reader.ts'
import { memoryLogs } from '../../platform/log-stores/memory.ts'
import { createSigner } from '../checkpoint.ts'
import { CheckpointSource } from '../checkpoint-source.ts'
import type { SeenLog } from '../log-memory.ts'
import { LogWriter } from '../log-writer.ts'
import { parseTilePath, readTile, tilePath, tilesOf } from './tiles.ts'

const draft = (at: number) => ({
  operation: 'gate_run',
  tick: 0,
  timestamp: '2026-01-01T00:00:00.000Z',
  payload: (salt: string) => `{"at":${at},"salt":"${salt}"}`,
})
const signer = createSigner('warrant/log', makePem())

const openLog = async () => {
  const log = await memoryLogs().open('log', '{}')
  const writer = await LogWriter.open(log, String)
  const grow = async (size: number) => {
    const drafts = Array.from({ length: size - writer.size }, (_, at) => draft(writer.size + at))
    await writer.commit(writer.prepare(drafts))
  }
  return { log, grow }
}

const openMemory = () => {
  let seen: SeenLog | undefined
  return {
    read: async () => seen,
    note: (next: SeenLog | undefined) => {
      seen = next
    },
    noteLost: async () => {},
    adopt: async () => {},
  }
}

describe('the path of a tile', () => {
  it.each([
    [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
    [{ level: 0, index: 1_234_067, width: 256 }, 'tile/0/x001/x234/067'],
    [{ level: 2, index: 999, width: 1 }, 'tile/2/999.p/1'],
    [{ level: 'entries', index: 1000, width: 255 }, 'tile/entries/x001/000.p/255'],
  ] as const)('of %j is %s', (tile, path) => {
    expect(tilePath(tile)).toBe(path)
    expect(parseTilePath(path)).toEqual(tile)
  })

  it.each([
    'checkpoint',
    'tile/0/0',
    'tile/0/0000',
    'tile/00/000',
    'tile/64/000',
    'tile/-1/000',
    'tile/0/x000/000',
    'tile/0/001/000',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/01',
    'tile/0/000/',
    'tile/0/000.p',
    'tile/0/../0/000',
    'tile/entries/%30%30%30',
    `tile/0/${'x999/'.repeat(5)}999`,
  ])('is not %s', (path) => {
    expect(parseTilePath(path)).toBeUndefined()
  })
})

describe('the tiles of a log', () => {
  it('are those of the example in the specification', () => {
    const counts = new Map<string, number[]>()
    for (const { level, width } of tilesOf(70_000))
      counts.set(String(level), [...(counts.get(String(level)) ?? []), width])
    const full = (count: number) => Array.from({ length: count }, () => 256)
    expect(counts.get('0')).toEqual([...full(273), 112])
    expect(counts.get('1')).toEqual([256, 17])
    expect(counts.get('2')).toEqual([1])
    expect(counts.get('3')).toBeUndefined()
    expect([...tilesOf(256)].map(tilePath)).toEqual(['tile/0/000', 'tile/1/000.p/1', 'tile/entries/000'])
    expect([...tilesOf(0)]).toEqual([])
  })

  it('are read by a reader that knows only the specifications, at every size', async () => {
    const { log, grow } = await openLog()
    const source = new CheckpointSource({ log, signer, memory: openMemory() })
    for (const size of [1, 2, 255, 256, 257, 511, 512, 700]) {
      await grow(size)
      const { note } = await source.newest()
      const tiles = new Set([...tilesOf(size)].map(tilePath))
      const read: ReadResource = async (path) => {
        expect(tiles.delete(path)).toBe(true)
        const tile = parseTilePath(path)
        return tile && readTile(log, tile, size)
      }
      const entries = await readPlainLog(read, openPlainCheckpoint(note, signer.verifier))
      expect(entries.map((entry) => JSON.parse(entry).seq)).toEqual(entries.map((_, at) => at))
      expect([...tiles]).toEqual([])
    }
  })

  it('of a tree that is larger than the log do not exist; older partial ones do', async () => {
    const { log, grow } = await openLog()
    await grow(300)
    for (const path of [
      'tile/0/001',
      'tile/0/001.p/45',
      'tile/1/000',
      'tile/1/000.p/2',
      'tile/2/000.p/1',
      'tile/entries/002',
    ])
      expect(await readTile(log, parseTilePath(path) as never, 300), path).toBeUndefined()
    const digest = async (path: string) =>
      createHash('sha256')
        .update((await readTile(log, parseTilePath(path) as never, 300)) ?? '')
        .digest('hex')
    const before = await digest('tile/0/001.p/20')
    await grow(600)
    expect(await digest('tile/0/001.p/20')).toBe(before)
  })
})

describe('the checkpoint of a log', () => {
  it('is signed anew only when the log grew', async () => {
    const { log, grow } = await openLog()
    const memory = openMemory()
    const source = new CheckpointSource({ log, signer, memory })
    await grow(3)
    const [one, two] = await Promise.all([source.newest(), source.newest()])
    expect(two).toBe(one)
    expect(await source.newest()).toBe(one)
    await grow(5)
    expect(await source.newest()).toMatchObject({ size: 5 })
    expect(await memory.read()).toMatchObject({ size: 5 })
  })

  it('is not signed for a log that this machine saw in another state', async () => {
    const { log, grow } = await openLog()
    const memory = openMemory()
    const source = new CheckpointSource({ log, signer, memory })
    await grow(3)
    memory.note({ size: 4, head: 'ab'.repeat(32) })
    await expect(source.newest()).rejects.toMatchObject({ code: 'store.changed' })
    memory.note({ size: 2, head: 'ab'.repeat(32) })
    await expect(source.newest()).rejects.toMatchObject({ code: 'store.changed' })
    memory.note(undefined)
    expect(await source.newest()).toMatchObject({ size: 3 })
  })

  it('is not signed when the stored tree or an entry is damaged', async () => {
    const { log, grow } = await openLog()
    await grow(300)
    const wrongTree = { ...wrap(log), nodes: async () => ['ab'.repeat(32)] }
    const wrongEntry = {
      ...wrap(log),
      read: async (from: number, limit: number) =>
        (await log.read(from, limit)).map((row) =>
          row.seq === 7 ? { ...row, entry: row.entry.replace('gate_run', 'gate_ran') } : row,
        ),
    }
    for (const damaged of [wrongTree, wrongEntry]) {
      const source = new CheckpointSource({ log: damaged, signer, memory: openMemory() })
      await expect(source.newest()).rejects.toMatchObject({ code: 'store.damaged' })
    }
  })
})

const wrap = (log: Awaited<ReturnType<typeof openLog>>['log']) => ({
  genesis: log.genesis,
  head: () => log.head(),
  read: (from: number, limit: number) => log.read(from, limit),
  nodes: (...wanted: Parameters<typeof log.nodes>) => log.nodes(...wanted),
  snapshots: () => log.snapshots(),
  quarantine: () => log.quarantine(),
  append: (...given: Parameters<typeof log.append>) => log.append(...given),
  saveSnapshot: (...given: Parameters<typeof log.saveSnapshot>) => log.saveSnapshot(...given),
  erase: (...given: Parameters<typeof log.erase>) => log.erase(...given),
  setQuarantine: (...given: Parameters<typeof log.setQuarantine>) => log.setQuarantine(...given),
})
