import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EntryCache, readEntries } from './entries.ts'
import { holdRoot, openBackend } from './handles.ts'
import { openJail } from './jail.ts'

let root: string
const file = (at: number, folder = 'many') => join(root, folder, `f${at}`)

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'warrant-lists-'))
  for (const folder of ['many', 'other', 'busy']) {
    mkdirSync(join(root, folder))
    for (let at = 0; at < 100; at += 1) writeFileSync(file(at, folder), '')
  }
  // Only a folder that has been at rest for a while is trusted to show its next change.
  await wait(2_200)
})
afterAll(() => rmSync(root, { recursive: true }))

it('is bounded whatever size the file system claims for the folder', () => {
  const backend = openBackend(holdRoot(root))
  const many = backend.enter(backend.root, 'many')
  const claims = (size: number) => ({
    procPath: many.procPath,
    stats: Object.assign(many.stats, { size }),
    close: () => {},
  })
  for (const size of [0, 2 ** 20]) {
    expect(readEntries(claims(size), () => {}, 100)).toHaveLength(100)
    expect(() => readEntries(claims(size), () => {}, 99)).toThrow(/more than 99 entries/)
  }
  many.close()
})

describe('a list that is asked for again', () => {
  it('is read twice and then cached, until the folder changes', () => {
    const lists = new EntryCache()
    let made = 0
    const entries = Array.from({ length: 100 }, (_, at) => ({ name: `f${at}`, kind: 'file' as const }))
    const ask = () =>
      lists.list('other', {
        currentStats: () => statSync(join(root, 'other')),
        read: () => {
          made += 1
          return entries
        },
      })
    for (let times = 0; times < 5; times += 1) expect(ask()).toBe(entries)
    expect(made).toBe(2)
    writeFileSync(file(100, 'other'), '')
    ask()
    ask()
    // It has just changed: another change in the same clock tick would leave the same ctime.
    expect(made).toBe(4)
  })

  it('is never stale, also when the mtime is set back or another folder takes the name', () => {
    const jail = openJail(holdRoot(root))
    const names = () =>
      jail
        .within('many', { blocked: () => false }, (folder) => folder.entries(() => {}))
        .map(({ name }) => name)
    for (let times = 0; times < 4; times += 1) expect(names()).toHaveLength(100)
    const { atime, mtime } = statSync(join(root, 'many'))
    renameSync(file(0), file(1_000))
    utimesSync(join(root, 'many'), atime, mtime)
    expect(names()).toContain('f1000')
    expect(names()).not.toContain('f0')
    rmSync(file(1))
    expect(names()).toHaveLength(99)
    renameSync(join(root, 'many'), join(root, 'gone'))
    renameSync(join(root, 'busy'), join(root, 'many'))
    expect(names()).toHaveLength(100)
    writeFileSync(join(root, 'many', 'new'), '')
    expect(names()).toContain('new')
  })

  it('of the root itself follows the root', () => {
    const jail = openJail(holdRoot(join(root, 'gone')))
    const count = () =>
      jail.within('.', { blocked: () => false }, (folder) => folder.entries(() => {}).length)
    const before = [count(), count(), count()].at(-1)
    writeFileSync(join(root, 'gone', 'one-more'), '')
    expect(count()).toBe((before ?? 0) + 1)
  })
})
