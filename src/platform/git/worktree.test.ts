import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readWorktree } from './worktree.ts'

it('reads nothing from outside when a folder that was in order becomes a link meanwhile', async () => {
  const base = mkdtempSync(join(tmpdir(), 'warrant-worktree-'))
  try {
    const root = join(base, 'root')
    mkdirSync(join(root, 'folder'), { recursive: true })
    mkdirSync(join(base, 'outside'))
    const paths = Array.from({ length: 40 }, (_, at) => `folder/f${at}`)
    for (const path of paths) {
      writeFileSync(join(root, path), 'inside')
      writeFileSync(join(base, path.replace('folder', 'outside')), 'outside')
    }
    const texts: string[] = []
    for await (const { bytes } of readWorktree(root, paths, new AbortController().signal)) {
      if (texts.length === 0) {
        renameSync(join(root, 'folder'), join(root, 'kept'))
        symlinkSync('../outside', join(root, 'folder'))
      }
      texts.push(Buffer.from(bytes ?? []).toString())
    }
    expect(texts.length).toBeGreaterThan(0)
    expect(new Set(texts)).toEqual(new Set(['inside']))
  } finally {
    rmSync(base, { recursive: true })
  }
})
