import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isInShard, readShard } from './shard.ts'

describe('shards', () => {
  it('hold every path once', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 256 }), (path, count) => {
        const numbers = Array.from({ length: count }, (_, at) => at + 1)
        expect(numbers.filter((number) => isInShard(path, { number, count }))).toHaveLength(1)
      }),
    )
  })

  it('are about equal for the paths of a repository', () => {
    const paths = Array.from({ length: 10_000 }, (_, at) => `services/area-${at % 50}/service-${at}.ts`)
    const sizes = [1, 2, 3, 4, 5].map(
      (number) => paths.filter((path) => isInShard(path, { number, count: 5 })).length,
    )
    expect(Math.min(...sizes)).toBeGreaterThan(1_800)
  })

  it.each(['0/5', '6/5', '1/0', '1/257', '1', 'a/b', '1/5/2', '-1/5'])('does not read %s', (text) => {
    expect(readShard(text)).toBeUndefined()
  })
})
