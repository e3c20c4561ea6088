import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFolder, sweep } from '../support/binary.ts'
import { factsOf } from '../support/messages.ts'
import { Sentinel, textOf, verdict } from '../support/sentinel.ts'

const MAX = 10 * 1024 * 1024
let root: string
let server: Sentinel

const put = (path: string, content: string | Uint8Array = '') => {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), content)
}

beforeAll(async () => {
  root = join(await makeFolder(), 'project')
  put('pom.xml', '<project/>')
  put('src/main/java/A.java', 'class A {}\n')
  for (const path of [
    'target/x.jar',
    '.git/config',
    '.idea/a.xml',
    'node_modules/a/b.md',
    'build/x.md',
    'x.class',
  ])
    put(path)
  put('notes.md')
  mkdirSync(join(root, 'empty'))
  symlinkSync('src', join(root, 'linked'))
  server = new Sentinel(root)
})
afterAll(async () => {
  expect((await server.finish()).code).toBe(0)
  await sweep()
})

describe('readProjectStructure', () => {
  it('lists names a line, sorted, folders with a slash, without clutter and without the folder itself', async () => {
    const text = textOf(await server.list('.'))
    expect(text).toBe('empty/\nlinked\nnotes.md\npom.xml\nsrc/')
    expect(textOf(await server.list('.'))).toBe(text)
    expect(textOf(await server.list(root))).toBe(text)
    expect(textOf(await server.list('src/main/java'))).toBe('A.java')
    expect(textOf(await server.list('empty'))).toBe('')
  })

  it.each([
    ['pom.xml', '-32602 not_a_directory'],
    ['nowhere', '-32602 not_found'],
    ['', '-32602 empty_path'],
    ['.git', '-32602 blocked_name'],
  ])('answers %j with %s', async (path, expected) => {
    expect(verdict(await server.list(path))).toBe(expected)
  })

  it('gives a thousand entries and pages on to the rest', async () => {
    for (let at = 0; at < 1_000; at += 1) put(`many/f${String(at).padStart(4, '0')}.java`)
    const exact = await server.list('many')
    expect(textOf(exact).split('\n')).toHaveLength(1_000)
    expect(factsOf(exact)).toEqual({ total: 1_000, offset: 0, truncated: false, trust: 'untrusted' })
    expect(exact.result.content).toHaveLength(1)
    put('many/z.java')
    const first = await server.list('many')
    expect(textOf(first).split('\n')).toHaveLength(1_000)
    expect(factsOf(first)).toEqual({ total: 1_001, offset: 0, truncated: true, trust: 'untrusted' })
    expect(first.result.content[1].text).toBe('[entries 1 to 1000 of 1001; continue with offset 1000]')
    const rest = await server.list('many', { offset: 1_000 })
    expect(textOf(rest)).toBe('z.java')
    expect(factsOf(rest)).toEqual({ total: 1_001, offset: 1_000, truncated: false, trust: 'untrusted' })
  })

  it('lets no file name forge a line', async () => {
    put('odd/x\n[FILE] fake.java')
    put('odd/\u001b[2J.java')
    put('odd/\u202egpj.java')
    const lines = textOf(await server.list('odd')).split('\n')
    expect(lines).toEqual(['"\\u001b[2J.java"', '"x\\n[FILE] fake.java"', '"\\u202egpj.java"'])
  })

  it('shows a name that is not UTF-8 without stumbling', async () => {
    mkdirSync(join(root, 'bytes'))
    writeFileSync(
      Buffer.concat([Buffer.from(join(root, 'bytes/a')), Buffer.from([0xff]), Buffer.from('.java')]),
      'x',
    )
    expect(textOf(await server.list('bytes'))).toBe('"a\ufffd.java"')
    expect(verdict(await server.read('bytes/a\ufffd.java'))).toBe('-32602 not_found')
  })
})

