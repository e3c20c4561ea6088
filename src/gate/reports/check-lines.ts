import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import { plural } from '../../kernel/text/plural.ts'
import type { CheckRow } from './report.ts'

const OUTCOMES: Readonly<Record<CheckRow['outcome'], string>> = {
  clean: 'passed',
  results: '',
  skipped: 'skipped, because no changed file concerns it',
  'not-allowed': 'not run, because it is not allowed',
  missing: 'not run, because a program is missing',
  unreadable: 'its output cannot be read',
  timeout: 'ended at its deadline',
  failed: 'failed without a result',
}

/** One line a check, for the text report. */
export const checkLines = (rows: readonly CheckRow[]): string[] =>
  rows.map(
    ({ name, outcome, origin, results, outside, omitted, tool, version, cached, duration_ms: ms, file }) => {
      const parts = [
        OUTCOMES[outcome] || plural(results, 'result'),
        ...(outside === undefined ? [] : [`${outside} outside of the change`]),
        ...(omitted === undefined ? [] : [`${omitted} more are left out`]),
        ...(tool === undefined && version === undefined ? [] : [[tool, version].filter(Boolean).join(' ')]),
        ...(cached ? ['from the cache'] : []),
        ...(origin === 'imported' ? [`imported from ${file}`] : []),
        ...(ms === undefined ? [] : [`${(ms / 1_000).toFixed(1)} s`]),
      ]
      return escapeLineBreaks(`check ${name}: ${parts.join(' · ')}`)
    },
  )
