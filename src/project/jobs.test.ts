import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Fault } from '../kernel/fault.ts'
import { holdRoot } from '../platform/jail/handles.ts'
import { openJail } from '../platform/jail/jail.ts'
import { syntaxTrees } from '../platform/syntax/syntax-trees.ts'
import { textRules } from './access-rules.ts'
import type { JobContext } from './job-context.ts'
import { JOBS } from './jobs.ts'

const FILES: Readonly<Record<string, string>> = {
  '.gitignore': 'dist/\n*.log\n',
  '.git/config': 'needle',
  '.github/ci.yml': 'on: push\n',
  'README.md': '# Title\n\nA needle here.\nand a Needle there\n',
  'dist/out.js': 'needle',
  'debug.log': 'needle',
  'src/a.ts': 'one\ntwo needle\nthree\nfour\nfive needle\nsix\n',
  'src/deep/er/b.ts': 'no match\r\nneedle\r\n',
  'src/logo.png': 'needle',
  'src/binary.ts': 'needle\0',
  'src/latin.ts': '',
  'long.md': `${'x'.repeat(1_000)}needle\n`,
}

let root: string
let context: JobContext
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'warrant-project-'))
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  writeFileSync(join(root, 'src/latin.ts'), Buffer.from([0x6e, 0xe9]))
  symlinkSync('src', join(root, 'linked'))
  context = {
    jail: openJail(holdRoot(root)),
    rules: textRules([]),
    fileBytes: 10_485_760,
    parser: syntaxTrees(),
    checkDeadline: () => {},
    now: () => Date.UTC(2026, 4, 5, 12),
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const reason = (ask: () => unknown): string => {
  try {
    ask()
    return 'answer'
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.code
    throw thrown
  }
}

const SEARCH = {
  pattern: 'needle',
  literal: false,
  ignoreCase: false,
  path: '.',
  ignored: false,
  context: 0,
  limit: 100,
  bytes: 50_000,
}

describe('project_search', () => {
  it('finds lines by file, leaves out what is ignored, binary, hidden or no text', () => {
    expect(JOBS.search(context, SEARCH)).toEqual({
      text: [
        'README.md\n3:A needle here.',
        `long.md\n1:${'x'.repeat(400)}…`,
        'src/a.ts\n2:two needle\n5:five needle',
        'src/deep/er/b.ts\n2:needle',
      ].join('\n\n'),
      matches: 5,
      files: 4,
      searched: 8,
    })
  })

  it.each([
    [{ ignored: true }, 7],
    [{ ignoreCase: true }, 6],
    [{ glob: 'src/**' }, 3],
    [{ glob: '*.md' }, 2],
    [{ path: 'src' }, 3],
    [{ path: 'src', glob: 'deep/**' }, 1],
    [{ pattern: 'need.e', literal: true }, 0],
    [{ pattern: '^two.*e$' }, 1],
    [{ pattern: '^', glob: 'a.ts' }, 6],
    [{ pattern: '$', glob: 'a.ts' }, 6],
    [{ pattern: 'x*', glob: 'a.ts' }, 6],
    [{ pattern: 'one\\ntwo' }, 1],
  ])('finds with %j %i lines', (more, matches) => {
    expect(JOBS.search(context, { ...SEARCH, ...more }).matches).toBe(matches)
  })

  it('shows what is around a match, once', () => {
    expect(JOBS.search(context, { ...SEARCH, glob: 'a.ts', context: 1 }).text).toBe(
      'src/a.ts\n1-one\n2:two needle\n3-three\n4-four\n5:five needle\n6-six',
    )
    expect(JOBS.search(context, { ...SEARCH, glob: 'a.ts', pattern: 'one|six', context: 1 }).text).toBe(
      'src/a.ts\n1:one\n2-two needle\n--\n5-five needle\n6:six',
    )
  })

  it('says what was cut', () => {
    expect(JOBS.search(context, { ...SEARCH, limit: 2 })).toMatchObject({
      matches: 2,
      cut: 'more than 2 matches',
    })
    expect(JOBS.search(context, { ...SEARCH, bytes: 40 })).toMatchObject({
      matches: 1,
      cut: 'more matches than fit into one answer; narrow the search',
    })
  })

  it('refuses a pattern that is none', () => {
    expect(reason(() => JOBS.search(context, { ...SEARCH, pattern: '(' }))).toBe('project.pattern')
  })
})

const TREE = { path: '.', depth: 9, exclude: [], ignored: false, limit: 500, bytes: 100_000 }

describe('project_tree', () => {
  it('draws what is there', () => {
    expect(JOBS.tree(context, { ...TREE, exclude: ['src/deep', '*.md'] })).toEqual({
      text: '.github/\n  ci.yml\n.gitignore\nlinked@\nsrc/\n  a.ts\n  binary.ts\n  latin.ts\n  logo.png',
      entries: 9,
      depth: 9,
    })
  })

  it('shows fewer levels rather than half of the names, and says so', () => {
    expect(JOBS.tree(context, { ...TREE, limit: 6 })).toEqual({
      text: '.github/\n.gitignore\nREADME.md\nlinked@\nlong.md\nsrc/',
      entries: 6,
      depth: 1,
      cut: 'only 1 of 9 levels fit; 8 entries are not shown',
    })
    expect(JOBS.tree(context, { ...TREE, depth: 2 }).cut).toBe('1 folders go deeper')
    expect(JOBS.tree(context, { ...TREE, path: 'src/deep' }).text).toBe('er/\n  b.ts')
  })
})

describe('project_glob', () => {
  it.each([
    ['*.ts', '.', 'src/a.ts\nsrc/binary.ts\nsrc/deep/er/b.ts\nsrc/latin.ts'],
    ['src/*.ts', '.', 'src/a.ts\nsrc/binary.ts\nsrc/latin.ts'],
    ['er/*.ts', 'src/deep', 'src/deep/er/b.ts'],
    ['*.{yml,md}', '.', '.github/ci.yml\nREADME.md\nlong.md'],
    ['nothing', '.', ''],
  ])('finds %s below %s', (pattern, path, text) => {
    expect(JOBS.glob(context, { pattern, path, ignored: false, limit: 100, bytes: 100_000 }).text).toBe(text)
  })

  it('gives as many whole names as there is room for, and says that there are more', () => {
    const few = { ...TREE, bytes: 40 }
    expect(JOBS.tree(context, few)).toEqual({
      text: '.github/\n.gitignore\nREADME.md\nlinked@',
      entries: 4,
      depth: 1,
      cut: expect.stringContaining('not shown'),
    })
    expect(JOBS.glob(context, { pattern: '**', path: '.', ignored: false, limit: 99, bytes: 30 })).toEqual({
      text: '.github/ci.yml\n.gitignore',
      matches: 2,
      truncated: true,
    })
    const first = JOBS.list(context, { path: '.', offset: 0, limit: 99, bytes: 20 })
    expect(first).toMatchObject({ text: '.github/\n.gitignore', truncated: true })
    expect(JOBS.list(context, { path: '.', offset: 2, limit: 1, bytes: 3 })).toMatchObject({
      text: 'README.md',
    })
  })

  it('stops at its limit and says so', () => {
    expect(
      JOBS.glob(context, { pattern: '*.ts', path: '.', ignored: false, limit: 2, bytes: 100_000 }),
    ).toEqual({
      text: 'src/a.ts\nsrc/binary.ts',
      matches: 2,
      truncated: true,
    })
    expect(
      JOBS.glob(context, { pattern: '*.md', path: '.', ignored: false, limit: 2, bytes: 100_000 }).truncated,
    ).toBe(false)
  })
})

describe('project_read', () => {
  it('ends a long text at a whole line and says where', () => {
    const file = JOBS.read(context, { path: 'src/a.ts', bytes: 20 })
    expect(file).toMatchObject({ text: 'one\ntwo needle', lines: 6, first: 1, last: 2 })
    const rest = JOBS.read(context, { path: 'src/a.ts', startLine: file.last + 1, bytes: 1_000 })
    expect(rest).toMatchObject({ first: 3, last: 6 })
  })

  it('cuts a single long line between characters', () => {
    writeFileSync(join(root, 'wide.md'), '\u20ac'.repeat(100))
    expect(JOBS.read(context, { path: 'wide.md', bytes: 100 }).text).toBe('\u20ac'.repeat(33))
    rmSync(join(root, 'wide.md'))
  })

  it.each([
    ['.git/config', 'jail.blocked_name'],
    ['src/logo.png', 'jail.extension'],
    ['src/binary.ts', 'project.binary'],
    ['src/latin.ts', 'project.encoding'],
    ['.github/ci.yml', 'answer'],
    ['.gitignore', 'answer'],
    ['linked/a.ts', 'answer'],
  ])('answers %s with %s', (path, expected) => {
    expect(reason(() => JOBS.read(context, { path, bytes: 1_000 }))).toBe(expected)
  })

  it('shares one budget among many files', () => {
    const files = JOBS.many(context, { paths: ['long.md', 'nope.md', 'src/a.ts'], bytes: 300 })
    expect(files).toMatchObject([{ last: 1 }, { error: 'not_found' }, { lines: 6, last: 6 }])
    expect(files.reduce((sum, file) => sum + ('text' in file ? file.text.length : 0), 0)).toBeLessThanOrEqual(
      300,
    )
  })
})

describe('project_info', () => {
  it('tells files, folders and links apart from what can be read', () => {
    expect(JOBS.info(context, { path: 'src/a.ts' })).toMatchObject({ kind: 'file', size: 42, readable: true })
    expect(JOBS.info(context, { path: 'src/logo.png' })).toMatchObject({ kind: 'file', readable: false })
    expect(JOBS.info(context, { path: '.' })).toMatchObject({ path: '.', kind: 'directory', readable: false })
    expect(JOBS.info(context, { path: 'linked' })).toMatchObject({ path: 'src', kind: 'directory' })
  })
})

it('time that is up ends every job', () => {
  const late: JobContext = {
    ...context,
    checkDeadline: () => {
      throw new Fault({ kind: 'exhausted', code: 'jail.timeout', fix: '' }, 'late')
    },
  }
  for (const ask of [
    () => JOBS.search(late, SEARCH),
    () => JOBS.tree(late, TREE),
    () => JOBS.glob(late, { pattern: '*', path: '.', ignored: false, limit: 1, bytes: 100_000 }),
    () => JOBS.list(late, { path: '.', offset: 0, limit: 1, bytes: 100_000 }),
    () => JOBS.many(late, { paths: ['README.md'], bytes: 100 }),
  ]) {
    expect(reason(ask)).toBe('jail.timeout')
  }
})
