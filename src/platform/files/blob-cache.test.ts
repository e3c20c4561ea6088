import { mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { blobCache } from './blob-cache.ts'

const bytes = (size: number, fill: number): Uint8Array => new Uint8Array(size).fill(fill)

describe('a cache of bytes', () => {
  let folder: string
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'warrant-blobs-')), 'cache')
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const only = async (): Promise<string> => {
    const names = await readdir(folder)
    expect(names).toHaveLength(1)
    return join(folder, names[0] ?? '')
  }

  it('returns what was written under a key, and nothing under another', async () => {
    const cache = blobCache(() => folder, 1_000_000)
    await cache.write('a', bytes(10, 1))
    expect(await cache.read('a')).toEqual(Buffer.from(bytes(10, 1)))
    expect(await cache.read('b')).toBeUndefined()
    expect((await stat(folder)).mode & 0o077).toBe(0)
    expect((await stat(await only())).mode & 0o077).toBe(0)
  })

  it('reads a damaged entry as none, wherever the damage is', async () => {
    const cache = blobCache(() => folder, 1_000_000)
    await cache.write('a', bytes(10, 1))
    const whole = await readFile(await only())
    expect(whole).toHaveLength(42)
    for (let at = 0; at < whole.length; at += 1) {
      const damaged = Buffer.from(whole)
      damaged[at] = (damaged[at] ?? 0) ^ 1
      await writeFile(await only(), damaged)
      expect(await cache.read('a')).toBeUndefined()
    }
    await writeFile(await only(), whole.subarray(0, 20))
    expect(await cache.read('a')).toBeUndefined()
  })

  it('reads no entry of another key, and follows no link', async () => {
    const cache = blobCache(() => folder, 1_000_000)
    await cache.write('a', bytes(10, 1))
    const place = await only()
    await cache.write('b', bytes(10, 2))
    const [other = ''] = (await readdir(folder))
      .map((name) => join(folder, name))
      .filter((path) => path !== place)
    await rename(other, place)
    expect(await cache.read('a')).toBeUndefined()
    await symlink(place, other)
    expect(await cache.read('b')).toBeUndefined()
  })

  it('keeps the newest entries within the limit', async () => {
    const cache = blobCache(() => folder, 5_000)
    for (let round = 0; round < 20; round += 1) await cache.write(`${round}`, bytes(1_000, round))
    const sizes = await Promise.all(
      (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(5_000)
    expect(await cache.read('19')).toBeDefined()
    expect(await cache.read('0')).toBeUndefined()
  })
})
