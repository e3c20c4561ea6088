import { rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linkEvidence, writeDocument } from '../../src/evidence/document.ts'
import type { Evidence } from '../../src/evidence/schema.ts'
import { Program, sweep } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { BACKEND, gate, gateEnvironment, LOG, readEvidence, useSeedProfile } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

useSeedProfile()

/** Evidence that nothing binds to a run of the gate: the unified server takes none of it. */

const repo = Repo.init('feature/x').commit({ 'package.json': BACKEND })
const FILE = repo.path('.ai_evidence.json')
const { GIT_CONFIG_GLOBAL = '', GIT_CONFIG_SYSTEM = '' } = gateEnvironment()
let agent: Program
let honest: Evidence
let asked = 0
let heard = 0

const call = async (name: string, args: object) => {
  asked += 1
  const id = asked
  agent.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }))
  // Between the answers there may be notifications.
  for (;;) {
    heard += 1
    const message = JSON.parse((await agent.heard(heard)).at(-1) ?? '')
    if (message.id === id) return message.result.structuredContent
  }
}

/** Evidence of an allowed run in this repository, of which no log knows any more. */
beforeAll(() => {
  repo.stage({ 'src/a.ts': 'export {}\n' })
  expect(gate(repo, ['--stage', 'PRE_COMMIT']).status).toBe(0)
  honest = readEvidence(repo)
  rmSync(repo.path('.warrant'), { recursive: true })
  agent = new Program(['mcp'], {
    cwd: repo.folder,
    env: { GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, CI: '', WARRANT_PROFILE: 'seed' },
  })
})
afterAll(sweep)

type Change = (made: Evidence) => Evidence
const without = (name: 'judged_tree' | 'repo_state' | 'evidence_chain'): Change => {
  return ({ [name]: _, ...rest }) => rest
}
const SHAPES: Readonly<Record<string, Change>> = {
  'as the gate writes it': (made) => made,
  'without a tree': without('judged_tree'),
  'without a state': (made) => without('repo_state')(without('judged_tree')(made)),
  'without a chain': (made) => without('evidence_chain')(without('judged_tree')(made)),
  'with a tree and no chain': without('evidence_chain'),
}
const STAGES = ['PRE_COMMIT', 'PRE_PUSH', 'CI'] as const
const FILES = { clean: 'export {}\n', evil: LOG, 'no longer there': '' } as const
const ROWS = Object.keys(SHAPES).flatMap((shape) =>
  STAGES.flatMap((stage) =>
    Object.keys(FILES).flatMap((file) =>
      [true, false].map((linked) => [shape, stage, file, linked] as const),
    ),
  ),
)

describe('evidence that was written by hand', () => {
  it.each(someRows(ROWS, 13))('%s, for %s, of files that are %s, linked: %s, is BLOCKED', async (...row) => {
    const [shape, stage, file, linked] = row
    const text = FILES[file === 'clean' || file === 'evil' ? file : 'no longer there']
    repo.stage({ 'src/a.ts': text })
    const made = { ...honest, timestamp: new Date().toISOString(), snapshot: { ...honest.snapshot, stage } }
    const changed = SHAPES[shape]?.(made) ?? made
    const kept = linked && changed.evidence_chain !== undefined
    writeFileSync(FILE, kept ? writeDocument(linkEvidence(changed, undefined)) : JSON.stringify(changed))
    const { status, agents } = await call('gate_check', { stage: 'PRE_COMMIT' })
    const [first, ...others] = agents.reasons
    const reason = others.at(-1) ?? first
    // What is no evidence at all, such as a broken chain, says nothing of the change: the files are judged.
    const isRead = reason.code === 'EVIDENCE_UNBOUND'
    expect([status, agents.allowed]).toEqual([isRead ? 'BLOCKED' : expect.any(String), false])
    expect(isRead).toBe(linked || changed.evidence_chain === undefined)
    expect([reason.code, reason.fix]).toEqual([
      expect.stringMatching(/^EVIDENCE_(UNBOUND|CHAIN_INVALID|INVALID)$/),
      expect.stringMatching(/gate_run|warrant gate/),
    ])
  })

  it('is replaced by the repair that the answer names', async () => {
    repo.stage({ 'src/a.ts': 'export {}\n' })
    writeFileSync(FILE, JSON.stringify(SHAPES['without a chain']?.(honest)))
    const before = await call('gate_check', { stage: 'PRE_COMMIT' })
    expect(before.agents.reasons).toMatchObject([
      { code: 'EVIDENCE_UNBOUND', fix: expect.stringContaining('gate_run') },
    ])
    await call('gate_run', { stage: 'PRE_COMMIT' })
    expect(await call('gate_check', { stage: 'PRE_COMMIT' })).toMatchObject({
      status: 'ALLOWED',
      agents: { allowed: true, reasons: [] },
    })
  })
})
