import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../src/app/commands/table.ts'
import { BINARY, cleanEnvironment, makeFolder, Program, sweep } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'

let root: string

const JAVA = `class Orders {
  int total(int price) { return price * 2; }
  // total in a comment
  void print() { total(3); }
}
`

beforeAll(async () => {
  const outside = await makeFolder()
  await writeFile(join(outside, 'secret.md'), 'from outside')
  root = await makeFolder()
  await mkdir(join(root, 'src/deep/deeper'), { recursive: true })
  await mkdir(join(root, 'built'))
  await writeFile(join(root, '.gitignore'), 'built/\n')
  await writeFile(join(root, 'built/made.md'), 'made by total')
  await writeFile(join(root, 'src/Orders.java'), JAVA)
  await writeFile(join(root, 'src/deep/deeper/end.md'), 'one\ntwo\nthree')
  await writeFile(join(root, 'src/paint\u001b[31m.md'), 'red')
  await writeFile(join(root, 'notes.md'), 'Total a.b\ntotal aXb\n')
  await symlink(join(outside, 'secret.md'), join(root, 'way-out.md'))
})

afterAll(sweep)

const warrant = (...args: readonly string[]) => new Program([...args, '--root', root], { cwd: root }).ended()
const json = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await warrant(...args, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** Root can read every file, so the program runs as an unprivileged user, where that user can start it. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const asUnprivileged = (cwd: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [BINARY, ...args], {
    ...UNPRIVILEGED,
    cwd,
    env: cleanEnvironment(),
    encoding: 'utf8',
  })

describe.skipIf(asUnprivileged('/', '--version').status !== 0)('a folder without read permission', () => {
  it('is reported, and the rest of the project is still read', async () => {
    const place = await makeFolder()
    await mkdir(join(place, 'data'))
    await mkdir(join(place, 'src'))
    await writeFile(join(place, 'src/a.ts'), 'export class Needle {}\n')
    await chmod(place, 0o755)
    await chmod(join(place, 'data'), 0)
    const warning = 'warrant: 1 folders cannot be read\n'
    expect(asUnprivileged(place, 'tree')).toMatchObject({
      status: 0,
      stdout: 'data/\nsrc/\n  a.ts\n',
      stderr: warning,
    })
    expect(asUnprivileged(place, 'search', 'Needle')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('src/a.ts'),
      stderr: warning,
    })
    expect(asUnprivileged(place, 'symbols', '--find', 'Needle')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('src/a.ts:1-1'),
    })
    expect(asUnprivileged(place, 'report')).toMatchObject({ status: 0 })
    expect(asUnprivileged(place, 'tree', 'data')).toMatchObject({ status: 8 })
    await chmod(join(place, 'data'), 0o700)
  })
})

