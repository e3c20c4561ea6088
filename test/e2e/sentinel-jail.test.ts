import { spawnSync } from 'node:child_process'
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { converse, makeFolder, startHttp, sweep } from '../support/binary.ts'
import { caseCount } from '../support/case-count.ts'
import { attackPaths, createHostileProject, type HostileProject, SECRET } from '../support/jail-attacks.ts'
import {
  everyNth,
  expectNothingFromOutside,
  leaks,
  namesRoot,
  pathCalls,
  WAYS,
} from '../support/jail-calls.ts'
import { type Message, request } from '../support/messages.ts'
import { Sentinel, textOf, verdict } from '../support/sentinel.ts'

let hostile: HostileProject
let server: Sentinel
beforeAll(() => {
  hostile = createHostileProject()
  server = new Sentinel(hostile.root)
})
afterAll(async () => {
  expect((await server.finish()).code).toBe(0)
  hostile.remove()
  await sweep()
})

const SENTINEL_WAYS = WAYS.filter(([tool]) => !tool.startsWith('project_'))

const DOTTED = 'a..b.java'

/** The refusal of a path, the same for every tool. */
const REFUSED: readonly (readonly [path: string, reason: string])[] = [
  ['../../etc/passwd', 'traversal'],
  ['src/../pom.xml', 'traversal'],
  [DOTTED, 'traversal'],
  ['..\\x', 'traversal'],
  ['/etc/passwd', 'outside_root'],
  ['/proc/self/environ', 'outside_root'],
  ['/dev/fd/0', 'outside_root'],
  ['~/.ssh/id_rsa', 'home'],
  ['~', 'home'],
  ['out.java', 'outside_root'],
  ['out-dir/secret.java', 'outside_root'],
  ['up/outside/secret.java', 'outside_root'],
  ['chain1.java', 'outside_root'],
  ['zero.java', 'outside_root'],
  ['environ.java', 'outside_root'],
  ['proc-root/x.java', 'outside_root'],
  ['fd/0.java', 'outside_root'],
  ['A.java\0.md', 'bad_path'],
  ['a\n.java', 'bad_path'],
  ['a\u001b[2J.java', 'bad_path'],
  ['C:\\x', 'bad_path'],
  ['C:/x', 'bad_path'],
  ['\\\\h\\s', 'bad_path'],
  ['//host/share', 'bad_path'],
  ['.git/config', 'blocked_name'],
  ['.GIT/a.md', 'blocked_name'],
  ['to-git.java', 'blocked_name'],
  ['.g\u200cit/config', 'blocked_name'],
  ['\ufeff.GI\u2060T/x.java', 'blocked_name'],
  ['\ud800.java', 'encoding'],
  ['y'.repeat(5_000), 'path_too_long'],
  ['y'.repeat(256), 'path_too_long'],
  ['loop-a/x.java', 'not_found'],
  ['%2e%2e/A.java', 'not_found'],
  ['file:///A.java', 'not_found'],
  ['$HOME/x.java', 'not_found'],
  [' A.java', 'not_found'],
]
/** The write tool: every name that is not a report name is refused with the same reason. */
const WRITER = 'write_architecture_report'

const reasonOf = (text: string): string | undefined =>
  /"(?:code|reason|error)":"(?:jail\.)?([a-z_]+)"/.exec(text)?.[1]