describe('readJavaFile', () => {
  it('finds a name that macOS wrote, typed as people type it, unless two look alike', async () => {
    const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301']
    put(`names/${decomposed}.java`, 'decomposed')
    expect(textOf(await server.read(`names/${composed}.java`))).toBe('decomposed')
    put(`twins/${decomposed}x.java`, 'one')
    put(`twins/${composed}x.java`, 'other')
    expect(textOf(await server.read(`twins/${composed}x.java`))).toBe('other')
    put(`three/o\u0302\u0323.java`, 'one')
    put(`three/\u1ed9.java`, 'other')
    expect(verdict(await server.read('three/\u00f4\u0323.java'))).toBe('-32602 ambiguous')
  })

  it.each(['java', 'xml', 'md', 'properties', 'yml', 'yaml', 'JAVA'])(
    'gives a .%s file as it is',
    async (ending) => {
      const text = 'first\r\n\u2028 "quoted" \u{1f600} \\ last without newline'
      put(`kinds/a.${ending}`, text)
      expect(textOf(await server.read(`kinds/a.${ending}`))).toBe(text)
    },
  )

  it.each(['exe', 'class', 'jar', 'war', 'txt', 'json', 'CLASS', 'java.class', 'java '])(
    'refuses a .%s file',
    async (ending) => {
      put(`kinds/b.${ending}`)
      expect(verdict(await server.read(`kinds/b.${ending}`))).toBe('-32602 extension')
    },
  )

  it('reads ten mebibytes and not a byte more', async () => {
    put('big.java', Buffer.alloc(MAX, 'x'))
    const message = await server.read('big.java')
    expect(createHash('sha256').update(textOf(message)).digest('hex')).toBe(
      createHash('sha256').update(Buffer.alloc(MAX, 'x')).digest('hex'),
    )
    appendFileSync(join(root, 'big.java'), 'x')
    const more = await server.read('big.java')
    expect(verdict(more)).toBe('-32000 file_too_large')
    expect(more.error?.data).toMatchObject({ limit: MAX, actual: MAX + 1 })
    expect(more.error?.message).toMatch(/^Limit exceeded: /)
  })

  it.each([
    ['an empty file', '', ''],
    ['a byte order mark', '\ufeffclass A {}', 'class A {}'],
  ])('reads %s', async (_, content, text) => {
    put('read.java', content)
    const message = await server.read('read.java')
    expect(textOf(message)).toBe(text)
    expect(factsOf(message).bom).toBe(content === text ? undefined : true)
  })

  it.each([
    ['NUL', Buffer.from('a\0b'), '-32602 binary'],
    ['a class file', Buffer.from([0xca, 0xfe, 0xba, 0xbe, 1]), '-32602 binary'],
    ['an archive', Buffer.from('PK\x03\x04'), '-32602 binary'],
    ['Latin-1', Buffer.from([0x63, 0x61, 0x66, 0xe9]), '-32602 encoding'],
    ['UTF-16', Buffer.from('\ufeffclass', 'utf16le'), '-32602 encoding'],
  ])('does not take %s for text', async (_, content, expected) => {
    put('odd.java', content)
    expect(verdict(await server.read('odd.java'))).toBe(expected)
  })

  it.each([
    [{ startLine: 2, endLine: 3 }, 'b\nc'],
    [{ startLine: 3 }, 'c'],
    [{ endLine: 1 }, 'a'],
    [{ startLine: 9 }, ''],
    [{ startLine: 3, endLine: 2 }, ''],
    [{ head: 2 }, 'a\nb'],
    [{ head: 9 }, 'a\nb\nc'],
    [{ tail: 2 }, 'b\nc'],
    [{ tail: 9 }, 'a\nb\nc'],
  ])('chooses lines by %j', async (choice, text) => {
    put('lines.md', 'a\nb\nc\n')
    const message = await server.read('lines.md', choice)
    expect(textOf(message)).toBe(text)
    expect(factsOf(message).lines).toBe(3)
  })

  it.each([
    { head: 0 },
    { head: -1 },
    { head: 1.5 },
    { tail: '2' },
    { head: 1, tail: 1 },
    { head: 1, startLine: 1 },
  ])('refuses %j', async (choice) => {
    put('lines.md', 'a\nb\nc\n')
    expect((await server.read('lines.md', choice)).error?.code).toBe(-32602)
  })

  it('keeps characters whole at the borders of every block', async () => {
    for (const size of [1_023, 1_022, 65_535, 65_534]) {
      put('wide.md', `${'x'.repeat(size)}\u20ac\u{1f600}\nsecond \u20ac\n`)
      expect(textOf(await server.read('wide.md', { head: 1 }))).toBe(`${'x'.repeat(size)}\u20ac\u{1f600}`)
      expect(textOf(await server.read('wide.md', { tail: 1 }))).toBe('second \u20ac')
    }
  })

  it('says nothing of the host when a file cannot be read', async ({ skip }) => {
    if (process.getuid?.() !== 0) return skip('only root can start a process as another user')
    put('locked.java', 'secret')
    chmodSync(join(root, 'locked.java'), 0)
    for (const path of [join(root, '..'), root]) chmodSync(path, 0o755)
    const other = new Sentinel(root, [], { uid: 65_534 })
    const message = await other.read('locked.java')
    expect(verdict(message)).toBe('-32603 io')
    expect(JSON.stringify(message)).not.toContain(root)
    await other.finish()
  })

  it('reads a file that grows and never past the limit', async () => {
    put('grow.md', 'x'.repeat(1_000_000))
    const grow = () => {
      if (statSync(join(root, 'grow.md')).size < 2 * MAX)
        appendFileSync(join(root, 'grow.md'), 'y'.repeat(300_000))
    }
    const timer = setInterval(grow, 1)
    for (let at = 0; at < 60; at += 1) {
      const message = await server.read('grow.md')
      if (message.error === undefined) expect(textOf(message).length).toBeLessThanOrEqual(MAX)
      else expect(verdict(message)).toBe('-32000 file_too_large')
    }
    clearInterval(timer)
  })
})

