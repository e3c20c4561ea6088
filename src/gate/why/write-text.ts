import { countSeverities, listSeverities } from '../reports/report.ts'
import { escapeLine } from '../reports/text.ts'
import type { Basis, PolicyLine, Reason, Repair, VerdictExplanation } from './explanation.ts'

/** One screen: what is beyond these numbers is counted. */
const MAX = { reasons: 20, repairs: 12, lines: 10, text: 200 }

const cut = (text: string): string => (text.length <= MAX.text ? text : `${text.slice(0, MAX.text)}…`)

const place = ({ file, line }: Partial<Pick<Reason, 'file' | 'line'>>): string =>
  file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}`

/** The first lines of a section, and how many more there are. */
const limit = (lines: readonly string[], most: number): string[] => {
  const rest = lines.length - most
  return [...lines.slice(0, most), ...(rest > 0 ? [`  and ${rest} more: --json lists all`] : [])]
}

const reasonLine = (reason: Reason): string => {
  const { severity, rule, message, blocks } = reason
  return `  ${severity.padEnd(8)}  ${place(reason)}  ${rule}  ${cut(message)}${blocks ? '' : ' (does not block)'}`
}

const repairLine = (repair: Repair, at: number): string => {
  const { action, command, removes } = repair
  const where = command === undefined ? place(repair) : ''
  const several = removes > 1 ? ` (removes ${removes} reasons)` : ''
  const done = command === undefined ? '' : `: ${command}`
  const text = cut(command === undefined ? action : action.replace(/\.$/, ''))
  return `  ${at + 1}. ${where === '' ? '' : `${where}: `}${text}${done}${several}`
}

const agentLine = ({ message, fix }: VerdictExplanation['agents']['reasons'][number]): string =>
  `  BLOCKED: ${cut(message)} ${cut(fix)}`

const policyLine = ({ where, effect }: PolicyLine): string => `  ${where}: ${cut(effect)}`

/** As many digits as `git` and people compare. */
const SHOWN_DIGITS = 12

const shortDigest = (digest: string | undefined): string =>
  digest === undefined ? '' : ` ${digest.slice(0, 'sha256:'.length + SHOWN_DIGITS)}`

const basisLines = (bases: readonly Basis[]): string[] => {
  const width = Math.max(...bases.map(({ kind }) => kind.length))
  return bases.map(
    ({ kind, name, digest, detail }) =>
      `  ${kind.padEnd(width)}  ${name}${shortDigest(digest)} · ${cut(detail)}`,
  )
}

const summary = ({ status, stage, reasons, about }: VerdictExplanation): string => {
  const severities = listSeverities(countSeverities(reasons))
  const word = about === undefined ? 'reason' : 'finding'
  const number = `${reasons.length} ${word}${reasons.length === 1 ? '' : 's'}`
  const listed = `${number}${severities.length === 0 ? '' : ` (${severities.join(', ')})`}`
  if (about !== undefined) return `${status} ${stage}. About ${about}: ${listed}`
  return `${status} ${stage}: ${status === 'ALLOWED' ? 'nothing blocks' : listed}`
}

const section = (title: string, lines: readonly string[], most: number): string[] =>
  lines.length === 0 ? [] : ['', title, ...limit(lines, most)]

/** The explanation for a terminal. */
export const writeExplanation = (explanation: VerdictExplanation): string => {
  const { reasons, repairs, counted, agents, rests_on: rests, notes } = explanation
  return [
    summary(explanation),
    ...limit(reasons.map(reasonLine), MAX.reasons),
    ...notes.map((note) => `  ${note}`),
    ...section('To unblock:', repairs.map(repairLine), MAX.repairs),
    ...section('For agents:', agents.reasons.map(agentLine), MAX.lines),
    ...section('Counted because:', counted.map(policyLine), MAX.lines),
    ...section('Rests on:', basisLines(rests), MAX.lines),
  ]
    .map(escapeLine)
    .join('\n')
}
