import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, it } from 'vitest'
import { BINARY, cleanEnvironment } from '../support/binary.ts'
import { initialize, readMessage, request } from '../support/messages.ts'

const children: ReturnType<typeof spawn>[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** A private copy of the program, to be damaged while it runs. */
const startCopy = () => {
  const folder = mkdtempSync(join(tmpdir(), 'warrant-damage-'))
  cpSync(join(dirname(BINARY), '..'), folder, { recursive: true })
  const child = spawn(process.execPath, [join(folder, 'bin/warrant.js'), 'mcp'], {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  children.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (line: string) => {
    child.stdin.write(`${line}\n`)
    return readMessage((await lines.next()).value as string)
  }
  const move = (to: (path: string) => string) => {
    const chunks = join(folder, 'chunks')
    for (const name of readdirSync(chunks)) {
      if (!name.startsWith('sdk-') && !name.startsWith('away-sdk-')) continue
      renameSync(join(chunks, name), join(chunks, to(name)))
    }
  }
  return { child, ask, move }
}

describe('a server whose files are replaced while it runs', () => {
  it('answers "Internal error" for what it can no longer load, and goes on serving', async () => {
    const { child, ask, move } = startCopy()
    expect((await ask(initialize(1))).result).toBeDefined()
    move((name) => `away-${name}`)
    expect((await ask(request(2, 'resources/list'))).error).toMatchObject({
      code: -32603,
      message: 'Internal error',
    })
    expect((await ask(request(3, 'tools/list'))).result.tools).not.toEqual([])
    expect((await ask(request(4, 'ping'))).result).toEqual({})
    child.stdin.end()
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
  })
})
