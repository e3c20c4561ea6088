import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it } from 'vitest'
import { rememberAllowed } from '../../src/app/open/checks/open.ts'
import { CHECKS_FILE } from '../../src/gate/checks/check.ts'
import { BINARY } from '../support/binary.ts'
import { gateEnvironment } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

it('a client that asks for progress learns which checks run', async () => {
  const stages = 'stages: [PRE_COMMIT]'
  const text = `checks:
  first: { run: sleep 0.2, reads: exit, ${stages} }
  second: { run: 'sleep 0.5; echo a.txt:1:1: error: bad', reads: lines, ${stages} }
`
  const repo = Repo.init()
    .commit({ [CHECKS_FILE]: text })
    .stage({ 'a.txt': 'a\n' })
  await rememberAllowed(repo.folder, text)
  const client = new Client({ name: 'warrant-tests', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [BINARY, 'mcp'],
      cwd: repo.folder,
      env: gateEnvironment() as Record<string, string>,
    }),
  )
  try {
    const seen: { readonly progress: number; readonly message?: string | undefined }[] = []
    const call = { name: 'gate_run', arguments: { stage: 'PRE_COMMIT' } }
    const { structuredContent } = await client.callTool(call, {
      onprogress: ({ progress, message }) => seen.push({ progress, message }),
    })
    expect(structuredContent).toMatchObject({
      checks: [
        { name: 'first', outcome: 'clean' },
        { name: 'second', outcome: 'results' },
      ],
      findings: [{ severity: 'ERROR', file: 'a.txt', region: { line: 1 } }],
    })
    const messages = seen.map(({ message }) => message ?? '').join('\n')
    expect(messages).toMatch(/running: .*first/)
    expect(messages).toMatch(/running: .*second/)
    const counts = seen.map(({ progress }) => progress)
    expect(counts).toEqual([...new Set(counts)].sort((a, b) => a - b))
  } finally {
    await client.close()
  }
})
