import type { Severity } from '../../evidence/schema.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import type { Excerpt, GateFinding, GateReport, GateRun, Region } from './report.ts'
import { worstFirst } from './report.ts'

const ESC = '\u001b['
const COLOURS: Readonly<Record<Severity | 'BLOCKED' | 'ALLOWED' | 'dim' | 'file', string>> = {
  CRITICAL: '1;31',
  ERROR: '31',
  WARN: '33',
  INFO: '36',
  BLOCKED: '1;31',
  ALLOWED: '1;32',
  dim: '2',
  file: '1',
}

interface TextStyle {
  readonly colour: boolean
}

type Paint = (as: keyof typeof COLOURS, text: string) => string

const painter =
  ({ colour }: TextStyle): Paint =>
  (as, text) =>
    colour ? `${ESC}${COLOURS[as]}m${text}${ESC}0m` : text

const MAX_COLUMNS = 140
const COLUMNS_BEFORE = 40

interface VisiblePart {
  readonly text: string
  /** Columns left out at the start. */
  readonly cut: number
}

/** The part of a long line around a column. */
const cutLine = (line: string, column: number): VisiblePart => {
  if (line.length <= MAX_COLUMNS) return { text: line, cut: 0 }
  const cut = Math.max(0, Math.min(column - COLUMNS_BEFORE, line.length - MAX_COLUMNS))
  return { text: line.slice(cut, cut + MAX_COLUMNS), cut }
}

/** CI servers run commands that they find in a log: `##vso[` anywhere in a line, `::` at its start. */
const escapeCommands = (text: string): string =>
  escapeLineBreaks(text).replace(/##(?=(?:vso|teamcity)?\[)/gi, '#\\u0023')
const escapeLine = (text: string): string => escapeCommands(text).replace(/^( *):(?=:)/, '$1\\u003a')

const code = (text: string): string => escapeCommands(text.replaceAll('\t', '  '))
const blanks = (text: string): string => ' '.repeat(code(text).length)

const renderExcerpt = ({ first, lines }: Excerpt, region: Region, paint: Paint): string[] => {
  const width = String(first + lines.length).length
  return lines.flatMap((line, at) => {
    const number = first + at
    const hit = number >= region.line && number <= region.endLine
    const { text, cut } = cutLine(line, number === region.line ? region.column : 1)
    const shown = `  ${hit ? '>' : ' '} ${String(number).padStart(width)} | ${code(text)}`
    if (number !== region.line) return [paint('dim', shown)]
    const start = Math.max(0, region.column - 1 - cut)
    const end = region.endLine === region.line ? region.endColumn - 1 - cut : text.length
    const marked = code(text.slice(start, Math.max(start + 1, end)))
    const caret = `    ${' '.repeat(width)} | ${blanks(text.slice(0, start))}${'^'.repeat(Math.max(1, marked.length))}`
    return [shown, caret]
  })
}

const renderFinding = (finding: GateFinding, excerpt: Excerpt | undefined, paint: Paint): string[] => {
  const { region, severity, ruleId, message, why, fix } = finding
  const place = region === undefined ? '' : `${region.line}:${region.column}  `
  return [
    `  ${place}${paint(severity, severity)}  ${escapeLine(ruleId)}`,
    `    ${escapeLine(message)}`,
    ...(region !== undefined && excerpt !== undefined ? renderExcerpt(excerpt, region, paint) : []),
    ...(why === undefined ? [] : [`    why: ${escapeLine(why)}`]),
    ...(fix === undefined ? [] : [`    fix: ${escapeLine(fix)}`]),
  ]
}

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`

export const summaryLine = (report: GateReport, style: TextStyle): string => {
  const { status, stage, counts, files, policy } = report
  const severities = worstFirst(counts.by_severity).map(([severity, number]) => `${number} ${severity}`)
  const parts = [
    `${count(counts.judged, 'finding')}${severities.length === 0 ? '' : ` (${severities.join(', ')})`}`,
    `in ${count(files.scanned, 'file')}`,
    ...(files.unmatched === 0 ? [] : [`· ${count(files.unmatched, 'file')} without rules`]),
    ...(counts.known === 0 ? [] : [`· ${counts.known} known`]),
    ...(counts.suppressed === 0 ? [] : [`· ${counts.suppressed} suppressed`]),
    ...(report.reweighed === undefined ? [] : [`· ${count(report.reweighed.length, 'severity override')}`]),
    `· blocks at ${policy.block_on_or_above} (${policy.trace.source})`,
    ...(report.policy_from === undefined ? [] : ['· by the policy of the working tree alone']),
  ]
  return `${painter(style)(status, status)} ${stage}: ${parts.join(' ')}`
}

/** The report for a terminal: findings by file with an excerpt, then a summary line. */
export const writeText = ({ report, excerpts }: GateRun, style: TextStyle): string => {
  const paint = painter(style)
  const lines: string[] = []
  let file: string | undefined
  for (const finding of report.findings) {
    if (finding.state !== 'new') continue
    if (finding.file !== file) lines.push(paint('file', escapeLine(finding.file)))
    file = finding.file
    lines.push(...renderFinding(finding, excerpts.get(finding), paint), '')
  }
  // Shown even without findings: an override may be the reason why there are none.
  for (const { rule, from, to } of report.reweighed ?? [])
    lines.push(paint('dim', `${rule}: ${from} → ${to}`))
  for (const note of report.notes ?? []) lines.push(escapeLineBreaks(note))
  return [...lines, summaryLine(report, style)].join('\n')
}
