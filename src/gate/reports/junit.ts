import { optional } from '../../kernel/optional.ts'
import { isAtLeast } from '../policy.ts'
import type { GateFinding, GateReport } from './report.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

// Characters that XML 1.0 forbids even as references become the escape that programmers know.
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** Escapes any text for XML 1.0. Tabs and line breaks become references: attributes would turn them into blanks. */
export const escapeXml = (text: string): string =>
  text
    .replace(FORBIDDEN, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
    .replace(/[&<>"'\t\n\r]/g, (char) => ENTITIES[char] ?? `&#${char.charCodeAt(0)};`)

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('')

const describeFinding = ({ file, region, message, why, fix }: GateFinding): string =>
  [
    `${file}${region === undefined ? '' : `:${region.line}:${region.column}`}: ${message}`,
    ...(why === undefined ? [] : [`why: ${why}`]),
    ...(fix === undefined ? [] : [`fix: ${fix}`]),
  ].join('\n')

/** Only blocking findings are failures, so that a passing build has none. */
const testCase = (finding: GateFinding, blocks: boolean): string => {
  const { ruleId, file, region, severity, message, state, reason } = finding
  const name = region === undefined ? ruleId : `${ruleId} at ${region.line}:${region.column}`
  const open = `    <testcase${attributes({ classname: file, name, file, ...optional({ line: region?.line }) })}>`
  const body =
    state !== 'new'
      ? `<skipped${attributes({ message: reason ?? state })}/>`
      : blocks
        ? `<failure${attributes({ message, type: severity })}>${escapeXml(describeFinding(finding))}</failure>`
        : `<system-out>${escapeXml(`${severity} ${describeFinding(finding)}`)}</system-out>`
  return `${open}${body}</testcase>`
}

/** The report for CI servers: one test case per finding, or one passing test case without findings. */
export const writeJunit = (report: GateReport): string => {
  const { findings, policy, stage } = report
  const blocks = (finding: GateFinding) =>
    finding.state === 'new' && isAtLeast(finding.severity, policy.block_on_or_above)
  const counts = {
    tests: Math.max(1, findings.length),
    failures: findings.filter(blocks).length,
    errors: 0,
    skipped: findings.filter(({ state }) => state !== 'new').length,
  }
  const cases = findings.map((finding) => testCase(finding, blocks(finding)))
  if (cases.length === 0) cases.push(`    <testcase${attributes({ classname: 'warrant', name: 'gate' })}/>`)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes(counts)}>`,
    `  <testsuite${attributes({ name: `warrant gate ${stage}`, ...counts })}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')
}
