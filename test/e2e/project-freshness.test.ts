import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { BINARY, makeFolder, sweep } from '../support/binary.ts'
import { factsOf } from '../support/messages.ts'

afterAll(sweep)

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
    cwd,
    encoding: 'utf8',
  }).trim()

const ASKED: readonly (readonly [tool: string, args: object])[] = [
  ['project_read', { path: 'A.java' }],
  ['project_read_many', { paths: ['A.java'] }],
  ['project_info', { path: 'A.java' }],
  ['project_list', {}],
  ['project_tree', {}],
  ['project_glob', { pattern: '*.java' }],
  ['project_search', { pattern: 'class' }],
  ['project_symbols', { path: 'A.java' }],
  ['project_find_symbol', { name: 'A' }],
  ['project_find_references', { name: 'A' }],
  ['readJavaFile', { path: 'A.java' }],
  ['readProjectStructure', { path: '.' }],
]

/** The facts beside each answer, by tool. */
const answers = (cwd: string) => {
  const input = ASKED.map(([name, args], id) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }),
  ).join('\n')
  const text = execFileSync(process.execPath, [BINARY, 'mcp'], {
    cwd,
    input: `${input}\n`,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const replies = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return new Map(
    ASKED.map(([name], id) => {
      const reply = replies.find((one) => one.id === id)
      return [name, factsOf(reply) ?? reply.result.structuredContent]
    }),
  )
}

it('says beside every answer about files which commit they are at, and whether they differ from it', async () => {
  const cwd = await makeFolder()
  await writeFile(join(cwd, 'A.java'), 'class A {}\n')
  git(cwd, 'init', '-q', '-b', 'trunk')
  git(cwd, 'add', '.')
  git(cwd, 'commit', '-qm', 'a')
  const head = git(cwd, 'rev-parse', 'HEAD')
  const clean = answers(cwd)
  await writeFile(join(cwd, 'B.java'), 'class B {}\n')
  const changed = answers(cwd)
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
  for (const [name] of ASKED.filter(([tool]) => tool.startsWith('project_'))) {
    expect([name, clean.get(name).freshness]).toEqual([name, { head, dirty: false, at: time }])
    expect([name, changed.get(name).freshness]).toMatchObject([name, { head, dirty: true }])
  }
  for (const name of ['project_read', 'project_info', 'project_symbols', 'readJavaFile'])
    expect([name, clean.get(name).modified]).toEqual([name, time])
  expect(clean.get('project_read_many').files[0].modified).toEqual(time)
  for (const name of ['readJavaFile', 'readProjectStructure'])
    expect(clean.get(name)).not.toHaveProperty('freshness')
})
