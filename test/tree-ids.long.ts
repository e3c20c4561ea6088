import { expect, it } from 'vitest'
import { compareRandomTrees } from './support/tree-ids.ts'

it('gives 400 random states the ids of the commits that git makes', async () => {
  const wrong: string[] = []
  for (let seed = 100; seed < 180; seed += 1) wrong.push(...(await compareRandomTrees(seed, 5)))
  expect(wrong).toEqual([])
})
