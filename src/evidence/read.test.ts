import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { buildEvidence } from './build.ts'
import { linkEvidence, writeDocument } from './document.ts'
import { platformOf } from './path-platform.ts'
import { MAX_BYTES, readDocument, readDocumentSteps } from './read.ts'

const sealed = linkEvidence(
  buildEvidence(
    {
      stage: 'CI',
      findings: [{ ruleId: 'r', severity: 'WARN', code: 'R', message: 'm', file: 'a.ts', lines: [3] }],
      platforms: { backend: { detected: true, confidence: 'HIGH' } },
      rulesets: [],
    },
    undefined,
    0,
  ),
  undefined,
)
const { evidence_chain: chain, ...unchained } = sealed

const read = (value: unknown) => readDocument(Buffer.from(JSON.stringify(value)))

describe('reading a large file', () => {
  const COUNT = 20_000
  const { findings } = sealed.snapshot
  const many = Array.from({ length: COUNT }, (_, at) => ({ ...findings[0], file: `f${at}.ts` }))
  const bytesOf = (value: object) => Buffer.from(JSON.stringify(value))
  const large = linkEvidence(
    { ...unchained, snapshot: { ...sealed.snapshot, findings: many as typeof findings } },
    undefined,
  )

  it('goes in steps, so that the event loop has turns in between', () => {
    const steps = readDocumentSteps(bytesOf(large))
    let count = 0
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) count += 1
    expect(step.value.kind).toBe('valid')
    // Findings and violations are checked, and everything is hashed, in parts.
    expect(count).toBeGreaterThan(25)
  })

  it('finds the same as reading a small one', () => {
    const broken = (at: number, member: object) =>
      many.map((finding, index) => (index === at ? { ...finding, ...member } : finding))
    const withFindings = (list: readonly object[]) => ({
      ...unchained,
      snapshot: { ...sealed.snapshot, findings: list },
    })
    expect(readDocument(bytesOf(withFindings(many)))).toMatchObject({ kind: 'valid' })
    expect(readDocument(bytesOf(withFindings(broken(15_000, { severity: 'LOUD' }))))).toEqual({
      kind: 'invalid',
      version: '2.1',
      reason: 'schema',
      at: 'snapshot.findings.15000.severity',
    })
    const moved = {
      ...large,
      snapshot: { ...large.snapshot, findings: broken(19_999, { message: 'other' }) },
    }
    expect(readDocument(bytesOf(moved))).toMatchObject({ reason: 'evidence-chain-invalid' })
  })
})

describe('reading', () => {
  it.each([
    ['nothing', '', { reason: 'not-json' }],
    ['half a document', writeDocument(sealed).slice(0, 300), { reason: 'not-json' }],
    ['a list', '[]', { reason: 'not-json' }],
    ['null', 'null', { reason: 'not-json' }],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), { reason: 'not-json' }],
    ['another version', '{"version":"2.0"}', { reason: 'wrong-version', version: '2.0' }],
    ['a version that is no text', '{"version":21}', { reason: 'wrong-version' }],
    ['only the version', '{"version":"2.1"}', { reason: 'schema', version: '2.1', at: 'timestamp' }],
    ['a hundred thousand brackets', '['.repeat(100_000), { reason: 'not-json' }],
    [
      'a deep extra',
      JSON.stringify(unchained).replace('{', `{"x":${'['.repeat(5_000)}${']'.repeat(5_000)},`),
      { reason: 'schema', version: '2.1', at: expect.stringMatching(/^x\.0\.0/) },
    ],
    [
      'a prototype among the platforms',
      JSON.stringify(unchained).replace('"backend":', '"__proto__":'),
      { reason: 'schema', version: '2.1', at: 'platforms.__proto__' },
    ],
    ['more bytes than are read', Buffer.alloc(MAX_BYTES + 1, 0x20), { reason: 'too-large' }],
  ])('%s is invalid, and never a throw', (_, bytes, reading) => {
    expect(readDocument(Buffer.from(bytes))).toEqual({ kind: 'invalid', ...reading })
  })

  it('names the place of the first problem', () => {
    const findings = [sealed.snapshot.findings[0], { ...sealed.snapshot.findings[0], severity: 'LOUD' }]
    expect(read({ ...unchained, snapshot: { ...sealed.snapshot, findings } })).toMatchObject({
      reason: 'schema',
      at: 'snapshot.findings.1.severity',
    })
  })

  it('takes files without a chain, and checks one that is there', () => {
    expect(read(unchained).kind).toBe('valid')
    expect(read(sealed).kind).toBe('valid')
    const broken = { kind: 'invalid', reason: 'evidence-chain-invalid' }
    expect(read({ ...sealed, timestamp: '2030-01-01T00:00:00.000Z' })).toMatchObject(broken)
    expect(read({ ...sealed, evidence_chain: { ...chain, sequence: 0 } })).toMatchObject(broken)
    expect(read({ ...sealed, evidence_chain: 'none' })).toMatchObject(broken)
  })

  it('takes what the published schema takes', () => {
    const schema = z.fromJSONSchema(JSON.parse(readFileSync('spec/evidence-v2.1.schema.json', 'utf8')))
    expect(schema.safeParse(sealed).success).toBe(true)
    expect(schema.safeParse({ ...sealed, operational_hints: {} }).success).toBe(true)
    for (const key of Object.keys(unchained)) {
      const { [key]: _, ...less } = unchained
      expect([key, schema.safeParse(less).success]).toEqual([key, false])
      expect([key, read(less).kind]).toEqual([key, 'invalid'])
    }
  })

  it('keeps fields it does not know', () => {
    const reading = read({ ...unchained, operational_hints: { a: [1] } })
    expect(reading).toMatchObject({ kind: 'valid', evidence: { operational_hints: { a: [1] } } })
  })
})

describe('the platform of a path', () => {
  it.each([
    ['apps/ios/App.m', '', 'ios'],
    ['ios/App.m', '', 'ios'],
    ['Sources/App.SWIFT', '', 'ios'],
    ['apps/backend/src/main.ts', '', 'backend'],
    ['apps/web/page.tsx', '', 'frontend'],
    ['apps/frontend/page.tsx', '', 'frontend'],
    ['apps/android/x.java', '', 'android'],
    ['lib/build.gradle.kts', '', 'android'],
    ['src/main.ts', '', 'generic'],
    ['src/main.ts', 'skills.backend.no-x', 'backend'],
    ['src/main.ts', 'frontend.no-x', 'frontend'],
    ['src/main.ts', 'heuristics.ts.no-x', 'generic'],
    ['notapps/ios/x', '', 'generic'],
  ])('%s under rule "%s" is %s', (path, rule, platform) => {
    expect(platformOf(path, rule)).toBe(platform)
  })
})
