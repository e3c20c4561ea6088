import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { converse, makeFolder, Program, sweep } from '../support/binary.ts'
import { hangMount } from '../support/hung-mount.ts'
import { expectListed } from '../support/large-folder.ts'
import { factsOf, type Message, request } from '../support/messages.ts'
import { Sentinel, textOf, verdict } from '../support/sentinel.ts'

let root: string
beforeAll(async () => {
  root = join(await makeFolder(), 'project')
  mkdirSync(root)
  writeFileSync(join(root, 'A.java'), 'class A {}\n')
})
afterAll(sweep)

const tool = (id: number, name: string, args: object): string =>
  request(id, 'tools/call', { name, arguments: args })

describe('much at once', () => {
  it('lists a folder of ten thousand', () => expectListed(root, 10_000))

  it('goes through a tree of fifteen hundred levels as far as it is let, and says so', async () => {
    mkdirSync(join(root, 'deep', 'd/'.repeat(1_500)), { recursive: true })
    const { messages } = await converse(
      [
        tool(1, 'project_tree', { path: 'deep', depth: 64, limit: 2_000 }),
        tool(2, 'project_glob', { path: 'deep', pattern: '**/*.java' }),
        tool(3, 'project_search', { path: 'deep', pattern: 'x' }),
        tool(4, 'project_list', { path: `deep/${'d/'.repeat(1_400)}` }),
      ],
      ['--root', root],
    )
    const byId = new Map(
      messages.map((message) => [message.id, { ...message.result, facts: factsOf(message) }]),
    )
    expect(byId.get(1)?.facts).toEqual({
      entries: 64,
      depth: 64,
      cut: '1 folders go deeper',
      trust: 'untrusted',
      freshness: { at: expect.any(String) },
    })
    expect(byId.get(2)?.facts.matches).toBe(0)
    expect(byId.get(3)?.facts.matches).toBe(0)
    expect(byId.get(4)?.content[0].text).toBe('d/')
  })

  it('stops a search whose pattern explodes, and serves others meanwhile', async () => {
    writeFileSync(join(root, 'bomb.md'), `${'a'.repeat(60)}!\n`)
    const program = new Program(['mcp', '--root', root])
    for (let id = 1; id <= 3; id += 1)
      program.send(tool(id, 'project_search', { pattern: '^(a+)+$', glob: 'bomb.md' }))
    program.send(tool(4, 'project_read', { path: 'A.java' }))
    const [first] = await program.answers(1)
    expect(first).toMatchObject({ id: 4, result: { _meta: { 'warrant/facts': { lines: 1 } } } })
    const rest = (await program.answers(4)).slice(1)
    expect(rest.map(({ result }) => result.isError)).toEqual([true, true, true])
    expect(JSON.stringify(rest)).toContain('jail.timeout')
    expect((await program.finish()).code).toBe(0)
  })

  it('gives up on a disk that does not answer, and serves others meanwhile', async ({ skip }) => {
    const release = hangMount(join(root, 'hung'))
    if (release === undefined) return skip('no FUSE here, or not the superuser')
    try {
      const server = new Sentinel(root)
      const stuck = [
        ...Array.from({ length: 6 }, () => server.call('readJavaFile', { path: 'hung/x.java' })),
        server.call('readProjectStructure', { path: 'hung' }),
      ]
      const others = Array.from({ length: 20 }, () => server.call('readJavaFile', { path: 'A.java' }))
      for (const id of others) expect(textOf(await server.answer(id))).toBe('class A {}\n')
      // The calls sent after the hung ones were answered before them: they did not wait.
      const order = server.lines.map((line) => JSON.parse(line).id)
      expect(new Set(order.slice(0, 20))).toEqual(new Set(others))
      const answers: Message[] = []
      for (const id of stuck) answers.push(await server.answer(id))
      expect(new Set(answers.map(verdict))).toEqual(new Set(['-32000 timeout']))
      expect(textOf(await server.read('A.java'))).toBe('class A {}\n')
      const { signal, stderr } = await server.finish()
      // A normal exit would wait for the hung threads, so the server logs them and kills itself.
      expect(signal).toBe('SIGKILL')
      expect(stderr).toContain('a file system does not respond')
    } finally {
      release()
    }
  })
})