describe('the jail on the wire', () => {
  it('gives not a byte from outside, through sentinel-mcp', async () => {
    const all = everyNth(caseCount(16, 2), pathCalls(SENTINEL_WAYS, attackPaths(hostile)))
    expect(all.length).toBeGreaterThan(caseCount(150, 1_200))
    const answers = await server.askAll(all.map(([tool, args]) => [tool, args] as const))
    answers.forEach((message, at) => {
      const [tool, , path] = all[at] ?? []
      const text = JSON.stringify(message)
      expect.soft(leaks(text), `${tool} ${path}`).toBe(false)
      if (!path?.includes(hostile.base) && !namesRoot(tool, text))
        expect.soft(text, `${tool} ${path}`).not.toContain(hostile.base)
      expect.soft(message.error === undefined || text.length < 2_000, `${tool} ${path}`).toBe(true)
    })
  })

  it('gives not a byte from outside, through the union over stdio', async () => {
    // The long run makes all calls.
    await expectNothingFromOutside(hostile, everyNth(caseCount(32, 4), pathCalls(WAYS, attackPaths(hostile))))
  })

  it('gives not a byte from outside, through the union over HTTP', async () => {
    const program = await startHttp(['--root', hostile.root])
    const all = pathCalls(
      WAYS,
      attackPaths(hostile).filter((_, at) => at % caseCount(160, 20) === 0),
    )
    const ask = async ([name, args]: (typeof all)[number], id: number): Promise<string> => {
      const response = await program.fetch('/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: request(id, 'tools/call', { name, arguments: args }),
      })
      return response.text()
    }
    for (let at = 0; at < all.length; at += 50) {
      const texts = await Promise.all(all.slice(at, at + 50).map((one, offset) => ask(one, at + offset)))
      texts.forEach((text, offset) => {
        const [tool, , path] = all[at + offset] ?? []
        expect.soft(text, `${tool} ${path}`).toContain('jsonrpc')
        expect.soft(leaks(text), `${tool} ${path}`).toBe(false)
        if (!path?.includes(hostile.base) && !namesRoot(tool, text))
          expect.soft(text, `${tool} ${path}`).not.toContain(hostile.base)
      })
    }
    program.child.kill()
    await program.ended()
  })

  it('refuses the same paths for the same reasons, whatever tool they are given to, over both wires', async () => {
    const reasonFor = (tool: string, path: string, reason: string): string => {
      if (tool === WRITER) return 'read_only'
      // Only the tools of sentinel-mcp refuse two dots inside a name.
      return path === DOTTED && tool.startsWith('project_') ? 'not_found' : reason
    }
    const named = REFUSED.flatMap(([path, reason], row) =>
      // Every path and every tool, not each with each: that is for the long run.
      WAYS.filter((_, at) => (at + row) % caseCount(6, 1) === 0).map(
        ([tool, args]) => [tool, args(path), reasonFor(tool, path, reason), path] as const,
      ),
    )
    expect(named.length).toBeGreaterThan(caseCount(100, 400))
    const program = await startHttp(['--root', hostile.root])
    const lines = named.map(([name, args], id) => request(id, 'tools/call', { name, arguments: args }))
    const { messages } = await converse(lines, ['--root', hostile.root])
    const answers = new Map(messages.map((message) => [message.id, JSON.stringify(message)]))
    for (let at = 0; at < named.length; at += 50) {
      const page = await Promise.all(
        lines.slice(at, at + 50).map(async (body) => {
          const response = await program.fetch('/mcp', {
            method: 'POST',
            headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
            body,
          })
          return response.text()
        }),
      )
      page.forEach((text, offset) => {
        const [tool, , reason, path] = named[at + offset] ?? []
        for (const [wire, said] of [
          ['http', text],
          ['stdio', answers.get(at + offset) ?? ''],
        ] as const) {
          const what = `${wire} ${tool} ${JSON.stringify(path)}`
          expect.soft(reasonOf(said), what).toBe(reason)
          expect.soft(said, what).not.toContain(hostile.base)
          expect.soft(said.length, what).toBeLessThan(2_500)
          expect.soft(leaks(said), what).toBe(false)
        }
      })
    }
    program.child.kill()
    await program.ended()
  })

  it('keeps the spelling of its root, and takes no other case of it for the same', async () => {
    const folder = await makeFolder()
    const [root, twin] = [join(folder, 'MixedCase'), join(folder, 'mixedcase')]
    for (const [place, text] of [
      [root, 'inside'],
      [twin, SECRET],
    ] as const) {
      mkdirSync(place)
      writeFileSync(join(place, 'A.java'), text)
    }
    const other = new Sentinel(root)
    expect(textOf(await other.read(join(root, 'A.java')))).toBe('inside')
    expect(verdict(await other.read(join(twin, 'A.java')))).toBe('-32000 outside_root')
    expect(verdict(await other.read('a.java'))).toBe('-32602 not_found')
    const written = await other.ask(WRITER, { content: '# x' })
    expect(JSON.stringify(written.result)).toContain(`${root}/SENTINEL_REPORT_`)
    await other.finish()
  })

  it.each([
    ['../../etc/passwd', '-32000 traversal'],
    ['src/../pom.xml', '-32000 traversal'],
    ['/etc/passwd', '-32000 outside_root'],
    ['~/.ssh/id_rsa', '-32000 home'],
    ['~', '-32000 home'],
    ['a..b.java', '-32000 traversal'],
    ['out.java', '-32000 outside_root'],
    ['out-dir/secret.java', '-32000 outside_root'],
    ['chain1.java', '-32000 outside_root'],
    ['in1.java', 'success'],
    ['to-env.java', '-32602 extension'],
    ['to-class.java', '-32602 extension'],
    ['loop.java', '-32602 not_found'],
    ['pipe.java', '-32000 special_file'],
    ['zero.java', '-32000 outside_root'],
    ['environ.java', '-32000 outside_root'],
    ['A.java\0', '-32000 bad_path'],
    ['a\n.java', '-32000 bad_path'],
    ['%2e%2e/A.java', '-32602 not_found'],
    ['x\\y', '-32000 bad_path'],
    ['C:\\x', '-32000 bad_path'],
    ['\\\\h\\s', '-32000 bad_path'],
    ['y'.repeat(5_000), '-32602 path_too_long'],
    ['.git/config', '-32602 blocked_name'],
    ['.GIT/a.md', '-32602 blocked_name'],
    ['.github/x.yml', '-32602 blocked_name'],
    ['.gitignore', '-32602 blocked_name'],
    ['file.exe', '-32602 extension'],
    ['folder.java', '-32602 not_a_file'],
    ['A.java/', '-32602 not_a_directory'],
    ['A.java/.', '-32602 not_a_directory'],
    ['file:///A.java', '-32602 not_found'],
    ['sparse.java', '-32000 file_too_large'],
    ['', '-32602 empty_path'],
  ])('answers a read of %j with %s', async (path, expected) => {
    const message = await server.read(path)
    expect(verdict(message)).toBe(expected)
    const prefix = expected.startsWith('-32602')
      ? /^Invalid params: /
      : /^(Security violation|Limit exceeded): /
    if (message.error !== undefined) expect(message.error.message).toMatch(prefix)
  })

  it('refuses the sibling whose name begins like the root', async () => {
    expect(verdict(await server.read(`${hostile.root}-evil/A.java`))).toBe('-32000 outside_root')
  })

  it('opens no socket and no device', async () => {
    const socket = createServer()
    await new Promise<void>((resolve) => socket.listen(join(hostile.root, 'socket.java'), resolve))
    expect(verdict(await server.read('socket.java'))).toBe('-32000 special_file')
    await new Promise((resolve) => socket.close(resolve))
  })

  it('reads root-relative paths wherever it was started, and by either spelling of the root', async () => {
    const other = new Sentinel(hostile.alias, [], { cwd: '/' })
    expect(textOf(await other.read('A.java'))).toContain('inside')
    expect(textOf(await other.read(`${hostile.alias}/A.java`))).toContain('inside')
    expect(textOf(await other.read(`${hostile.root}/A.java`))).toContain('inside')
    expect((await other.finish()).code).toBe(0)
  })

  it('lets the operator refuse hard links, other disks and named paths', async () => {
    linkSync(join(hostile.base, 'outside/secret.java'), join(hostile.root, 'planted.java'))
    expect(textOf(await server.read('planted.java'))).toBe(SECRET)
    expect(server.stderr).toMatch(
      /WARN {2}SentinelMcpServer - read a file that has other hard links .*planted\.java/,
    )
    const strict = new Sentinel(hostile.root, [
      '--deny-hardlinks',
      '--one-file-system',
      '--deny',
      '/src/**,B.java',
    ])
    expect(verdict(await strict.read('planted.java'))).toBe('-32000 hard_link')
    expect(verdict(await strict.read('src/main/java/B.java'))).toBe('-32000 denied')
    expect(verdict(await strict.read('pom.xml'))).toBe('success')
    rmSync(join(hostile.root, 'planted.java'))
    await strict.finish()
  })

  it('keeps what the operator denies from every tool, by every way to it', async () => {
    const denied = join(await makeFolder(), 'project')
    mkdirSync(join(denied, 'keys/deep'), { recursive: true })
    mkdirSync(join(denied, 'src'))
    for (const path of ['keys/a.java', 'keys/deep/b.java', 'src/secret.java']) {
      writeFileSync(join(denied, path), `class Hidden { String s = "${SECRET}"; }`)
    }
    writeFileSync(join(denied, 'src/open.java'), 'class Open {}')
    linkSync(join(denied, 'keys/a.java'), join(denied, 'src/hard.java'))
    symlinkSync('../keys', join(denied, 'src/soft'))
    symlinkSync('secret.java', join(denied, 'src/soft.java'))
    writeFileSync(join(denied, 'src/cafe\u0301.java'), `class Hidden { String s = "${SECRET}"; }`)
    const patterns = 'keys,src/secret.java,src/caf\u00e9.java'
    const flags = ['--root', denied, '--deny', patterns, '--deny-hardlinks']
    const paths = [
      ...[
        'keys',
        'keys/',
        './keys',
        'keys/.',
        './/keys//a.java',
        'keys/a.java',
        'keys/deep',
        'keys/deep/b.java',
      ],
      ...[
        'src/secret.java',
        'src/./secret.java',
        'src//secret.java',
        'src/soft',
        'src/soft/a.java',
        'src/soft.java',
      ],
      ...['src/cafe\u0301.java', 'src/caf\u00e9.java'],
      ...['src/hard.java', '.', 'src', denied, `${denied}/keys/a.java`, `${denied}//src/secret.java`],
    ]
    const all = pathCalls(WAYS, paths).filter(([tool]) => !/^(generate|write)/.test(tool))
    const lines = all.map(([name, args], id) => request(id, 'tools/call', { name, arguments: args }))
    const { messages } = await converse(lines, flags)
    expect(messages).toHaveLength(all.length)
    for (const message of messages) {
      const [tool, , path] = all[Number(message.id)] ?? []
      const text = JSON.stringify(message)
      expect
        .soft(
          text.includes(SECRET) || /Hidden|b\.java/.test(text.replaceAll(String(path), '')),
          `${tool} ${path}`,
        )
        .toBe(false)
    }
  })

  it('stays on the file system of its root with --one-file-system, and never reads kernel file systems', async ({
    skip,
  }) => {
    const folder = join(await makeFolder(), 'project')
    for (const name of ['other', 'kernel']) mkdirSync(join(folder, name), { recursive: true })
    const mount = (...args: readonly string[]) => spawnSync('mount', args, { stdio: 'ignore' }).status === 0
    if (!mount('-t', 'tmpfs', 'none', join(folder, 'other'))) return skip('not the superuser')
    try {
      writeFileSync(join(folder, 'other/A.java'), 'elsewhere')
      writeFileSync(join(folder, 'B.java'), 'here')
      const [open, strict] = [new Sentinel(folder), new Sentinel(folder, ['--one-file-system'])]
      expect(textOf(await open.read('other/A.java'))).toBe('elsewhere')
      expect(verdict(await strict.read('other/A.java'))).toBe('-32000 other_file_system')
      expect(verdict(await strict.list('other'))).toBe('-32000 other_file_system')
      expect(textOf(await strict.read('B.java'))).toBe('here')
      if (mount('-t', 'proc', 'none', join(folder, 'kernel'))) {
        expect(verdict(await open.list('kernel'))).toBe('-32000 special_file')
        expect(verdict(await open.list('kernel/self'))).toMatch(/^-32000 /)
      }
      for (const server of [open, strict]) await server.finish()
    } finally {
      for (const name of ['other', 'kernel'])
        spawnSync('umount', ['-l', join(folder, name)], { stdio: 'ignore' })
    }
  })

  it('outlives its root, and serves nothing that takes its place', async () => {
    const folder = await makeFolder()
    const root = join(folder, 'root')
    mkdirSync(root)
    writeFileSync(join(root, 'A.java'), 'inside')
    const other = new Sentinel(root)
    expect(textOf(await other.read('A.java'))).toBe('inside')
    renameSync(root, join(folder, 'away'))
    symlinkSync(join(hostile.base, 'outside'), root)
    for (const ask of [other.read('A.java'), other.read('secret.java'), other.list('.')]) {
      expect(verdict(await ask)).toMatch(/^-32(000 changed|602 not_found)$/)
    }
    rmSync(join(folder, 'away'), { recursive: true })
    for (const ask of [
      other.read('A.java'),
      other.list('.'),
      other.ask('write_architecture_report', { content: 'x' }),
    ]) {
      expect((await ask).error).toBeDefined()
    }
    expect((await other.finish()).code).toBe(0)
  })

  it('serves other calls while twenty pipes are asked for', async () => {
    const answers: readonly Message[] = await server.askAll([
      ...Array.from({ length: 20 }, () => ['readJavaFile', { path: 'pipe.java' }] as const),
      ['readJavaFile', { path: 'A.java' }],
    ])
    expect(answers.slice(0, 20).map(verdict)).toEqual(Array(20).fill('-32000 special_file'))
    expect(textOf(answers[20] as Message)).toContain('inside')
  })
})
