import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFolders } from './make-folders.ts'

let top: string
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'warrant-folders-'))
})
afterAll(() => rmSync(top, { recursive: true, force: true }))

describe('folders', () => {
  it('are made with those above them, and the first of them is named', () => {
    expect(makeFolders(join(top, 'a', 'b', 'c'), 0o700)).toBe(join(top, 'a'))
    expect(statSync(join(top, 'a', 'b')).mode & 0o777).toBe(0o700)
    expect(makeFolders(join(top, 'a', 'b', 'd'))).toBe(join(top, 'a', 'b', 'd'))
    expect(makeFolders(join(top, 'a'))).toBeUndefined()
  })

  it('are not made in the place of a file or below it', () => {
    writeFileSync(join(top, 'file'), '')
    expect(() => makeFolders(join(top, 'file'))).toThrow('EEXIST')
    expect(() => makeFolders(join(top, 'file', 'a', 'b'))).toThrow('ENOTDIR')
  })

  it.runIf(process.platform === 'linux')('end in an error where a folder takes no other', () => {
    expect(() => makeFolders('/proc/warrant-test/a/b')).toThrow('ENOENT')
  })
})
