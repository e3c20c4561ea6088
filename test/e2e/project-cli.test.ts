import { spawnSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { BINARY, cleanEnvironment, makeFolder, sweep } from '../support/binary.ts'
import { readMessage, request } from '../support/messages.ts'

afterAll(sweep)

/** Root can read every file, so the program runs as an unprivileged user, where that user can start it. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const asUnprivileged = (cwd: string, args: readonly string[], input = '') =>
  spawnSync(process.execPath, [BINARY, ...args], {
    ...UNPRIVILEGED,
    cwd,
    env: cleanEnvironment(),
    encoding: 'utf8',
    input,
  })

describe.skipIf(asUnprivileged('/', ['--version']).status !== 0)('a folder without read permission', () => {
  it('is reported, and the rest of the project is still read', async () => {
    const place = await makeFolder()
    await mkdir(join(place, 'data'))
    await mkdir(join(place, 'src'))
    await writeFile(join(place, 'src/a.ts'), 'export class Needle {}\n')
    await chmod(place, 0o755)
    await chmod(join(place, 'data'), 0)
    const calls = [
      ['project_tree', {}],
      ['project_search', { pattern: 'Needle' }],
      ['project_find_symbol', { name: 'Needle' }],
      ['project_tree', { path: 'data' }],
    ] as const
    const lines = calls.map(([name, args], id) => request(id, 'tools/call', { name, arguments: args }))
    const { stdout } = asUnprivileged(place, ['mcp', '--root', place], `${lines.join('\n')}\n`)
    const answers = new Map(
      stdout
        .trim()
        .split('\n')
        .map(readMessage)
        .map(({ id, result }) => [id, JSON.stringify(result)]),
    )
    expect(answers.get(0)).toContain('data/\\nsrc/\\n  a.ts')
    expect(answers.get(0)).toContain('1 folders cannot be read')
    expect(answers.get(1)).toContain('src/a.ts')
    expect(answers.get(1)).toContain('1 folders cannot be read')
    expect(answers.get(2)).toContain('src/a.ts:1-1')
    expect(answers.get(3)).toContain('"isError":true')
    expect(asUnprivileged(place, ['report'])).toMatchObject({ status: 0 })
    await chmod(join(place, 'data'), 0o700)
  })
})
