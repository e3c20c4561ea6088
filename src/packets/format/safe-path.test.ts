import { posix, win32 } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Fault } from '../../kernel/fault.ts'
import { confineAll, confinePath } from './safe-path.ts'

/** What git or a file system takes for `.git`. */
const GIT_FOLDERS = [
  '.git/HEAD',
  '.git',
  'payload/.git/config',
  'a/.GIT/config',
  'a/.Git',
  'a/.g\u200cit/config',
  'a/\ufeff.git/config',
  'a/.git\u206a/config',
  'a/.gi\u00adt/config',
  'a/\uff0egit/config',
  'a/.\uff47\uff49\uff54/config',
  'a/git~1/config',
  'a/GIT~2/config',
  'a/.git ',
  'a/.git./config',
  'a/.git . ./config',
  'a/.git::$INDEX_ALLOCATION/config',
  'a/.git\\config',
]

describe('a title', () => {
  it.each([
    'docs.jsonl',
    'payload/faiss/index.faiss',
    'a/..b/c',
    'ünï/код.md',
    'console',
    '.con',
    '.gitignore',
    'a.git',
    'a/git~x',
    'x.git/HEAD',
  ])('%s is taken', (path) => {
    expect(confinePath(path)).toBe(path)
  })

  it.each([
    '',
    '.',
    '..',
    '/etc/passwd',
    'a//b',
    'a/',
    './a',
    'a/../../b',
    'payload/..',
    'C:\\x',
    'c:x',
    'a\\b',
    '..\\x',
    'a\0b',
    'a\nb',
    '\ud800',
    'x'.repeat(256),
    '...',
    'a ',
    'a/b.',
    'NUL',
    'payload/aux.txt',
    'a/LPT1/b',
    'a:b',
    'é'.repeat(200),
    'a/'.repeat(700),
    ...GIT_FOLDERS,
  ])('%j is refused', (path) => {
    expect(() => confinePath(path)).toThrow(expect.objectContaining({ code: 'packet.unsafe_path' }))
  })

  it('never leads out of its folder, on any platform', () => {
    const piece = fc.constantFrom('.', '..', '/', '\\', 'a', 'C:', '', '//', '\0', '~')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (parts) => {
        const text = parts.join('')
        try {
          confinePath(text)
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(Fault)
          return
        }
        expect(posix.resolve('/root/x', text).startsWith('/root/x/')).toBe(true)
        expect(win32.resolve('D:\\root\\x', text).startsWith('D:\\root\\x\\')).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })

  it.each([[['a', 'a']], [['a', 'A']], [['a', 'a/b']], [['a/b', 'a']], [['x/é', 'x/e\u0301']]])(
    '%j cannot lie in one folder',
    (paths) => {
      expect(() => confineAll(paths)).toThrow(expect.objectContaining({ code: 'packet.unsafe_path' }))
    },
  )

  it.each([
    [['HEAD', 'objects/x', 'refs/x', 'config']],
    [['payload/head', 'payload/Objects/x', 'payload/REFS/x']],
    [['a/HEAD', 'a/commondir', 'b/objects/x', 'b/refs/x']],
  ])('%j would be a git repository', (paths) => {
    expect(() => confineAll(paths)).toThrow(expect.objectContaining({ code: 'packet.unsafe_path' }))
  })

  it.each([[['HEAD', 'objects/x']], [['a/head', 'objects/x', 'refs/y']], [['ahead', 'objects/x', 'refs/y']]])(
    '%j is not one',
    (paths) => {
      expect(confineAll(paths)).toEqual(paths)
    },
  )

  it('may share folders with others', () => {
    expect(confineAll(['a/b', 'a/c', 'd'])).toEqual(['a/b', 'a/c', 'd'])
  })
})
