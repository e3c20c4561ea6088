import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync } from 'node:fs'
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
  /** Takes away the chunk that a source file was built into. The function it returns brings it back. */
  const takeAway = (source: string) => {
    const { outputs } = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8')) as {
      outputs: Readonly<Record<string, { readonly inputs: readonly string[] }>>
    }
    const [chunk] = Object.keys(outputs).filter((name) => outputs[name]?.inputs.includes(source))
    const path = join(folder, String(chunk).replace('dist/', ''))
    renameSync(path, `${path}.away`)
    return () => renameSync(`${path}.away`, path)
  }
  return { child, ask, move, takeAway }
}

describe('a server whose files are replaced while it runs', () => {
  it('answers "Internal error" for what it can no longer load, and goes on serving', async () => {
    const { child, ask, move } = startCopy()
    expect((await ask(initialize(1))).result).toBeDefined()
    move((name) => `away-${name}`)
    expect((await ask(request(2, 'resources/list'))).error).toMatchObject({
      code: -32603,
      message: 'Internal error',
      data: { 'warrant/fault': { code: 'server.internal', fix: expect.any(String) } },
    })
    expect((await ask(request(3, 'tools/list'))).result.tools).not.toEqual([])
    expect((await ask(request(4, 'ping'))).result).toEqual({})
    child.stdin.end()
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
  })

  const callTool = (name: string, args: object) => request(0, 'tools/call', { name, arguments: args })
  it.each([
    {
      service: 'gate',
      source: 'src/app/open/gate-service.ts',
      call: callTool('ai_gate_check', { stage: 'PRE_COMMIT' }),
    },
    {
      service: 'enterprise',
      source: 'src/app/open/enterprise.ts',
      call: callTool('check_sdd_status', {}),
    },
    {
      service: 'packets',
      source: 'src/app/open/packets.ts',
      call: callTool('lookup', { name: 'nothing' }),
    },
    {
      service: 'evidence',
      source: 'src/platform/files/evidence-file.ts',
      call: callTool('evidence_status', {}),
    },
  ])('loads the $service service when its file is back after a failed load', async (service) => {
    const { child, ask, takeAway } = startCopy()
    await ask(initialize(1))
    const bringBack = takeAway(service.source)
    expect((await ask(service.call)).error).toMatchObject({ code: -32603 })
    bringBack()
    expect((await ask(service.call)).error).toBeUndefined()
    child.kill()
  })
})
