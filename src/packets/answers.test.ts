import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clampBudget, digestEvidence, type EvidenceDigest } from './ask/evidence.ts'
import { intentMode } from './ask/plan.ts'
import type { QueryResult } from './ask/query.ts'
import { firstCharacters, makeSnippet, type QueryHit, toQueryHit } from './ask/snippet.ts'

describe('a snippet', () => {
  it.each([
    ['  short \n', 'short'],
    ['x'.repeat(300), 'x'.repeat(300)],
    ['x'.repeat(301), `${'x'.repeat(300)}...`],
    [`${'x'.repeat(299)} yz`, `${'x'.repeat(299)}...`],
    ['😀'.repeat(300), '😀'.repeat(300)],
    ['😀'.repeat(301), `${'😀'.repeat(300)}...`],
  ])('of %j', (text, snippet) => {
    expect(makeSnippet(text)).toBe(snippet)
  })

  it('counts characters and cuts none in two', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, count) => {
        expect(firstCharacters(text, count)).toBe([...text].slice(0, count).join(''))
      }),
    )
  })
})

describe('a result', () => {
  const doc = (metadata: object, id = 'id:0') => ({
    id,
    text: 't',
    metadata: metadata as Record<string, unknown>,
  })

  it.each([
    [{ path: 'p', source: 's' }, 'p'],
    [{ path: '', source: 's' }, 's'],
    [{ file: 'f' }, 'f'],
    [{ path: 7 }, 'id:0'],
  ])('of %j is from %s', (metadata, path) => {
    expect(toQueryHit(doc(metadata), 1).path).toBe(path)
  })

  it.each([
    [{ start: 3, end: 9, line_start: 1 }, 3, 9],
    [{ line_start: 1, line_end: 2 }, 1, 2],
    [{ start: 0, line_start: 5 }, 0, null],
    [{ start: 'x', end: -1 }, null, null],
    [{}, null, null],
  ])('of %j stands at %s to %s', (metadata, start, end) => {
    expect(toQueryHit(doc(metadata), 1)).toMatchObject({ start, end })
  })
})

describe('an intent', () => {
  it.each([
    ['find the stage where it breaks', {}, 'query'],
    ['show the thing', {}, 'lookup'],
    ['how do I search', {}, 'query'],
    ['what is the latest version', {}, 'lookup'],
    ['', {}, 'lookup'],
    ['how', { kind: 'x' }, 'lookup'],
    ['latest tags', { mode: 'query' }, 'query'],
    ['how', { entrypoint: 'LOOKUP' }, 'lookup'],
    ['how', { mode: 'other', entrypoint: 'custom' }, 'query'],
  ])('%j with %j is a %s', (intent, constraints, mode) => {
    expect(intentMode(intent, constraints)).toBe(mode)
  })
})

describe('evidence', () => {
  const item = (
    path: string,
    snippet: string,
    start: number | null = null,
    end: number | null = null,
  ): QueryHit => ({
    score: 1,
    path,
    start,
    end,
    snippet,
  })
  const answer = (results: readonly QueryHit[]): QueryResult => ({
    ok: true,
    trust: { untrusted: true, signature: 'unchecked', signers: [] },
    source_uri: 'u',
    pinned_uri: 'p',
    digest: 'd',
    cache: { hit: true },
    query: 'q',
    k: 6,
    results,
  })
  const digest = (results: readonly QueryHit[], budget = 1200) =>
    digestEvidence(answer(results), { ref: 'r', question: 'q', budget }) as EvidenceDigest

  it('says everything once', () => {
    expect(digest([item('a', 'alpha'), item('a', 'alpha'), item('b', 'beta')]).evidence).toHaveLength(2)
    expect(digest([item('a', 'same'), item('b', 'same')]).evidence).toHaveLength(2)
  })

  it('joins windows of one file that overlap', () => {
    const shared = 'these words stand in both windows'
    const { evidence } = digest([item('a', `${shared} second`, 71, 150), item('a', `first ${shared}`, 1, 80)])
    expect(evidence).toEqual([{ score: 1, path: 'a', start: 1, end: 150, snippet: `first ${shared} second` }])
    expect(digest([item('a', `x ${shared}`, 1, 5), item('a', `${shared} y`, 90, 99)]).evidence).toHaveLength(
      2,
    )
  })

  it('of a hundred characters is one item of exactly a hundred', () => {
    const { evidence } = digest([item('a', 'x'.repeat(300)), item('b', 'y')], 100)
    expect(evidence.map(({ snippet }) => snippet.length)).toEqual([100])
  })

  it('points at itself in a few short lines', () => {
    const results = Array.from({ length: 9 }, (_, i) =>
      item(i === 0 ? '' : `f${i}`, `${'word\n'.repeat(30)}${i}`, i, i + 2),
    )
    const { summary, evidence } = digest(results, 5000)
    expect(summary.split('\n')).toHaveLength(6)
    expect(summary.split('\n')[0]).toBe(`- -:0-2: ${'word '.repeat(12).trim()}...`)
    expect(evidence.every(({ snippet }) => !snippet.includes('\n'))).toBe(true)
  })

  it('never has more characters than it may', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 80 }), { maxLength: 10 }),
        fc.integer({ min: -5, max: 400 }),
        (texts, max) => {
          const budget = clampBudget(max)
          const { evidence } = digest(
            texts.map((text, i) => item(`f${i}`, text)),
            budget,
          )
          expect(budget).toBeGreaterThanOrEqual(64)
          expect(evidence.reduce((sum, { snippet }) => sum + [...snippet].length, 0)).toBeLessThanOrEqual(
            budget,
          )
        },
      ),
    )
  })

  it('of a failed query is that failure', () => {
    const failure = { ok: false, error: 'x', detail: 'y' } as const
    expect(digestEvidence(failure, { ref: 'r', question: 'q', budget: 100 })).toBe(failure)
  })
})
