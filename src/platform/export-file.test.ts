import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { exportFolder } from './export-file.ts'

let outside: string
let root: string
beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'warrant-outside-'))
  root = join(outside, 'root')
  mkdirSync(join(root, 'inner'), { recursive: true })
  writeFileSync(join(outside, 'precious'), 'old')
  symlinkSync(outside, join(root, 'way-out'))
  symlinkSync(join(outside, 'precious'), join(root, 'link'))
  mkdirSync(`${root}-evil`)
  mkdirSync(join(root, '.warrant'))
  writeFileSync(join(root, 'inner/file'), '')
})

describe('an export', () => {
  it.each(['out.json', 'inner/out.json', './inner/../out.json'])('writes %s', async (path) => {
    await exportFolder(root, [join(root, '.warrant')])(path, 'text')
    expect(readFileSync(join(root, path), 'utf8')).toBe('text')
  })

  it('writes an absolute path under the root, and replaces a plain file as a whole', async () => {
    await exportFolder(root, [join(root, '.warrant')])(join(root, 'a'), 'one')
    await exportFolder(root, [join(root, '.warrant')])('a', 'two')
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('two')
    expect(readdirSync(root).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it.each([
    '',
    'a\0b',
    '../precious',
    '../root-evil/x',
    'way-out/precious',
    'link',
    '.',
    'inner',
    '..',
    '/etc/passwd',
    'absent/out.json',
    'inner/../../precious',
    '.warrant/lineage.db',
    'inner/file/x',
  ])('refuses %j and changes nothing', async (path) => {
    await expect(exportFolder(root, [join(root, '.warrant')])(path, 'new')).rejects.toMatchObject({
      code: 'export.path',
      kind: 'invalid',
    })
    expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('old')
    expect(readdirSync(`${root}-evil`)).toEqual([])
  })

  it('may be asked for many times at once', async () => {
    const write = exportFolder(root, [join(root, '.warrant')])
    await Promise.all(Array.from({ length: 20 }, (_, at) => write('x'.repeat(255), String(at))))
    expect(readdirSync(root).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('does not tell where it lives', async () => {
    const refusal = await exportFolder(root, [join(root, '.warrant')])('../precious', 'x').catch(
      (fault: Error) => fault.message,
    )
    expect(refusal).not.toContain(outside)
  })
})
