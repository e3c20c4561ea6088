import { describe, expect, it } from 'vitest'
import { findContradictions } from './support/one-verdict.ts'

describe('the check', () => {
  it.each([3, 5, 7])(
    'says what the gate says, and so does why, in generated states %i',
    async (seed) => {
      const { contradictions, seen } = await findContradictions(seed, 160)
      expect(contradictions).toEqual([])
      expect(seen.allowed).toBeGreaterThan(10)
      expect(seen.blocked).toBeGreaterThan(10)
    },
    600_000,
  )
})
