import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { cleanEnvironment, makeFolder, sweep } from '../support/binary.ts'
import { SCG_BINARY } from './scg-client.ts'

afterAll(sweep)

const CLIENT = fileURLToPath(new URL('../../examples/belief-client/client.mjs', import.meta.url))
const README = fileURLToPath(new URL('../../examples/belief-client/README.md', import.meta.url))

const run = (cwd: string, ...command: readonly string[]) =>
  promisify(execFile)(process.execPath, [CLIENT, ...command], { cwd, env: cleanEnvironment() })

const CHECKSUM = /[0-9a-f]{64}/g

describe('the example client', () => {
  test('tells its story, as its page shows it, and leaves nothing behind', async () => {
    const folder = await makeFolder()
    const { stdout, stderr } = await run(folder, process.execPath, SCG_BINARY, '--store', 'memory')
    expect(stderr).toBe('')
    const [, shown = ''] = /```text\n([\s\S]*?)```/.exec(await readFile(README, 'utf8')) ?? []
    expect(shown.match(CHECKSUM)).toHaveLength(3)
    expect(stdout.replace(CHECKSUM, '#')).toBe(shown.replace(CHECKSUM, '#'))
    expect(await readdir(folder)).toEqual([])
  })

  test('uses every tool there is', async () => {
    const source = await readFile(CLIENT, 'utf8')
    const used = [...source.matchAll(/call\('([a-z.]+)'/g)].map(([, name]) => name)
    expect(new Set(used)).toEqual(
      new Set([
        'node.create',
        'node.mutate',
        'node.query',
        'edge.bind',
        'edge.propagate',
        'governor.status',
        'esv.audit',
        'lineage.replay',
        'lineage.export',
        'governance.status',
      ]),
    )
  })

  test('goes on where it left off when the graph is kept', async () => {
    const folder = await makeFolder()
    await run(folder, process.execPath, SCG_BINARY)
    const { stdout } = await run(folder, process.execPath, SCG_BINARY)
    expect(stdout).toContain('Nodes: 4, edges: 2, entries: 14, healthy: true.')
  })

  test.each([
    ['no command', [], 2],
    ['a command that does not exist', ['/no/such/program'], 1],
    ['a program that ends at once', [process.execPath, '-e', ''], 1],
    ['a server that refuses to start', [process.execPath, SCG_BINARY, '--nonsense'], 1],
  ])('says so and fails with %s', async (_, command, code) => {
    const failed = await run(await makeFolder(), ...command).catch((cause) => cause)
    expect(failed.code).toBe(code)
    expect(failed.stderr).toMatch(/\S/)
  })
})
