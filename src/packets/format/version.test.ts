import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareVersions } from './version.ts'

describe('versions', () => {
  it('stand in the order of their segments, stages and numbers', () => {
    const ordered = [
      '0.9',
      '1.0-dev',
      '1.0-alpha',
      '1.0-a2',
      '1.0-alpha10',
      '1.0-beta-1',
      '1.0-b2',
      '1.0-preview1',
      '1.0-rc1',
      '1.0-candidate-2',
      '1.0-hotfix1',
      '1.0-ga',
      '1.0-final',
      '1.0',
      '1.0.0-rc.1',
      '1.0.0-rc.2',
      '1.0.0',
      '1.0.0_build',
      '1.2',
      '1.10',
      '2.0.0-snapshot',
      '2.0.0',
      '99999999999999999998',
      '99999999999999999999',
    ]
    const permutation = fc.shuffledSubarray(ordered, { minLength: ordered.length })
    fc.assert(
      fc.property(permutation, (shuffled) => {
        expect(shuffled.sort(compareVersions)).toEqual(ordered)
      }),
    )
  })

  it('puts a tag without numbers before versions', () => {
    expect(['1.0', 'latest', '0.1'].sort(compareVersions)).toEqual(['latest', '0.1', '1.0'])
  })

  it('have one order, whatever they are', () => {
    const part = fc.constantFrom('0', '00', '1', '10', 'a', 'rc', 'rc1', '-', '.', '-rc', 'beta', '_')
    const version = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(Math.sign(compareVersions(a, b))).toBe(0 - Math.sign(compareVersions(b, a)) || 0)
        expect(compareVersions(a, b) === 0).toBe(a === b)
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0)
          expect(compareVersions(a, c)).toBeLessThanOrEqual(0)
      }),
      { numRuns: 5000 },
    )
  })
})
