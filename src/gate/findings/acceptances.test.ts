import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { MAX_ACCEPTANCES_BYTES, openAcceptances, parseAcceptances } from './acceptances.ts'
import type { FindingDraft } from './drafts.ts'

const ENTRY = { finding: 'a'.repeat(32), rule: 'r.x', path: 'src/a.ts', reason: 'it is old' }
/** Of `x`. */
const BLOB = 'c1b0730e0133447badcfd47fd144e254807b06e1'

const write = (...entries: readonly Readonly<Record<string, unknown>>[]): string =>
  JSON.stringify({ findings: entries })

const problemOf = async (text: string): Promise<string> => {
  const result = parseAcceptances(text).then(
    () => 'none',
    (thrown: unknown) => `${(thrown as { code: string }).code}: ${(thrown as Error).message}`,
  )
  return result
}

describe('parseAcceptances', () => {
  it('reads entries as people write them, and an absent or empty list', async () => {
    const text = `# ours\nfindings:\n  - finding: ${ENTRY.finding} # x\n    rule: r.x\n    path: src/a.ts\n    reason: it is old\n    until: 2027-01-31\n    by: Jane\n    blob: ${BLOB}\n`
    expect(await parseAcceptances(text)).toEqual({
      entries: [{ ...ENTRY, until: '2027-01-31', by: 'Jane', blob: BLOB }],
      review: false,
    })
    expect(await parseAcceptances('review: required\nfindings: []\n')).toEqual({ entries: [], review: true })
    expect(await parseAcceptances(undefined)).toEqual({ entries: [], review: false })
  })

  it.each([
    ['', /findings is not a list/],
    ['findings:', /findings is not a list/],
    ['findings: {}', /findings is not a list/],
    ['- a', /findings is not a list/],
    ['findings: []\nacceptances: none', /acceptances is unknown/],
    ['findings: []\nfindings: []', /unique/],
    ['findings: [', /gate\.acceptances_invalid/],
    ['a: !!js/function x\nfindings: []', /gate\.acceptances_invalid/],
    ['__proto__: []\nfindings: []', /__proto__/],
    ['a: &a []\nfindings: *a', /[aA]lias/],
    [`findings: ${'['.repeat(50)}${']'.repeat(50)}`, /deeper/],
    [`findings: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, /gate\.acceptances_invalid/],
    [`findings: [${'{},'.repeat(1_001)}]`, /at most 1000/],
    [`findings: []\n#${'x'.repeat(MAX_ACCEPTANCES_BYTES)}`, /longer than/],
    [write(ENTRY, ENTRY), /findings\.1\.finding is listed twice/],
    [write({ ...ENTRY, extra: 'x' }), /findings\.0\.extra/],
    [write({ ...ENTRY, constructor: 'x' }), /findings\.0\.constructor/],
    [write(ENTRY, { ...ENTRY, finding: 'b'.repeat(31) }), /findings\.1\.finding/],
    [write({ ...ENTRY, finding: 'A'.repeat(32) }), /findings\.0\.finding/],
    [`findings:\n- finding: ${'1'.repeat(32)}`, /findings\.0\.finding/],
    [write({ ...ENTRY, reason: undefined }), /findings\.0\.reason/],
    [write({ ...ENTRY, reason: '  ' }), /findings\.0\.reason/],
    [write({ ...ENTRY, reason: 7 }), /findings\.0\.reason/],
    [write({ ...ENTRY, reason: ['x'] }), /findings\.0\.reason/],
    [write({ ...ENTRY, reason: 'a\nb' }), /findings\.0\.reason/],
    [write({ ...ENTRY, reason: 'a\u001b[2K' }), /findings\.0\.reason/],
    [write({ ...ENTRY, reason: 'x'.repeat(1_001) }), /findings\.0\.reason/],
    [write({ ...ENTRY, by: 'a\u202eb' }), /findings\.0\.by/],
    [write({ ...ENTRY, by: null }), /findings\.0\.by/],
    [write({ ...ENTRY, path: '' }), /findings\.0\.path/],
    [write({ ...ENTRY, until: '2027-1-1' }), /findings\.0\.until/],
    [write({ ...ENTRY, until: '2027-13-01' }), /findings\.0\.until/],
    [write({ ...ENTRY, blob: 'b'.repeat(41) }), /findings\.0\.blob/],
    [write({ ...ENTRY, rule: { x: 1 } }), /findings\.0\.rule/],
    ['findings: [1, null, "x"]', /findings\.0/],
  ])('refuses %j', async (text, problem) => {
    const found = await problemOf(text)
    expect(found).toMatch(/^gate\.acceptances_invalid: \.warrant\/acceptances\.yml: /)
    expect(found).toMatch(problem)
  })
})

describe('openAcceptances', () => {
  const draft = (ruleId: string, more: Partial<FindingDraft> = {}) =>
    ({ ruleId, file: ENTRY.path, text: '', ...more }) as FindingDraft
  const ask = async (
    more: Partial<typeof ENTRY> & Record<string, string>,
    found: FindingDraft,
    {
      fork = false,
      old = false,
      developers,
    }: { readonly fork?: boolean; readonly old?: boolean; readonly developers?: number } = {},
  ) => {
    const after = [{ ...ENTRY, ...more }]
    const set = {
      changes: [
        { path: ENTRY.path, change: 'modified' as const },
        { path: 'gone', change: 'deleted' as const },
      ],
      read: async function* (paths: readonly string[]) {
        if (paths.includes(ENTRY.path)) yield { path: ENTRY.path, bytes: Buffer.from('x') }
      },
    }
    const countDevelopers = developers === undefined ? undefined : async () => developers
    const context = { set, fork, now: Date.parse('2026-06-30T23:59:59Z'), countDevelopers }
    const { reasonOf } = await openAcceptances(
      { base: { entries: old ? after : [], review: true }, after: { entries: after, review: false } },
      context,
      new AbortController().signal,
    )
    return reasonOf(found, ENTRY.finding)
  }

  it('wants fingerprint, rule and path, and the blob where the fingerprint is not about the content', async () => {
    expect(await ask({}, draft('r.x'))).toBe(ENTRY.reason)
    expect(await ask({}, draft('r.y'))).toBeUndefined()
    expect(await ask({ path: 'b' }, draft('r.x'))).toBeUndefined()
    const secret = draft('r.x', { secret: true })
    expect(await ask({}, secret)).toBeUndefined()
    expect(await ask({ blob: 'c'.repeat(40) }, secret)).toBeUndefined()
    expect(await ask({ blob: BLOB }, secret)).toBe(ENTRY.reason)
    const long = createHash('sha256').update('blob 1\0x').digest('hex')
    expect(await ask({ blob: long }, secret)).toBe(ENTRY.reason)
    expect(await ask({ path: 'gone' }, draft('r.x', { secret: true, file: 'gone' }))).toBeUndefined()
    const policy = { rule: 'gate.policy-changed' }
    expect(await ask(policy, draft(policy.rule))).toBeUndefined()
    expect(await ask({ ...policy, blob: BLOB }, draft(policy.rule))).toBe(ENTRY.reason)
    expect(await ask({ ...policy, path: 'gone' }, draft(policy.rule, { file: 'gone' }))).toBe(ENTRY.reason)
  })

  it('ends after its last day, and of a fork counts only what the target has', async () => {
    expect(await ask({ until: '2026-06-30' }, draft('r.x'))).toBe(ENTRY.reason)
    expect(await ask({ until: '2026-06-29' }, draft('r.x'))).toBeUndefined()
    expect(await ask({}, draft('r.x'), { fork: true })).toBeUndefined()
    expect(await ask({}, draft('r.x'), { fork: true, old: true })).toBe(ENTRY.reason)
  })

  it('needs two developers in a build where the base requires a review', async () => {
    expect(await ask({}, draft('r.x'), { developers: 1 })).toBeUndefined()
    expect(await ask({}, draft('r.x'), { developers: 1, old: true })).toBe(ENTRY.reason)
    expect(await ask({}, draft('r.x'), { developers: 2 })).toBe(ENTRY.reason)
  })

  it.each([
    ['sdd.policy.blocked', false],
    ['gate.protected-branch', false],
    ['gate.receipt-missing', false],
    ['gate.lineage-contradiction', false],
    ['gate.check-not-allowed', false],
    ['gate.file-unread', true],
    ['gate.link-content', true],
    ['gate.submodule', true],
    ['lint/no-eval', true],
  ])('%s: %s', async (rule, accepts) => {
    expect((await ask({ rule }, draft(rule))) !== undefined).toBe(accepts)
  })
})
