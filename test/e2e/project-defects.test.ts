import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { converse, makeFolder, Program, sweep } from '../support/binary.ts'
import { request } from '../support/messages.ts'

/** Ordinary projects on which the project tools once failed. */

const PAGE = 'app/[[...slug]]/page.tsx'
const FILES: Readonly<Record<string, string>> = {
  'package.json': '{"name":"shop","dependencies":{"express":"5"}}',
  // Two variables that are defined by each other, as the callbacks of IndexedDB are written.
  'src/store.js': 'const db = request.result; const request = db.get("x")\n',
  '.ai_evidence.json': '{"line":"http://billing/api"}',
  'src/circle.ts': 'const a = b.c.d\nconst b = c.a(a)\nconst c = b.fetch(a.b)\nfetch(a)\naxios.get(c.d)\n',
  [PAGE]: "export async function Page() { return fetch('http://billing/api') }\n",
}

let root: string
beforeAll(async () => {
  root = await makeFolder()
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(join(root, dirname(name)), { recursive: true })
    await writeFile(join(root, name), text)
  }
})
afterAll(sweep)

const run = (...args: readonly string[]) => new Program([...args, '--root', root], { cwd: root }).finish()

describe('the architecture report', () => {
  it('survives variables that are defined by each other, and reads below a folder with dots', async () => {
    const { code, stdout, stderr } = await run('report')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('http://billing')
    expect(stdout).not.toContain('are missing')
  })
})

describe('a folder named [[...slug]]', () => {
  it('is served over MCP, by the tools of the project and of the report', async () => {
    const calls = [
      ['project_read', { path: PAGE }],
      ['project_symbols', { path: PAGE }],
      ['project_tree', { path: 'app' }],
      ['project_tree', { path: dirname(PAGE) }],
      ['project_list', { path: dirname(PAGE) }],
      ['project_search', { pattern: 'billing', path: 'app' }],
      ['discover_service_interconnections', { projectPath: '.' }],
      ['analyze_project', { rootPath: '.' }],
      // One name for the folder; the root is the default.
      ['project_connections', {}],
      ['project_analyze', { path: 'app/[[...slug]]' }],
      ['project_analyze', { projectPath: '.' }],
    ] as const
    const lines = calls.map(([name, args], id) => request(id, 'tools/call', { name, arguments: args }))
    const { messages } = await converse(lines, ['--root', root])
    for (const { id, error, result } of messages) {
      expect.soft({ id, error, isError: result?.isError ?? false }).toEqual({ id, isError: false })
      expect.soft(JSON.stringify(result)).toMatch(/billing|page\.tsx|Page/)
    }
    expect(messages).toHaveLength(calls.length)
  })
})

describe('the evidence of the gate', () => {
  it('is neither listed nor searched', async () => {
    const calls = [
      ['project_list', {}],
      ['project_tree', {}],
      ['project_glob', { pattern: '**/*' }],
      ['project_search', { pattern: 'billing' }],
    ] as const
    const lines = calls.map(([name, args], id) => request(id, 'tools/call', { name, arguments: args }))
    const { messages } = await converse(lines, ['--root', root])
    expect(messages).toHaveLength(calls.length)
    for (const { error, result } of messages) {
      expect.soft({ error, isError: result?.isError ?? false }).toEqual({ isError: false })
      expect.soft(JSON.stringify(result)).not.toContain('ai_evidence')
    }
  })
})
