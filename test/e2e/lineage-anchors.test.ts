import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tamperWith } from '../history/tamper.ts'
import { eventually, Program, sweep } from '../support/binary.ts'
import { initialize, request } from '../support/messages.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

const DECISIONS = ['--graph', 'gate-decisions']
const repo = Repo.init().commit({ 'a.js': 'export const a = 1\n' })
const warrant = (...words: readonly string[]) => runJson(repo.folder, words)

const createNodes = async (count: number): Promise<void> => {
  const program = new Program(['mcp'], { cwd: repo.folder, env: GIT_ENVIRONMENT })
  program.send(initialize(0))
  for (let at = 1; at <= count; at += 1) {
    const args = { belief: 0.5, energy: 1, claim: 'x' }
    program.send(request(at, 'tools/call', { name: 'node_create', arguments: args }))
    await program.answers(at + 1)
  }
  await program.finish()
}

beforeAll(() => createNodes(2))
afterAll(sweep)

describe('the anchored heads of a graph', () => {
  it('are in the log of decisions with a run, and with what is published', async () => {
    warrant('gate', '--all')
    const anchored = { graph: 'default', anchors: 1, outcome: 'grown' }
    expect(warrant('log', 'verify', ...DECISIONS)).toMatchObject({
      status: 0,
      value: { anchored: [anchored] },
    })
    const first = warrant('log', 'publish', 'site').value
    await createNodes(1)
    const second = warrant('log', 'publish', 'site').value
    expect(second.size).toBe(first.size + 1)
    const shown = warrant('log', 'show', String(second.size - 1)).value
    expect(shown.entry.operation).toBe('lineage.anchor')
    expect(shown.payload.graphs).toEqual([
      { graph: 'default', size: 3, head: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
    // Nothing is anchored twice: a cosignature of the published checkpoint stays.
    expect(warrant('log', 'publish', 'site').value).toMatchObject({ size: second.size, written: 0 })
    expect(warrant('log', 'verify', '--graph', 'default')).toMatchObject({
      status: 0,
      value: { anchored: { ...anchored, anchors: 2 } },
    })
  })

  it('show that the graph was begun again, where its own log verifies', async () => {
    await tamperWith({ store: repo.path('.warrant/lineage.db'), folder: repo.folder }, (db) => {
      const id = Number(db.prepare("SELECT id FROM logs WHERE name = 'default'").get()?.id)
      const span = 2 ** 32
      for (const table of ['runs', 'snapshots'])
        db.prepare(`DELETE FROM ${table} WHERE id >= ? AND id < ?`).run(id * span, (id + 1) * span)
      db.prepare('DELETE FROM nodes WHERE log = ?').run(id)
    })
    expect(warrant('log', 'adopt', '--graph', 'default')).toMatchObject({ status: 0 })
    await createNodes(1)
    const cut = warrant('log', 'verify', ...DECISIONS)
    expect(cut).toMatchObject({
      status: 1,
      value: { chain: { outcome: 'intact' }, anchored: [{ outcome: 'cut' }] },
    })
    await createNodes(4)
    expect(warrant('log', 'verify', '--graph', 'default')).toMatchObject({
      status: 1,
      value: { chain: { outcome: 'intact' }, anchored: { outcome: 'rewritten', entry: expect.any(Number) } },
    })
  })
})

describe('checkpoints with --signer ssh', () => {
  it('are signed by the key of the agent, and so is what is published', async () => {
    const { folder } = new Repo()
    const socket = join(folder, 'agent')
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' })
    try {
      await eventually('the agent', () => existsSync(socket))
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'id')])
      const env = { SSH_AUTH_SOCK: socket, WARRANT_SIGNER: 'ssh' }
      execFileSync('ssh-add', ['-q', join(folder, 'id')], { env: { ...process.env, ...env } })
      const signed = (...words: readonly string[]) => runJson(repo.folder, words, env)
      const bytesOf = (verifier: string) => verifier.split('+').at(-1)
      const { key } = signed('receipts', 'keys', 'show').value
      expect(bytesOf(key)).not.toBe(bytesOf(warrant('receipts', 'keys', 'show').value.key))
      const { verifier, note } = signed('log', 'checkpoint', ...DECISIONS).value
      expect(bytesOf(verifier)).toBe(bytesOf(key))
      repo.write({ 'cp.txt': note })
      const consistency = ['log', 'consistency', '--checkpoint', 'cp.txt', ...DECISIONS]
      expect(signed(...consistency)).toMatchObject({ status: 0 })
      expect(warrant(...consistency)).toMatchObject({ status: 1, value: { outcome: 'unsigned' } })
      expect(bytesOf(signed('log', 'publish', 'other').value.verifier)).toBe(bytesOf(key))
    } finally {
      agent.kill()
    }
  })
})
