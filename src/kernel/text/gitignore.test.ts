import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { caseCount } from '../../../test/support/case-count.ts'
import { holdRoot } from '../../platform/jail/handles.ts'
import { openJail } from '../../platform/jail/jail.ts'
import { syntaxTrees } from '../../platform/syntax/syntax-trees.ts'
import { textRules } from '../../project/access-rules.ts'
import { walkTree } from '../../project/files/walk.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A repository with these files, and what git would show of them. */
const lay = (files: Readonly<Record<string, string>>) => {
  const root = mkdtempSync(join(tmpdir(), 'warrant-ignore-'))
  folders.push(root)
  execFileSync('git', ['init', '-q', root])
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const git = ['-c', 'core.excludesFile=/dev/null', 'ls-files', '-z', '--others', '--exclude-standard']
  const listed = execFileSync('git', git, { cwd: root, encoding: 'utf8' })
  return {
    root,
    shown: listed
      .split('\0')
      .filter((path) => path !== '')
      .sort(),
  }
}

const walked = (root: string, path = '.'): string[] => {
  const jail = openJail(holdRoot(root))
  const context = {
    jail,
    rules: textRules([]),
    fileBytes: 10_485_760,
    parser: syntaxTrees(),
    checkDeadline: () => {},
    now: () => 0,
  }
  const found: string[] = []
  jail.within(path, context.rules, (folder) =>
    walkTree(context, folder, { depth: 64, ignores: true, exclude: () => false }, ({ kind }, segments) => {
      if (kind !== 'directory') found.push(segments.join('/'))
      return 'go'
    }),
  )
  return found.sort()
}

const TREE = [
  'a.log',
  'keep.log',
  'src/a.ts',
  'src/b.log',
  'src/out/c.ts',
  'out/d.ts',
  'x/y/z.txt',
  'x/y/out/e',
]

describe('ignore files', () => {
  it.each([
    ['*.log\n!keep.log\n'],
    ['out/\n'],
    ['/out\n'],
    ['src/out\n'],
    ['**/out\n'],
    ['x/**\n'],
    ['x/**\n!x/y/\n'],
    ['x/*/out\n'],
    ['# comment\n\n\\#x\n*.t[sx]\n'],
    ['src/*\n!src/a.ts\n'],
    ['a.log   \r\n'],
    ['!*.log\n*.log\n'],
  ])('are read as git reads %j', (ignore) => {
    const files = { '.gitignore': ignore, ...Object.fromEntries(TREE.map((path) => [path, ''])) }
    const { root, shown } = lay(files)
    expect(walked(root)).toEqual(shown)
  })

  it('count below and above the folder a walk starts in', () => {
    const { root } = lay({
      '.gitignore': 'z.txt\n',
      'x/.gitignore': 'e\n',
      'x/y/z.txt': '',
      'x/y/e': '',
      'x/y/f': '',
    })
    expect(walked(root, 'x/y')).toEqual(['x/y/f'])
  })

  it('are read as git reads whatever is in them', () => {
    const part = fc.constantFrom(
      '*',
      '**',
      'a*',
      '?',
      'out',
      'src',
      'x',
      'y',
      '[a-k]*',
      '*.log',
      '*.ts',
      'keep.log',
      'e',
    )
    const line = fc
      .tuple(fc.boolean(), fc.boolean(), fc.array(part, { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(
        ([keep, tied, parts, folder]) =>
          `${keep ? '!' : ''}${tied ? '/' : ''}${parts.join('/')}${folder ? '/' : ''}`,
      )
    const lines = fc.array(line, { maxLength: 5 }).map((all) => `${all.join('\n')}\n`)
    fc.assert(
      fc.property(lines, lines, (top, below) => {
        const files = {
          '.gitignore': top,
          'src/.gitignore': below,
          ...Object.fromEntries(TREE.map((p) => [p, ''])),
        }
        const { root, shown } = lay(files)
        const ours = walked(root)
        rmSync(root, { recursive: true })
        expect(ours).toEqual(shown)
      }),
      { numRuns: caseCount(15, 200) },
    )
  })
})