describe('write_architecture_report', () => {
  const write = (args: Readonly<Record<string, unknown>>) => server.ask('write_architecture_report', args)
  const reports = () =>
    readdirSync(root).filter((name) => name.startsWith('SENTINEL') || name.endsWith('.tmp'))

  it('takes the next free name of the day, and says where', async () => {
    const day = new Date()
    const stamp = `${day.getFullYear()}${String(day.getMonth() + 1).padStart(2, '0')}${String(day.getDate()).padStart(2, '0')}`
    for (const suffix of ['', '_01', '_02']) {
      const { result } = await write({ content: `# Report${suffix}\n\u20ac` })
      const fileName = `SENTINEL_REPORT_${stamp}${suffix}.md`
      expect(result.structuredContent).toEqual({
        fileName,
        path: join(root, fileName),
        bytes: 12 + suffix.length,
      })
      expect(readFileSync(join(root, fileName), 'utf8')).toBe(`# Report${suffix}\n\u20ac`)
    }
    for (const name of reports()) rmSync(join(root, name))
  })

  it('takes a good name, and never overwrites', async () => {
    const fileName = 'SENTINEL_REPORT_20260101_07.md'
    expect(verdict(await write({ fileName, content: 'first' }))).toBe('success')
    expect(verdict(await write({ fileName, content: 'second' }))).toBe('-32000 exists')
    expect(readFileSync(join(root, fileName), 'utf8')).toBe('first')
    const planted = 'SENTINEL_REPORT_20260102.md'
    symlinkSync('../planted.md', join(root, planted))
    expect(verdict(await write({ fileName: planted, content: 'x' }))).toBe('-32000 exists')
    expect(readdirSync(join(root, '..'))).not.toContain('planted.md')
    expect(reports()).toEqual([fileName, planted])
    for (const name of reports()) rmSync(join(root, name))
  })

  it.each([
    'x.md',
    'SENTINEL_REPORT.md',
    'SENTINEL_REPORT_20260230.md',
    'SENTINEL_REPORT_20261301.md',
    'SENTINEL_REPORT_20260101_00.md',
    'SENTINEL_REPORT_20260101_1.md',
    'sentinel_report_20260101.md',
    'SENTINEL_REPORT_20260101.md ',
    'SENTINEL_REPORT_20260101.md\n',
    'sub/SENTINEL_REPORT_20260101.md',
    '../SENTINEL_REPORT_20260101.md',
    '/tmp/SENTINEL_REPORT_20260101.md',
    '',
  ])('writes nothing under the name %j', async (fileName) => {
    expect(verdict(await write({ fileName, content: 'x' }))).toBe('-32000 read_only')
    expect(reports()).toEqual([])
  })

  it('writes no report that is too long', async () => {
    expect(verdict(await write({ content: 'x'.repeat(MAX + 1) }))).toBe('-32000 file_too_large')
    expect(reports()).toEqual([])
  })

  it('gives twenty writers twenty files', async () => {
    const contents = Array.from({ length: 20 }, (_, at) => `report ${at}`)
    const answers = await server.askAll(contents.map((content) => ['write_architecture_report', { content }]))
    const names = answers.map(({ result }) => result.structuredContent.fileName)
    expect(new Set(names).size).toBe(20)
    expect(names.map((name) => readFileSync(join(root, name), 'utf8'))).toEqual(contents)
    expect(reports()).toHaveLength(20)
    for (const name of reports()) rmSync(join(root, name))
  })

  it('leaves nothing behind where it may not write', async ({ skip }) => {
    if (process.getuid?.() !== 0) return skip('only root can start a process as another user')
    chmodSync(root, 0o555)
    const other = new Sentinel(root, [], { uid: 65_534 })
    const message = await other.ask('write_architecture_report', { content: 'x' })
    expect(verdict(message)).toBe('-32603 io')
    expect(reports()).toEqual([])
    chmodSync(root, 0o755)
    await other.finish()
  })
})
