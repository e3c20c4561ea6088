import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Evidence } from '../../src/evidence/schema.ts'
import { sweep } from '../support/binary.ts'
import { type EvidenceServer, evidenceOf, finding, putEvidence, startEvidence } from '../support/evidence.ts'

/** The example an agent runs before it acts, against the program itself. */

let evidence: EvidenceServer
let proxy: Server
/** What the proxy does to an answer before the agent sees it; undefined breaks the connection. */
let alter: (path: string, body: string) => string | undefined = (_, body) => body
let asked: string[] = []

beforeAll(async () => {
  evidence = await startEvidence()
  proxy = createServer(async (request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const { status, body } = await evidence.ask(path)
    const altered = alter(path, body)
    if (altered === undefined) return request.socket.destroy()
    response.writeHead(status, { 'content-type': 'application/json' }).end(altered)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => proxy.once('listening', resolve))
})
afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await sweep()
  rmSync(evidence.root, { recursive: true, force: true })
})

const preflight = (...args: readonly string[]) => {
  asked = []
  const { port } = proxy.address() as AddressInfo
  const words = ['examples/agent-preflight/preflight.mjs', '--url', `http://127.0.0.1:${port}`, ...args]
  return new Promise<{
    code: number
    report: { mode: string; blockers: { check: string }[] } & Record<string, unknown>
  }>((resolve) => {
    execFile(process.execPath, words, (failure, stdout) =>
      resolve({ code: failure === null ? 0 : Number(failure.code), report: JSON.parse(stdout || '{}') }),
    )
  })
}

const good = (more: Partial<Evidence> = {}) => evidenceOf([finding()], more)
const checks = ({ blockers }: { blockers: { check: string }[] }) => blockers.map(({ check }) => check)

describe('the preflight', () => {
  test('asks in the agreed order and lets the agent act', async () => {
    putEvidence(evidence.root, good())
    const { code, report } = await preflight('--platform', 'backend', '--full')
    expect(report).toMatchObject({ mode: 'act', blockers: [], stage: 'PRE_COMMIT', findings: 1, ledger: 1 })
    expect(code).toBe(0)
    expect(asked.map((path) => path.replace(/\?.*/, ''))).toEqual([
      '/health',
      '/status',
      '/ai-evidence/summary',
      '/ai-evidence/snapshot',
      '/ai-evidence/findings',
      '/ai-evidence/rulesets',
      '/ai-evidence/platforms',
      '/ai-evidence/ledger',
      '/ai-evidence',
    ])
  })

  test('turns the pages until there is no more', async () => {
    putEvidence(evidence.root, evidenceOf(Array.from({ length: 250 }, (_, at) => finding({ lines: [at] }))))
    const { report } = await preflight()
    expect(report).toMatchObject({ mode: 'act', findings: 250, ledger: 250 })
    expect(asked.filter((path) => path.includes('/findings'))).toHaveLength(3)
  })

  const without = (part: string) => (path: string, body: string) => {
    if (path !== '/status') return body
    const { context_api: api, ...rest } = JSON.parse(body)
    return JSON.stringify({ ...rest, context_api: { ...api, [part]: { findings: [] } } })
  }

  test.each([
    [
      'there is no evidence',
      () => undefined,
      ['evidence.valid', 'evidence.version', 'summary.snapshot.stage'],
      [],
    ],
    [
      'the version is another',
      () => '{"version":"2.0"}',
      ['evidence.valid', 'evidence.version', 'summary.snapshot.stage'],
      [],
    ],
    [
      'the file breaks its schema',
      () => '{"version":"2.1"}',
      ['evidence.valid', 'summary.snapshot.stage'],
      [],
    ],
    [
      'the stage is not known',
      () => good({ snapshot: { stage: 'STAGED', outcome: 'PASS', findings: [] } }),
      ['summary.snapshot.stage'],
      [],
    ],
    ['no platform was detected', () => good({ platforms: {} }), ['summary.platforms'], ['--platform', 'ios']],
    ['it is not the platform of the task', () => good(), ['summary.platforms'], ['--platform', 'android']],
  ])('downgrades to diagnosis when %s', async (_, content, expected, args) => {
    rmSync(`${evidence.root}/.ai_evidence.json`, { force: true })
    const made = content()
    if (made !== undefined) putEvidence(evidence.root, made)
    const { code, report } = await preflight(...args)
    expect([code, report.mode, report.forbidden]).toEqual([
      1,
      'read-only',
      ['change production code', 'commit', 'push'],
    ])
    expect(checks(report)).toEqual(expect.arrayContaining(expected))
  })

  test.each(['filters', 'pagination_bounds'])(
    'downgrades when the status does not offer %s',
    async (part) => {
      putEvidence(evidence.root, good())
      alter = without(part)
      const { code, report } = await preflight()
      alter = (_, body) => body
      expect([code, checks(report)]).toEqual([1, [`context_api.${part}`]])
    },
  )

  test('downgrades when the evidence changes while it is read', async () => {
    putEvidence(evidence.root, good())
    alter = (path, body) => {
      if (path.includes('/ledger'))
        putEvidence(evidence.root, good({ timestamp: '2026-03-01T00:00:00.000Z' }))
      return body
    }
    const { code, report } = await preflight()
    alter = (_, body) => body
    expect([code, checks(report)]).toEqual([1, ['one evidence']])
  })

  test('tries again when the connection breaks, so often and no oftener, and then fails closed', async () => {
    putEvidence(evidence.root, good())
    let broken = 0
    alter = (_, body) => {
      broken += 1
      return broken <= 2 ? undefined : body
    }
    expect((await preflight()).report.mode).toBe('act')
    alter = (path, body) => (path.includes('/snapshot') ? undefined : body)
    const { code, report } = await preflight('--attempts', '2')
    alter = (_, body) => body
    expect([code, report.mode, checks(report)]).toEqual([1, 'read-only', ['transport']])
    expect(asked.filter((path) => path.includes('/snapshot'))).toHaveLength(2)
  })

  test('says how it is called', async () => {
    expect((await preflight('--attempts', 'many')).code).toBe(2)
    expect((await preflight('--colour')).code).toBe(2)
  })
})
