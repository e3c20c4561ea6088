import { expect, it } from 'vitest'
import { judgeCoverage } from './judge-checks.ts'
import type { Coverage } from './readers/coverage.ts'

const coverage = (lines: readonly (readonly [number, number])[]): Coverage => ({
  files: new Map([['src/a.ts', { lines: new Map(lines), branches: { found: 4, taken: 1 } }]]),
  outside: 0,
})
const touched = { file: () => true, lines: (_: string, { line }: { line: number }) => line > 2 }
const judge = (thresholds: object, of: Coverage) =>
  judgeCoverage({ thresholds }, of, touched).map(({ rule, level, message }) => `${level} ${rule}: ${message}`)

it('reports coverage below a threshold, rounded down, with the lines that the change left without a test', () => {
  const found = judge(
    { lines: 60, branches: 20, 'changed-lines': 90 },
    coverage([
      [1, 1],
      [2, 2],
      [3, 0],
    ]),
  )
  expect(found).toEqual([
    'error changed-lines-below-threshold: Tests cover 0 % of the changed lines (0 of 1); at least 90 % are required.',
    'note uncovered-lines: No test runs the changed line 3.',
  ])
  expect(
    judge(
      { lines: 66.67, branches: 26 },
      coverage([
        [1, 1],
        [2, 2],
        [3, 0],
      ]),
    ),
  ).toEqual([
    'error lines-below-threshold: Tests cover 66.66 % of the lines (2 of 3); at least 66.67 % are required.',
    'error branches-below-threshold: Tests cover 25 % of the branches (1 of 4); at least 26 % are required.',
  ])
})

it('does not take an empty report for full coverage, and a change without program lines for none', () => {
  expect(judge({ lines: 0 }, { files: new Map(), outside: 3 })).toHaveLength(1)
  expect(judge({ 'changed-lines': 100 }, coverage([[1, 1]]))).toEqual([])
})
