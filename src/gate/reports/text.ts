import type { Severity } from '../../evidence/schema.ts'
import { pushTo } from '../../kernel/multimap.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import { extensionOf, grammarForExtension } from '../../kernel/text/languages.ts'
import { plural } from '../../kernel/text/plural.ts'
import { isAtLeast } from '../policy.ts'
import { acceptableBy } from '../rules/acceptable.ts'
import {
  type CheckRow,
  type Excerpt,
  type GateFinding,
  type GateReport,
  type GateRun,
  listSeverities,
  type Region,
} from './report.ts'
import {
  countByRule,
  type FindingLimits,
  groupByFile,
  type SelectedFindings,
  selectFindings,
} from './select.ts'

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

/** CI servers run commands that they find in a log: `##vso[` anywhere in a line, `::` at its start. */
const escapeCommands = (text: string): string =>
  escapeLineBreaks(text).replace(/##(?=(?:vso|teamcity)?\[)/gi, '#\\u0023')
export const escapeLine = (text: string): string => escapeCommands(text).replace(/^( *):(?=:)/, '$1\\u003a')

const listed = (counts: Readonly<Record<string, number>> | undefined): string[] =>
  Object.entries(counts ?? {})
    .filter(([, number]) => number > 0)
    .map(([name, number]) => `${number} ${name.replace('_', ' ')}`)

/** Which files were not judged. */
const fileLine = ({ files: { skipped } }: GateReport): string[] => {
  const unread = listed(skipped)
  return unread.length === 0 ? [] : [`not judged: ${unread.join(', ')}`]
}

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

const code = (text: string): string => escapeCommands(text.replaceAll('\t', '  '))

/** The first line of a region, without its indentation. */
const renderCode = ({ first, lines }: Excerpt, { line, column }: Region, paint: Paint): string[] => {
  const text = lines[line - first]
  if (text === undefined || text.trim() === '') return []
  const { text: part, cut } = cutLine(text, column)
  const shown = cut === 0 ? part.trimStart() : part
  return [`    ${paint('dim', `${line} |`)} ${code(shown)}`]
}

/** At most five lines. The reason and the repair are told with the first finding of a rule. */
const renderFinding = (
  finding: GateFinding,
  { excerpt, isFirst, paint }: { excerpt: Excerpt | undefined; isFirst: boolean; paint: Paint },
): string[] => {
  const { region, severity, ruleId, message, why, fix, entered } = finding
  const place = region === undefined ? '' : `${region.line}:${region.column}  `
  return [
    `  ${place}${paint(severity, severity)}  ${escapeLine(ruleId)}  ${escapeLine(message)}`,
    ...(region !== undefined && excerpt !== undefined ? renderCode(excerpt, region, paint) : []),
    ...(entered === undefined ? [] : [`    entered unjudged with ${entered.slice(0, 12)}`]),
    ...(isFirst && why !== undefined ? [`    why: ${escapeLine(why)}`] : []),
    ...(isFirst && fix !== undefined ? [`    fix: ${escapeLine(fix)}`] : []),
  ]
}

/** Fewer repeated warnings are shown one by one. */
const FOLD_FROM = 3
const MOST_LINES = 12

/** Warnings of one rule in one file are one entry with the numbers of the other lines; what is worse stands alone. */
const foldWarnings = (
  findings: readonly GateFinding[],
): readonly { readonly finding: GateFinding; readonly others: readonly GateFinding[] }[] => {
  const rules = new Map<string, GateFinding[]>()
  for (const finding of findings)
    if (!isAtLeast(finding.severity, 'ERROR')) pushTo(rules, finding.ruleId, finding)
  return findings.flatMap((finding) => {
    const all = rules.get(finding.ruleId) ?? []
    if (isAtLeast(finding.severity, 'ERROR') || all.length < FOLD_FROM) return [{ finding, others: [] }]
    return all[0] === finding ? [{ finding, others: all.slice(1) }] : []
  })
}

const otherLines = (others: readonly GateFinding[]): string[] => {
  if (others.length === 0) return []
  const lines = others.flatMap(({ region }) => region?.line ?? [])
  const more = lines.length - MOST_LINES
  const shown = `${lines.slice(0, MOST_LINES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return [`    also on ${lines.length === 1 ? 'line' : 'lines'} ${shown}`]
}

/** Undefined where something was judged: a file by a rule, or the change by a check. */
const nothingJudged = ({ files, findings, checks = [] }: GateReport): string | undefined => {
  if (files.scanned > 0 || findings.length > 0 || checks.some(({ outcome }) => outcome !== 'skipped'))
    return undefined
  return files.changed === 0 ? 'no file changed' : 'no changed file has rules'
}

export const summaryLine = (report: GateReport, style: TextStyle): string => {
  const { status, stage, counts, files, policy } = report
  const nothing = nothingJudged(report)
  const severities = listSeverities(counts.by_severity)
  const found = `${plural(counts.judged, 'finding')}${severities.length === 0 ? '' : ` (${severities.join(', ')})`}`
  const parts = [
    nothing === undefined ? `${found} in ${plural(files.scanned, 'file')}` : `nothing to judge: ${nothing}`,
    ...(files.unmatched === 0 ? [] : [`· ${plural(files.unmatched, 'file')} without rules`]),
    ...(counts.known === 0 ? [] : [`· ${counts.known} known`]),
    ...(counts.suppressed === 0 ? [] : [`· ${counts.suppressed} suppressed`]),
    ...(report.reweighed === undefined ? [] : [`· ${plural(report.reweighed.length, 'severity override')}`]),
    `· blocks at ${policy.block_on_or_above} (${policy.trace.source})`,
    ...(report.policy_from === undefined ? [] : ['· by the policy of the working tree alone']),
  ]
  return `${painter(style)(status, status)} ${stage}: ${parts.join(' ')}`
}

const renderFiles = ({ excerpts }: GateRun, { shown }: SelectedFindings, paint: Paint): string[] => {
  const explained = new Set<string>()
  return groupByFile(shown).flatMap(([file, findings]) => [
    paint('file', escapeLine(file)),
    ...foldWarnings(findings).flatMap(({ finding, others }) => {
      const isFirst = explained.size < explained.add(finding.ruleId).size
      return [
        ...renderFinding(finding, { excerpt: excerpts.get(finding), isFirst, paint }),
        ...otherLines(others),
      ]
    }),
    '',
  ])
}

/** Fewer findings are seen at a glance, so they need no summary. */
const SUMMARY_FROM = 10
const MOST_RULES = 15

const renderRules = (selected: SelectedFindings, paint: Paint): string[] => {
  const { shown, cut } = selected
  if (shown.length + cut.length < SUMMARY_FROM) return []
  const rules = countByRule([...shown, ...cut])
  const width = String(Math.max(...rules.map(({ findings }) => findings))).length
  const rows = rules
    .slice(0, MOST_RULES)
    .map(
      ({ ruleId, severity, findings }) =>
        `  ${String(findings).padStart(width)}  ${paint(severity, severity)}  ${escapeLine(ruleId)}`,
    )
  const more = rules.length - rows.length
  return ['By rule:', ...rows, ...(more > 0 ? [`  and ${plural(more, 'more rule')}`] : []), '']
}

const renderHidden = ({ shown, cut, below, from }: SelectedFindings): string[] => [
  ...(cut.length === 0
    ? []
    : [`${plural(cut.length, 'more finding')} not shown: --max 0 shows all, --max N shows N.`]),
  // Without any finding above it, the summary line says enough.
  ...(below.length === 0 || shown.length === 0
    ? []
    : [`${plural(below.length, 'finding')} below ${from} not shown: --severity INFO.`]),
]

/** One way to accept a finding: a comment where one works, else an entry; none for what nothing accepts. */
const acceptStep = (finding: GateFinding, evidence: unknown): string[] => {
  const { ruleId, secret, file, region, fingerprint } = finding
  const by = acceptableBy(ruleId, secret === true)
  if (by === undefined) return []
  const isPlaced =
    region !== undefined && !file.startsWith('.warrant/') && !/^(?:gate|warrant)\./.test(ruleId)
  const isParsed = grammarForExtension(extensionOf(file)) !== undefined
  if (by === 'fingerprint' && isPlaced && (isParsed || /\.(?:ya?ml|toml|sh|sql|rb|php)$/.test(file)))
    return [`Or give a reason in a comment on the line above: warrant-ignore ${escapeLine(ruleId)}: <reason>`]
  // The command looks it up in the evidence.
  return evidence === null
    ? []
    : [`Or accept it: warrant accept ${fingerprint.slice(0, 12)} --reason "<why>"`]
}

/** Findings that a later stage blocks: a reader of ALLOWED would not expect it. */
const laterSteps = ({ policy, findings }: GateReport): string[] => {
  const errors = findings.filter(
    ({ state, severity }) => state === 'new' && isAtLeast(severity, 'ERROR'),
  ).length
  const blocksLater = policy.trace.source === 'default' && policy.resolved_stage === 'PRE_COMMIT'
  if (errors === 0 || !blocksLater) return []
  const one = errors === 1
  return [
    `${plural(errors, 'finding')} of ERROR ${one ? 'does' : 'do'} not stop a commit, but ${one ? 'stops' : 'stop'} a push and CI.`,
  ]
}

/** What to do after a run, in at most four lines. */
const nextSteps = ({ report }: GateRun): string[] => {
  const { policy, status, findings } = report
  if (status !== 'BLOCKED') return laterSteps(report)
  const blocking = findings.filter(
    ({ state, severity }) => state === 'new' && isAtLeast(severity, policy.block_on_or_above),
  )
  const repairable = findings.filter(({ state, edit }) => state === 'new' && edit?.safe === true).length
  const [example] = blocking
  if (example === undefined) return []
  return [
    `Repair what is ${policy.block_on_or_above}${policy.block_on_or_above === 'CRITICAL' ? '' : ' or worse'} (${blocking.length}), then run the gate again.`,
    ...(repairable === 0
      ? []
      : [
          `${plural(repairable, 'finding')} can be repaired for you: warrant gate --fix (--dry-run shows how)`,
        ]),
    ...acceptStep(example, report.evidence),
  ]
}

/** The report for a terminal: the worst findings first, by file; a summary by rule; one line with the verdict; what to do next. */
export const writeText = (run: GateRun, style: TextStyle & FindingLimits): string => {
  const { report } = run
  const paint = painter(style)
  const selected = selectFindings(report, style)
  return [
    ...renderFiles(run, selected, paint),
    ...renderRules(selected, paint),
    // Shown even without findings: an override may be the reason why there are none.
    ...(report.reweighed ?? []).map(({ rule, from, to }) => paint('dim', `${rule}: ${from} → ${to}`)),
    ...checkLines(report.checks ?? []).map((line) => paint('dim', escapeLine(line))),
    ...(report.notes ?? []).map(escapeLineBreaks),
    ...renderHidden(selected),
    summaryLine(report, style),
    ...fileLine(report).map((line) => paint('dim', line)),
    ...nextSteps(run),
  ].join('\n')
}
