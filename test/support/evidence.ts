import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildEvidence } from '../../src/evidence/build.ts'
import { linkEvidence, writeDocument } from '../../src/evidence/document.ts'
import type { RawFinding } from '../../src/evidence/finding.ts'
import type { Evidence } from '../../src/evidence/schema.ts'
import { EVIDENCE_FILE } from '../../src/evidence/store.ts'
import { Program } from './binary.ts'
import { exchange, LOCAL, type RawAnswer, rawRequest } from './raw-http.ts'

export const NOW = Date.parse('2026-02-20T10:00:00.000Z')

export const finding = (more: Partial<RawFinding> = {}): RawFinding => ({
  ruleId: 'backend.no-console-log',
  severity: 'ERROR',
  code: 'CONSOLE',
  message: 'console.log was called',
  file: 'apps/backend/src/main.ts',
  lines: [10, 11],
  ...more,
})

/** Evidence as our builder makes it, with parts of it replaced. */
export const evidenceOf = (findings: readonly RawFinding[], more: Partial<Evidence> = {}): Evidence => ({
  ...buildEvidence(
    {
      stage: 'PRE_COMMIT',
      findings,
      platforms: {
        ios: { detected: true, confidence: 'HIGH' },
        backend: { detected: true, confidence: 'HIGH' },
        frontend: { detected: false, confidence: 'LOW' },
      },
      rulesets: [
        { platform: 'ios', bundle: 'ios', hash: '111' },
        { platform: 'backend', bundle: 'backend', hash: '222' },
      ],
    },
    undefined,
    NOW,
  ),
  ...more,
})

/** As the gate writes it: sealed. */
export const sealedText = (evidence: Evidence): string => writeDocument(linkEvidence(evidence, undefined))

export const makeRoot = (): string => mkdtempSync(join(tmpdir(), 'warrant-test-'))

/** Puts a file where the evidence should be: a text as it is, anything else as JSON. */
export const putEvidence = (root: string, content: unknown): void =>
  writeFileSync(
    join(root, EVIDENCE_FILE),
    typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  )

export interface EvidenceServer {
  readonly root: string
  readonly port: number
  readonly program: Program
  /** Asks, and reads the answer as JSON where it is any. */
  ask(path: string, method?: string, headers?: readonly (readonly [string, string])[]): Promise<JsonAnswer>
}

export interface JsonAnswer extends RawAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any
}

/** Starts the evidence server on a free port in a folder of its own. */
export const startEvidence = async (
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  root = makeRoot(),
): Promise<EvidenceServer> => {
  const program = new Program(['--port', '0', ...args], { binary: 'pumuki-mcp-evidence', cwd: root, env })
  const [line = ''] = await program.heard(1)
  const port = Number(/:(\d+)\//.exec(line)?.[1])
  return {
    root,
    port,
    program,
    async ask(path, method = 'GET', headers = []) {
      const bytes = rawRequest(method, path, [...LOCAL, ...headers, ['Connection', 'close']])
      const answer = await exchange(port, bytes)
      return { ...answer, json: answer.body === '' ? undefined : JSON.parse(answer.body) }
    },
  }
}
