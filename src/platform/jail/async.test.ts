import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openAsyncJail, readRegularFile } from './async.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'warrant-async-jail-')))
const root = join(base, 'root')
mkdirSync(join(root, 'folder'), { recursive: true })
mkdirSync(join(base, 'root-evil'))
for (const path of ['root/a', 'root/folder/b', 'root-evil/b', 'secret']) writeFileSync(join(base, path), path)
for (const [name, target] of Object.entries({
  'out-file': '../secret',
  'in-file': 'a',
  'out-folder': '../root-evil',
  'in-folder': 'folder',
  up: '..',
})) {
  symlinkSync(target, join(root, name))
}
execFileSync('mkfifo', [join(root, 'pipe')])
afterAll(() => rmSync(base, { recursive: true }))

const jail = openAsyncJail(root)
const text = async (path: string) => (await jail.read(path, 100))?.toString()
const names = (path: string) => jail.within(path, (folder) => readdir(folder))

it('reads regular files inside, and follows no symlink under their name', async () => {
  expect(await text('a')).toBe('root/a')
  expect(await text(join(root, 'folder/b'))).toBe('root/folder/b')
  expect(await text('in-folder/b')).toBe('root/folder/b')
  expect(await text('folder/../a')).toBe('root/a')
  expect((await jail.read('a', 3))?.toString()).toBe('roo')
  for (const path of [
    ...['in-file', 'out-file', 'out-folder/b', 'up/secret', '../secret', '../root-evil/b', '/etc/passwd'],
    ...['pipe', 'folder', 'gone', 'a/b', 'a\0', 'x'.repeat(5_000)],
  ]) {
    expect(await text(path), path).toBeUndefined()
  }
})

it('holds folders that lie inside, wherever a link to them starts', async () => {
  expect(await names('folder')).toEqual(['b'])
  expect(await names('in-folder')).toEqual(['b'])
  for (const path of ['out-folder', 'up', '..', '/', 'a', 'gone', 'folder\0']) {
    expect(await names(path), path).toBeUndefined()
  }
  const seen = await jail.within('folder', async (folder) => {
    renameSync(join(root, 'folder'), join(root, 'moved'))
    symlinkSync('../root-evil', join(root, 'folder'))
    writeFileSync(join(folder, 'c'), '')
    return readdir(folder)
  })
  expect(seen).toEqual(['b', 'c'])
  expect(await names('folder')).toBeUndefined()
  rmSync(join(root, 'folder'))
  renameSync(join(root, 'moved'), join(root, 'folder'))
})

it('finds paths that exist inside, and no others', async () => {
  for (const path of ['a', '.', 'in-file', 'in-folder/b', 'pipe'])
    expect(await jail.has(path), path).toBe(true)
  for (const path of ['out-file', 'out-folder', 'up', 'gone', 'a\0'])
    expect(await jail.has(path), path).toBe(false)
})

it('reads files of our own only when they are regular and small', async () => {
  expect((await readRegularFile(join(root, 'a'), 6))?.toString()).toBe('root/a')
  expect(await readRegularFile(join(root, 'a'), 5)).toBeUndefined()
  expect(await readRegularFile(join(root, 'pipe'), 5)).toBeUndefined()
  await expect(readRegularFile(join(root, 'in-file'), 9)).rejects.toMatchObject({ code: 'ELOOP' })
  await expect(readRegularFile(join(root, 'gone'), 9)).rejects.toMatchObject({ code: 'ENOENT' })
})
