import type { Check } from './check.ts'
import type { Coverage } from './readers/coverage.ts'
import type { CheckResult } from './readers/reader.ts'
import type { TouchedPlaces } from './result-drafts.ts'

interface Share {
  readonly found: number
  readonly covered: number
}

const sum = (shares: Iterable<Share>): Share => {
  let [found, covered] = [0, 0]
  for (const one of shares) {
    found += one.found
    covered += one.covered
  }
  return { found, covered }
}

const lineShare = (lines: ReadonlyMap<number, number>, counts: (line: number) => boolean): Share => {
  const all = [...lines].filter(([line]) => counts(line))
  return { found: all.length, covered: all.filter(([, hits]) => hits > 0).length }
}

const percentOf = ({ found, covered }: Share): number => (covered * 100) / found

/** Rounded down, so that a value below a threshold is not shown as the threshold. */
const shown = (share: Share): string => `${Math.floor(percentOf(share) * 100) / 100} %`

const MAX_NAMED = 5

const listLines = (lines: readonly number[]): string => {
  const rest = lines.length - MAX_NAMED
  return `${lines.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** Files that the change touched, with the touched lines that no test ran. */
const uncovered = (coverage: Coverage, touched: TouchedPlaces): CheckResult[] =>
  [...coverage.files].flatMap(([file, { lines }]) => {
    const missed = [...lines]
      .filter(([line, hits]) => hits === 0 && touched.lines(file, { line, endLine: line }))
      .map(([line]) => line)
      .sort((a, b) => a - b)
    const [first] = missed
    if (first === undefined) return []
    const region = { line: first, column: 1, endLine: first, endColumn: 2 }
    const message = `No test runs the changed ${missed.length === 1 ? 'line' : 'lines'} ${listLines(missed)}.`
    return [{ rule: 'uncovered-lines', level: 'note', message, file, region }]
  })

/** Results for coverage below the thresholds of a check. */
export const judgeCoverage = (
  { thresholds = {} }: Pick<Check, 'thresholds'>,
  coverage: Coverage,
  touched: TouchedPlaces,
): CheckResult[] => {
  const files = [...coverage.files]
  const shares: Readonly<Record<string, Share>> = {
    lines: sum(files.map(([, { lines }]) => lineShare(lines, () => true))),
    branches: sum(files.map(([, { branches }]) => ({ found: branches.found, covered: branches.taken }))),
    'changed-lines': sum(
      files.map(([file, { lines }]) =>
        lineShare(lines, (line) => touched.lines(file, { line, endLine: line })),
      ),
    ),
  }
  if (shares.lines?.found === 0)
    return [
      { rule: 'empty', level: 'error', message: 'The coverage report covers no line of the repository.' },
    ]
  const results = Object.entries(thresholds).flatMap(([name, least]): CheckResult[] => {
    const share = shares[name]
    // Nothing to cover is covered: a change of documents touches no line of a program.
    if (share === undefined || share.found === 0 || percentOf(share) >= least) return []
    const message = `Tests cover ${shown(share)} of the ${name.replace('-', ' ')} (${share.covered} of ${share.found}); at least ${least} % are required.`
    return [{ rule: `${name}-below-threshold`, level: 'error', message }]
  })
  const isBelow = results.some(({ rule }) => rule.startsWith('changed-lines'))
  return isBelow ? [...results, ...uncovered(coverage, touched)] : results
}
