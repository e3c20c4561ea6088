import { CoverageBuilder } from './coverage-builder.ts'
import { type CheckReader, CheckUnreadable } from './reader.ts'
import { placePath } from './result-place.ts'
import { linesOf } from './result-text.ts'

/** The records that matter here; functions and totals follow from them or are not judged. */
const IGNORED = /^(?:TN|VER|FN|FNDA|FNF|FNH|FNL|FNA|LF|LH|BRF|BRH|MCDC|MCF|MCH):|^#|^\s*$/

/** A tracefile of lcov, as lcov, Istanbul, vitest, c8, coverage.py, grcov and others write it. */
export const readLcov: CheckReader = (input) => {
  const builder = new CoverageBuilder()
  let counts: ReturnType<CoverageBuilder['file']>
  let isOpen = false
  for (const line of linesOf(input.bytes)) {
    const [, kind = '', value = ''] = /^(SF|DA|BRDA):(.*)$/.exec(line) ?? []
    if (kind === 'SF') {
      counts = builder.file(placePath(value, input), value)
      isOpen = true
    } else if (line.trimEnd() === 'end_of_record') isOpen = false
    else if (kind === '' && IGNORED.test(line)) continue
    else if (!isOpen || kind === '') throw new CheckUnreadable('the report is not a tracefile of lcov')
    else if (kind === 'DA') {
      const [number = '', hits = ''] = value.split(',')
      builder.addLine(counts, number, hits)
    } else {
      const at = value.lastIndexOf(',')
      const taken = value.slice(at + 1)
      builder.addBranch(counts, value.slice(0, at), taken !== '-' && taken !== '0')
    }
  }
  if (isOpen) throw new CheckUnreadable('the report ends in the middle of a record')
  return { results: [], coverage: builder.finish() }
}
