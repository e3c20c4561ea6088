import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { peerFile, peerNode } from '../peers/peers.ts'

export type Revision = '2025-11-25' | '2026-07-28'

export interface Check {
  readonly scenario: string
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

export interface Grade {
  readonly exitCode: number | null
  /** Scenarios that ran because the revision requires them. */
  readonly required: readonly string[]
  /** Every check of those scenarios. */
  readonly checks: readonly Check[]
  /** How the suite summed it up, for the reader of a failure. */
  readonly report: string
}

const suiteFile = (...parts: readonly string[]): string =>
  peerFile('@modelcontextprotocol', 'conformance', ...parts)

/** What the suite says the revision asks of a server: a flat list, so no parser is needed. */
export const readRequired = async (revision: Revision): Promise<readonly string[]> => {
  const text = await readFile(suiteFile('requirements', `${revision}.yaml`), 'utf8')
  const [, list = ''] = /^server:\n((?: +- \S+\n)+)/m.exec(text) ?? []
  return [...list.matchAll(/- (\S+)/g)].map(([, name = '']) => name)
}

// A line of the summary: `✓ ping: 2 passed, 0 failed`.
const SUMMARY_LINE = /^[✓✗] (\S+): \d+ passed, \d+ failed/gm

/** The folder of a scenario is `server-<scenario>-<time>`. */
const readChecks = async (folder: string, required: readonly string[]): Promise<readonly Check[]> => {
  const entries = await readdir(folder)
  const read = async (scenario: string): Promise<readonly Check[]> => {
    const prefix = `server-${scenario}-2`
    const entry = entries.find((name) => name.startsWith(prefix))
    if (entry === undefined) return []
    const checks: Omit<Check, 'scenario'>[] = JSON.parse(
      await readFile(join(folder, entry, 'checks.json'), 'utf8'),
    )
    return checks.map((check) => ({ ...check, scenario }))
  }
  return (await Promise.all(required.map(read))).flat()
}

/** Lets the official suite grade the server at `url` by what one revision requires of it. */
export const gradeServer = async (url: string, revision: Revision, baseline?: string): Promise<Grade> => {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
  try {
    const args = [
      suiteFile('dist', 'index.js'),
      'server',
      '--url',
      url,
      '--requirements',
      revision,
      '-o',
      folder,
    ]
    if (baseline !== undefined) args.push('--expected-failures', baseline)
    const child = spawn(peerNode(), args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let report = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (words) => {
        report += words
      })
    }
    const [exitCode] = await once(child, 'close')
    const ran = new Set([...report.matchAll(SUMMARY_LINE)].map(([, name]) => name))
    const required = (await readRequired(revision)).filter((name) => ran.has(name))
    const summary = report.slice(Math.max(0, report.indexOf('=== SUMMARY')))
    return { exitCode, required, checks: await readChecks(folder, required), report: summary }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
