import { toUnicodeEscape } from '../kernel/text/escape-text.ts'
import { plural } from '../kernel/text/plural.ts'
import type { GateState, WriteFinding } from './ports.ts'

const MAX_FINDINGS = 10
const MAX_LINE = 600
const MAX_TEXT = 6_000

/** Characters that act on a terminal, or that change the order in which text is shown. */
const CONTROLS = /[^\P{Cc}\n\t]|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ue000\ue001]/gu

/** A text for the agent and its user: without control characters, and not longer than a client shows. */
export const safeText = (text: string): string => {
  const escaped = text.replace(CONTROLS, toUnicodeEscape)
  return escaped.length <= MAX_TEXT ? escaped : `${escaped.slice(0, MAX_TEXT)} …`
}

const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE)} …`
}

const describeFinding = ({ ruleId, severity, file, line, message, why, fix }: WriteFinding): string =>
  [
    `${oneLine(file)}${line === undefined ? '' : `:${line}`} ${severity} ${ruleId}: ${oneLine(message)}`,
    ...(why === undefined ? [] : [`  why: ${oneLine(why)}`]),
    ...(fix === undefined ? [] : [`  fix: ${oneLine(fix)}`]),
  ].join('\n')

const listFindings = (findings: readonly WriteFinding[]): string => {
  const shown = findings.slice(0, MAX_FINDINGS).map(describeFinding)
  const more = findings.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
}

export const refusedWrite = (findings: readonly WriteFinding[]): string =>
  `Warrant refuses this write: ${plural(findings.length, 'finding')} would block the change. Repair it and write again.\n${listFindings(findings)}`

export const writtenFindings = (
  blocking: readonly WriteFinding[],
  others: readonly WriteFinding[],
): string => {
  const what =
    blocking.length > 0
      ? `${plural(blocking.length, 'finding')} will block the commit`
      : `${plural(others.length, 'finding')}`
  return `Warrant on the file as it is now: ${what}.\n${listFindings([...blocking, ...others])}`
}

export const refusedOwnFile = (path: string): string =>
  `Warrant refuses this write: ${oneLine(path)} decides how changes are judged, or holds its results. A person changes it. Leave it as it is and go on.`

export const gateStateText = ({ verdict, findings, required }: GateState): string =>
  [`Warrant: ${verdict}`, `Open findings: ${findings}`, `Required: ${required}`].map(oneLine).join('\n')
