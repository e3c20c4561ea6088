import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { digestBytes } from '../../src/kernel/encoding/hash.ts'
import { describeWith } from '../services.ts'
import { makeFolder, Program, sweep } from '../support/binary.ts'
import { gate, gateJson } from '../support/gate.ts'
import { initialize, request } from '../support/messages.ts'
import { packetJson } from '../support/packet-program.ts'
import { publishText } from '../support/publish-text.ts'
import { Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

afterAll(sweep)

describeWith('registry', 'a passage that a change rests on', (host) => {
  let repo: Repo
  let digest: string
  let env: Record<string, string>
  const uriOf = (path: string, of = digest) => `packet://${of}/${path}`
  const inputs = () => {
    const tree = repo.git('write-tree').trim()
    const file = repo.path('.warrant/receipts', tree.slice(0, 2), `${tree}.jsonl`)
    const { payload } = JSON.parse(readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '')
    const { predicate } = JSON.parse(Buffer.from(payload, 'base64').toString('utf8'))
    return predicate.inputAttestations.filter(({ uri }: { uri: string }) => uri.startsWith('packet:'))
  }

  beforeAll(async () => {
    repo = Repo.init().commit({ 'a.js': 'export const a = 1\n' }).stage({ 'a.js': 'export const a = 2\n' })
    digest = await publishText(host, 'cited', {
      version: '1.0.0',
      text: '# Wicks\n\nTrim the wick at dusk.\n',
    })
    env = {
      CPM_ROOT: join(await makeFolder(), 'cpm'),
      XDG_STATE_HOME: await makeFolder(),
      REGISTRY: `${host}/cited`,
    }
    await packetJson(['pull', 'guide'], env, repo.folder)
  })

  it('is refused before anything is judged when the packet does not bear it out', () => {
    const { status, stderr } = gate(repo, ['--cite', uriOf('guide.md#L3-L4')], { env })
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('cites line 4, and the document has 3 lines. Cite packet://sha256:DIGEST'),
    ])
  })

  it('is an input of the verdict, by the digest of its text', () => {
    const uris = [uriOf('guide.md#L3'), uriOf('guide.md#L1-L3')]
    const report = gateJson(
      repo,
      uris.flatMap((uri) => ['--cite', uri]),
      { env },
    )
    const rows = [
      { uri: uris[1], digest: digestBytes('# Wicks\n\nTrim the wick at dusk.') },
      { uri: uris[0], digest: digestBytes('Trim the wick at dusk.') },
    ]
    expect(report).toMatchObject({ code: 0, status: 'ALLOWED', citations: rows })
    expect(inputs()).toEqual(
      rows.map(({ uri, digest: text }) => ({ uri, digest: { sha256: text.slice('sha256:'.length) } })),
    )
    expect(report).not.toHaveProperty('notes')
  })

  it('of a revoked packet is named by every verdict from then on', async () => {
    await packetJson(['revoke', digest, '--reason', 'wrong dose'], env, repo.folder)
    const words = /^It rests on packet:.*#L\S+, and this packet was revoked \(.*\): wrong dose$/
    // The verdict on the evidence that was written before.
    const server = new Program(['mcp', '--protected-branches', 'none'], { cwd: repo.folder, env })
    const call = (id: number, name: string, args: object) =>
      request(id, 'tools/call', { name, arguments: args })
    server.send(initialize(), call(2, 'ai_gate_check', { stage: 'PRE_COMMIT' }))
    const [, checked] = await server.answers(2)
    const note = expect.stringMatching(words)
    expect(checked?.result.structuredContent).toMatchObject({ allowed: true, notes: [note, note] })
    await server.finish()
    const why = runJson(repo.folder, ['why'], env).value
    expect(why.rests_on.filter(({ kind }: { kind: string }) => kind === 'packet')).toMatchObject([
      { detail: note },
      { detail: note },
    ])
    const tree = repo.git('write-tree').trim()
    expect(runJson(repo.folder, ['receipts', 'verify', tree], env).value).toMatchObject({
      notes: [note, note],
    })
    // A new run.
    const { status, stdout } = gate(repo, ['--cite', uriOf('guide.md#L3')], { env })
    expect(status).toBe(0)
    expect(stdout).toContain(': wrong dose')
    expect(inputs()).toHaveLength(1)
  })

  it('is given by an agent as an argument of gate_run', async () => {
    const server = new Program(['mcp', '--packet-root', env.CPM_ROOT as string], { cwd: repo.folder, env })
    const run = (id: number, uri: string) =>
      request(id, 'tools/call', {
        name: 'gate_run',
        arguments: { stage: 'PRE_COMMIT', cites: [uri] },
      })
    server.send(initialize(), run(2, uriOf('guide.md#L1')), run(3, uriOf('guide.md#L9')))
    const said = await server.answers(3)
    expect(said.find(({ id }) => id === 2)?.result.structuredContent).toMatchObject({
      status: 'ALLOWED',
      citations: [{ uri: uriOf('guide.md#L1'), revoked: { reason: 'wrong dose' } }],
      notes: [expect.stringContaining('was revoked')],
    })
    expect(JSON.stringify(said.find(({ id }) => id === 3))).toContain('packet.citation')
    await server.finish()
  })
})
