import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder, sweep } from '../../../test/support/binary.ts'
import { isIgnored, readIgnore } from '../../kernel/text/gitignore.ts'
import { declarationSpans, readSources } from './source.ts'

afterAll(sweep)

const folderOf = async (files: Readonly<Record<string, string | Uint8Array>>) => {
  const root = await makeFolder()
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  return root
}
const pathsIn = async (root: string) => (await readSources(root)).map(({ path }) => path)

it('takes no rules through a link, as git does not, and waits for no pipe that poses as a file', async () => {
  const root = await folderOf({ 'a.md': 'text' })
  const outside = await folderOf({ rules: '*.md\n' })
  await symlink(join(outside, 'rules'), join(root, '.gitignore'))
  execFileSync('mkfifo', [join(root, '.cpmignore')])
  expect(await pathsIn(root)).toEqual(['a.md'])
})

describe('rules of what to leave out', () => {
  it.each([
    ['*.log', 'a/b.log', false, true],
    ['*.log', 'a/b.txt', false, undefined],
    ['/top', 'top', true, true],
    ['/top', 'a/top', true, undefined],
    ['docs/', 'docs', true, true],
    ['docs/', 'docs', false, undefined],
    ['docs/', 'a/docs', true, true],
    ['a/**/z', 'a/z', false, true],
    ['a/**/z', 'a/b/c/z', false, true],
    ['a/**', 'a/b/c', false, true],
    ['**/x', 'p/q/x', false, true],
    ['a?c', 'abc', false, true],
    ['a?c', 'a/c', false, undefined],
    ['*.md\n!keep.md', 'keep.md', false, false],
    ['# note\n\n', 'note', false, undefined],
    ['\\#x', '#x', false, true],
    ['a.c', 'abc', false, undefined],
  ])('%j of %s (folder: %s): %s', (text, path, isFolder, verdict) => {
    expect(isIgnored([readIgnore(text, 0)], path.split('/'), isFolder)).toBe(verdict ?? false)
  })

  it('cost no more time for many stars', () => {
    const rules = [readIgnore(`${'a*'.repeat(200)}b\n${'**/'.repeat(150)}b`, 0)]
    expect(isIgnored(rules, ['a'.repeat(250)], false)).toBe(false)
    expect(isIgnored(rules, Array(120).fill('a'), false)).toBe(false)
  })
})

describe('the sources of a packet', () => {
  it('come in the order of their whole paths', async () => {
    const paths = [
      'a-b/c.md',
      'a.md',
      'a/b.md',
      'a/b/c.md',
      'a/é.md',
      'ab.md',
      'b/a.md',
      '😀.md',
      '\uffed.md',
    ]
    const found = await pathsIn(await folderOf(Object.fromEntries(paths.map((path) => [path, path]))))
    expect(found).toEqual([...paths].sort())
  })

  it('are texts in order, without what machines made and what is hidden', async () => {
    const root = await folderOf({
      'b.md': '# B',
      'a.ts': 'export const a = 1',
      'node_modules/x/index.js': 'x',
      '.git/config.txt': 'x',
      '.env.txt': 'secret',
      'dist/a.js': 'x',
      'package-lock.json': '{}',
      'pic.png': 'x',
      'empty.md': '  \n',
      'binary.txt': Uint8Array.from({ length: 500 }, (_, i) => i % 7),
      'big.txt': 'x'.repeat(2 * 1024 * 1024 + 1),
      '.gitignore': 'ignored.md\nsub/*.txt',
      'ignored.md': 'x',
      'sub/x.txt': 'x',
      'sub/keep.md': 'x',
      'sub/.gitignore': '!y.txt',
      'sub/y.txt': 'back again',
      'bom.txt': '\ufefftext',
    })
    await symlink('/etc', join(root, 'etc'))
    await symlink('/etc/hosts', join(root, 'hosts.txt'))
    expect(await pathsIn(root)).toEqual(['a.ts', 'b.md', 'bom.txt', 'sub/keep.md', 'sub/y.txt'])
    const leftOut: string[] = []
    await readSources(root, { onSkipped: (path, why) => leftOut.push(`${path} ${why}`) })
    expect(leftOut).toEqual([
      'big.txt is longer than 2 MiB',
      'binary.txt is not text',
      'dist/ has the name of a folder for generated files',
      'empty.md has no text',
    ])
    expect((await readSources(root)).find(({ path }) => path === 'bom.txt')?.text).toBe('text')
  })

  it.each([
    ['Latin-1', Buffer.from('Caf\xe9 na\xefve', 'latin1'), 'Café naïve'],
    ['Windows-1252', Buffer.from('\x93so\x94 \x96 \x80', 'latin1'), '“so” – €'],
    ['UTF-16', Buffer.from('\ufeffCafé', 'utf16le'), 'Café'],
    [
      'UTF-8 with a wrong byte',
      Buffer.concat([Buffer.from('Café with a wrong byte: '), Buffer.from([0xe9])]),
      'Café with a wrong byte: \ufffd',
    ],
  ])('are read in %s', async (_, bytes, text) => {
    const [file] = await readSources(await folderOf({ 'a.md': bytes }))
    expect(file?.text).toBe(text)
  })

  it('are asked for in a folder that exists', async () => {
    const root = await makeFolder()
    await expect(readSources(join(root, 'nope'))).rejects.toMatchObject({ code: 'packet_disk.absent' })
    expect(await pathsIn(root)).toEqual([])
  })
})

describe('the outline of a file', () => {
  it.each([
    [
      '.ts',
      'import x from "x"\n\n/** why */\nexport const f = () => 1\n\nclass A {}\ninterface B {}',
      [
        [3, 'f'],
        [6, 'A'],
        [7, 'B'],
      ],
    ],
    [
      '.py',
      'import os\n# about f\n@dec\ndef f():\n  pass\n\nclass A:\n  def m(self): pass\n',
      [
        [2, 'f'],
        [7, 'A'],
      ],
    ],
    [
      '.go',
      'package x\n\nfunc F() {}\n\ntype T struct {}\n',
      [
        [3, 'F'],
        [5, 'T'],
      ],
    ],
    [
      '.java',
      'package x;\nclass A { void m() {} }\ninterface I {}\n',
      [
        [2, 'A'],
        [3, 'I'],
      ],
    ],
    [
      '.kt',
      'fun f() {}\nclass A\n',
      [
        [1, 'f'],
        [2, 'A'],
      ],
    ],
    [
      '.swift',
      'func f() {}\nstruct S {}\n',
      [
        [1, 'f'],
        [2, 'S'],
      ],
    ],
    ['.txt', 'nothing', []],
  ])('%s of %j', (extension, text, expected) => {
    expect(declarationSpans(extension, text).map(({ start, symbol }) => [start, symbol])).toEqual(expected)
  })
})
