import { expect, it } from 'vitest'
import { findDifferences } from './support/known-oracle.ts'

it('a thousand generated changes have exactly the new findings that two whole scans tell apart', async () => {
  const { differences, seen } = await findDifferences(11, 1_000)
  expect(differences).toEqual([])
  expect(seen.known).toBeGreaterThan(2_000)
  expect(seen.new).toBeGreaterThan(1_000)
  expect(seen.renamed).toBeGreaterThan(50)
}, 1_200_000)
