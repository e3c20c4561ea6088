import { describe, it } from 'vitest'
import { useSeedProfile } from '../support/gate.ts'
import { expectAllJudged, expectPackageJudged } from '../support/many-files.ts'

useSeedProfile()

describe('size', () => {
  it('is no matter: ten thousand files are all judged, and one staged among them alone', () => {
    expectAllJudged(10_000)
  }, 240_000)

  it('a public package is judged whole, without a file that was given up', () => {
    expectPackageJudged('.')
  }, 240_000)
})
