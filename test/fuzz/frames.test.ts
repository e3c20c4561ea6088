import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { caseCount } from '../support/case-count.ts'
import { findWronged, OPENINGS } from './corpus-lines.ts'
import { corpus, sessions } from './frames.ts'
import { describeReport, findDifference, fuzz, readSeed } from './run.ts'

describe.each(Object.entries(OPENINGS))('Tricky lines %s', (_, opening) => {
  test.each([...corpus])('get what they are owed: %s', { timeout: 120_000 }, async (_, lines) => {
    // The long run tries every line in every way.
    expect(await findWronged(opening, lines, caseCount(6, 3))).toEqual([])
  })
})

const FRAMES = caseCount(2_000, 4_000)

describe('Frames of every kind', () => {
  test('thousands of them get what they are owed, and nothing else', { timeout: 120_000 }, async () => {
    const seed = readSeed()
    const report = await fuzz(FRAMES, seed)
    process.stdout.write(describeReport(seed, report))
    expect(report.frames).toBeGreaterThanOrEqual(FRAMES)
    // Every kind was tried and every kind of answer was seen, or the generator has gone blind.
    expect(report.kinds.size).toBeGreaterThanOrEqual(17)
    expect([...report.outcomes.keys()]).toEqual(
      expect.arrayContaining([
        'result',
        'notification',
        'error -32700',
        'error -32600',
        'error -32601',
        'error -32602',
      ]),
    )
  })

  test('thousands of them get the same bytes directly and through the SDK', {
    timeout: 120_000,
  }, async () => {
    for (const session of fc.sample(sessions(50), { seed: readSeed(), numRuns: caseCount(30, 120) })) {
      expect(await findDifference(session)).toBeUndefined()
    }
  })
})
