import posix from 'node:path/posix'
import win32 from 'node:path/win32'
import { describe, expect, it } from 'vitest'
import { deniedBelow } from './project.ts'

describe('the state folder of a project', () => {
  it.each([
    { path: posix, folder: '/repo/.warrant', roots: ['/repo'], denied: ['/.warrant'] },
    { path: posix, folder: '/repo/a/state', roots: ['/repo', '/real'], denied: ['/a/state'] },
    { path: posix, folder: '/repo/..state', roots: ['/repo'], denied: ['/..state'] },
    { path: posix, folder: '/state', roots: ['/'], denied: ['/state'] },
    { path: posix, folder: '/elsewhere/state', roots: ['/repo'], denied: [] },
    { path: posix, folder: '/repository', roots: ['/repo'], denied: [] },
    { path: posix, folder: '/repo', roots: ['/repo'], denied: [] },
    { path: win32, folder: 'C:\\repo\\.warrant', roots: ['C:\\repo'], denied: ['/.warrant'] },
    { path: win32, folder: 'C:\\repo\\a\\state', roots: ['c:/repo'], denied: ['/a/state'] },
    { path: win32, folder: 'D:\\repo\\.warrant', roots: ['C:\\repo'], denied: [] },
  ])('$folder is denied below $roots as $denied', ({ path, folder, roots, denied }) => {
    expect(deniedBelow(roots, folder, path)).toEqual(denied)
  })
})
