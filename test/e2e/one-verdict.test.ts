import { describe, expect, it } from 'vitest'
import { findContradictions } from '../support/one-verdict.ts'

/** A few states; the long run has hundreds. */
describe('the check', () => {
  it('says what the gate says, and so does why', async () => {
    const { contradictions, seen } = await findContradictions(11, 6)
    expect(contradictions).toEqual([])
    // Or the generator has gone blind.
    expect(seen.allowed).toBeGreaterThan(0)
    expect(seen.blocked).toBeGreaterThan(2)
  }, 120_000)
})
