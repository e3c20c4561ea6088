import posix from 'node:path/posix'
import win32 from 'node:path/win32'
import { describe, expect, it } from 'vitest'
import { isPathInside } from './path-inside.ts'

const TABLE = [
  [posix, '/repo', '/repo', true],
  [posix, '/repo', '/repo/', true],
  [posix, '/repo', '/repo/a', true],
  [posix, '/repo/', '/repo/a/b', true],
  [posix, '/repo', '/repo/..x', true],
  [posix, '/repo', '/repo/...', true],
  [posix, '/repo', '/repo/a/../b', true],
  [posix, '/repo', '/repo/a/../../b', false],
  [posix, '/repo', '/repository', false],
  [posix, '/repo', '/', false],
  [posix, '/repo', '/other', false],
  [posix, '/repo/a', '/repo', false],
  [posix, '/', '/', true],
  [posix, '/', '/a', true],
  [posix, '/repo', '/repo\\..\\a', false],
  [posix, '/repo', '/repo/..\\a', true],
  [posix, '/repo', '/Repo/a', false],
  [win32, 'C:\\repo', 'C:\\repo', true],
  [win32, 'C:\\repo', 'C:\\repo\\', true],
  [win32, 'C:\\repo', 'C:\\repo\\a', true],
  [win32, 'C:\\repo', 'C:/repo/a', true],
  [win32, 'C:/repo/', 'c:\\Repo\\a\\b', true],
  [win32, 'C:\\repo', 'C:\\repo\\..x', true],
  [win32, 'C:\\repo', 'C:\\repo\\..', false],
  [win32, 'C:\\repo', 'C:\\repo/../other', false],
  [win32, 'C:\\repo', 'C:\\repository', false],
  [win32, 'C:\\repo', 'D:\\repo\\a', false],
  [win32, 'C:\\', 'C:\\a', true],
  [win32, 'C:\\', 'D:\\a', false],
  [win32, '\\\\host\\share\\repo', '\\\\host\\share\\repo\\a', true],
  [win32, '\\\\host\\share\\repo', '\\\\host\\other\\repo\\a', false],
  [win32, '\\\\host\\share\\repo', 'C:\\repo\\a', false],
] as const

describe('a path inside a folder', () => {
  it.each(
    TABLE.map(([flavour, folder, path, inside]) => ({
      system: flavour === win32 ? 'Windows' : 'POSIX',
      flavour,
      folder,
      path,
      inside,
    })),
  )('on $system: $folder holds $path: $inside', ({ flavour, folder, path, inside }) => {
    expect(isPathInside(folder, path, flavour)).toBe(inside)
  })

  it('takes the separators of this machine when none are given', () => {
    expect(isPathInside(process.cwd(), `${process.cwd()}/src`)).toBe(true)
    expect(isPathInside(`${process.cwd()}/src`, process.cwd())).toBe(false)
  })
})
