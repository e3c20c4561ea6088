import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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

const LIMITS = () => ({
  reserved: [join(root, '.warrant')],
  isOwn: (start: string) => /^(one|old|)$/.test(start),
})

describe('an export', () => {
  it.each(['out.json', 'inner/out.json', './inner/../out.json'])('writes %s', async (path) => {
    await exportFolder(root, LIMITS())(path, 'text')
    expect(readFileSync(join(root, path), 'utf8')).toBe('text')
  })

  it('writes an absolute path under the root, and replaces a regular file as a whole', async () => {
    await exportFolder(root, LIMITS())(join(root, 'a'), 'one')
    await exportFolder(root, LIMITS())('a', 'two')
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
    await expect(exportFolder(root, LIMITS())(path, 'new')).rejects.toMatchObject({
      code: 'export.path',
      kind: 'invalid',
    })
    expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('old')
    expect(readdirSync(`${root}-evil`)).toEqual([])
  })

  it.each([
    ['.', 'not a regular file'],
    ['inner', 'not a regular file'],
    ['..', 'outside the export root'],
    ['n'.repeat(256), 'too long'],
    ['é'.repeat(128), 'too long'],
  ])('says what is wrong with %s', async (path, words) => {
    await expect(exportFolder(root, LIMITS())(path, 'new')).rejects.toThrow(words)
  })

  it('works many times at once', async () => {
    const write = exportFolder(root, LIMITS())
    await Promise.all(Array.from({ length: 20 }, (_, at) => write('x'.repeat(255), String(at))))
    expect(readdirSync(root).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('does not name host paths', async () => {
    const refusal = await exportFolder(root, LIMITS())('../precious', 'x').catch(
      (fault: Error) => fault.message,
    )
    expect(refusal).not.toContain(outside)
  })
})

describe('an export into a folder that is swapped for a symlink again and again', () => {
  const SWAPPER = `
    const { renameSync } = require('node:fs')
    process.send('ready')
    for (;;) {
      renameSync('inner', 'kept')
      renameSync('way', 'inner')
      renameSync('inner', 'way')
      renameSync('kept', 'inner')
    }
  `

  /** The usual check with a TOCTOU hole: `realpath`, compare, open the path. */
  const naiveExport = async (path: string) => {
    const full = join(root, path)
    if (!realpathSync(dirname(full)).startsWith(realpathSync(root))) throw new Error('outside')
    await writeFile(full, 'naive')
  }

  const attempt = (run: () => Promise<void>) =>
    run().then(
      () => 1,
      () => 0,
    )

  it('never writes outside, where checking the path and then opening it does', async () => {
    const target = join(outside, 'target')
    mkdirSync(target)
    symlinkSync(target, join(root, 'way'))
    const swapper = spawn(process.execPath, ['-e', SWAPPER], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    try {
      await once(swapper, 'message')
      const write = exportFolder(root, LIMITS())
      let written = 0
      const start = performance.now()
      while (performance.now() - start < 1_500) {
        written += await attempt(() => write('inner/ours.json', 'x'))
        await attempt(() => naiveExport('inner/naive.json'))
      }
      const lucky = () => !readdirSync(target).includes('naive.json')
      while (lucky() && performance.now() - start < 15_000)
        await attempt(() => naiveExport('inner/naive.json'))
      expect(readdirSync(target)).toEqual(['naive.json'])
      expect(written).toBeGreaterThan(0)
    } finally {
      swapper.kill('SIGKILL')
      await once(swapper, 'close')
    }
  })

  it('keeps the root that it opened first', async () => {
    const write = exportFolder(root, LIMITS())
    await write('first.json', 'x')
    renameSync(root, `${root}-away`)
    symlinkSync(outside, root)
    await expect(write('second.json', 'x')).rejects.toMatchObject({ code: 'export.path' })
    expect(readdirSync(outside)).not.toContain('second.json')
  })
})