describe('the files of the project on the command line', () => {
  it('draws a tree, says on stderr what it left out, and quotes what would paint the terminal', async () => {
    const { code, stdout, stderr } = await warrant('tree', '--depth', '2', '--exclude', '*.java,notes.md')
    expect(code).toBe(0)
    expect(stdout).toBe('.gitignore\nsrc/\n  deep/\n  "paint\\u001b[31m.md"\nway-out.md@\n')
    expect(stderr).toBe('warrant: 1 folders go deeper\n')
    const all = await json('tree', 'built', '--ignored')
    expect(all).toEqual({ entries: 1, depth: 4, text: 'made.md' })
    expect((await json('tree', '--limit', '6')).depth).toBe(1)
  })

  it('reads a file, or lines of it, and several with a heading each', async () => {
    expect((await warrant('read', 'src/Orders.java')).stdout).toBe(JAVA)
    const end = 'src/deep/deeper/end.md'
    expect((await warrant('read', end)).stdout).toBe('one\ntwo\nthree\n')
    expect((await warrant('read', end, '--start-line', '2', '--end-line', '2')).stdout).toBe('two\n')
    expect((await warrant('read', end, '--head', '1')).stdout).toBe('one\n')
    expect(await json('read', end, '--tail', '2')).toMatchObject({ lines: 3, first: 2, text: 'two\nthree' })
    const many = await warrant('read', end, 'gone.md', 'notes.md', '--head', '1')
    expect(many.stdout).toBe(`==> ${end} <==\none\n==> notes.md <==\nTotal a.b\n`)
    expect(many).toMatchObject({ code: 4, stderr: expect.stringContaining('there is no "gone.md"') })
    const { code, stdout } = await warrant('read', 'notes.md', 'gone.md', '--json')
    expect([code, JSON.parse(stdout).files]).toMatchObject([
      4,
      [
        { path: 'notes.md', lines: 2 },
        { path: 'gone.md', error: { code: 'jail.not_found' } },
      ],
    ])
  })

  it('prints a file that is larger than an answer to a model may be', async () => {
    const large = 'a line of text\n'.repeat(20_000)
    await writeFile(join(root, 'src/deep/large.md'), large)
    expect((await warrant('read', 'src/deep/large.md')).stdout).toBe(large)
  })

  it('gives a pipe every byte, and a terminal nothing that paints it', async () => {
    const painted = 'safe\u001b]0;owned\u0007\u001b[2Jhidden\rforged \u009b31m \u202e end\twide\r\n'
    await writeFile(join(root, 'src/deep/painted.md'), painted)
    expect((await warrant('read', 'src/deep/painted.md')).stdout).toBe(painted)
    const shown = (...args: readonly string[]) =>
      spawnSync(
        'script',
        ['-qec', [process.execPath, BINARY, ...args, '--root', root].join(' '), '/dev/null'],
        {
          cwd: root,
          env: cleanEnvironment(),
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      ).stdout
    for (const text of [shown('read', 'src/deep/painted.md'), shown('search', 'owned')]) {
      expect(text).toContain(
        'safe\\u001b]0;owned\\u0007\\u001b[2Jhidden\\u000dforged \\u009b31m \\u202e end\twide',
      )
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for exactly these
      expect(text).not.toMatch(/[\u001b\u0007\u009b\u202e]/)
    }
    const document = (await warrant('read', 'src/deep/painted.md', '--json')).stdout
    expect(document).not.toMatch(/[\u007f-\u009f\u202e]/)
    expect(JSON.parse(document).text).toBe(painted)
    await rm(join(root, 'src/deep/painted.md'))
  })

  it('searches by pattern or by the letter, with context, in what the ignore files leave', async () => {
    const found = await warrant('search', 'a.b', '--ignore-case', '--context', '1', '--glob', '*.md')
    expect(found).toMatchObject({ code: 0, stdout: 'notes.md\n1:Total a.b\n2:total aXb\n', stderr: '' })
    expect(await json('search', 'a.b', '--literal')).toMatchObject({ matches: 1 })
    expect(await json('search', 'made by', 'built', '--ignored')).toMatchObject({ matches: 1 })
    expect(await warrant('search', 'total', '--limit', '1')).toMatchObject({
      code: 0,
      stderr: 'warrant: more than 1 matches\n',
    })
    expect(await warrant('search', 'nowhere to be found')).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  it('outlines a source, finds a declaration, and finds the uses of a name', async () => {
    expect((await warrant('symbols', 'src/Orders.java')).stdout).toBe(
      '1-5 class Orders\n  2-2 method total\n  4-4 method print\n',
    )
    expect((await warrant('symbols', 'src/Orders.java', '--depth', '1')).stdout).toBe('1-5 class Orders\n')
    const declared = 'src/Orders.java:2-2 method Orders/total'
    expect(await json('symbols', '--find', 'Orders/total')).toMatchObject({ symbols: 1, text: declared })
    expect(await json('symbols', '--find', 'tot', '--part', 'src')).toMatchObject({ text: declared })
    const uses = (await warrant('symbols', '--uses', 'total', 'src')).stdout
    expect(uses.match(/^src\/Orders\.java:\d+/gm)).toEqual(['src/Orders.java:2', 'src/Orders.java:4'])
  })

  const mistakes: readonly (readonly [args: readonly string[], code: number])[] = [
    [['read'], 2],
    [['read', 'notes.md', '--head', '0'], 2],
    [['read', 'notes.md', '--head', '1', '--tail', '1'], 2],
    [['read', 'src'], 2],
    [['read', ...Array.from({ length: 21 }, () => 'notes.md')], 2],
    [['read', '/etc/passwd'], 3],
    [['read', 'way-out.md'], 3],
    [['read', 'notes.md', '--deny', '*.md'], 3],
    [['tree', 'notes.md'], 2],
    [['tree', '--depth', '65'], 2],
    [['search', '('], 2],
    [['symbols', 'notes.md'], 2],
    [['symbols'], 2],
    [['symbols', '--find', 'a', '--uses', 'b'], 2],
    [['symbols', '--uses', 'a', '--depth', '2'], 2],
  ]
  it.each(someRows(mistakes, 2))(
    'with %j ends with %i, one line on stderr or one JSON document, and nothing of outside',
    async (args, code) => {
      const [plain, document] = await Promise.all([warrant(...args), warrant(...args, '--json')])
      expect([plain.code, plain.stdout]).toEqual([code, ''])
      expect(plain.stderr).toMatch(/^warrant: .+\n$/)
      expect(document).toMatchObject({ code, stderr: '' })
      expect(JSON.parse(document.stdout)).toEqual({
        error: expect.objectContaining({ code: expect.any(String) }),
      })
      expect(plain.stderr + document.stdout).not.toMatch(/from outside|root:/)
    },
  )

  it.each([
    ['tree', 'project_tree', ['path']],
    ['read', 'project_read', ['path']],
    ['search', 'project_search', ['pattern', 'path']],
    ['symbols', 'project_symbols', ['path']],
    ['symbols', 'project_find_symbol', ['name', 'path']],
    ['symbols', 'project_find_references', ['name', 'path']],
  ])('%s takes everything that %s takes', (name, tool, words) => {
    const { inputSchema } = JSON.parse(readFileSync(`test/snapshots/tools/${tool}.json`, 'utf8'))
    const flags = commands()
      .find((one) => one.name === name)
      ?.options()
      .map(({ flag }) => flag)
    const wanted = Object.keys(inputSchema.properties).filter((key) => !words.includes(key))
    expect(flags).toEqual(
      expect.arrayContaining(wanted.map((key) => key.replace(/[A-Z]/g, (at) => `-${at.toLowerCase()}`))),
    )
  })
})
