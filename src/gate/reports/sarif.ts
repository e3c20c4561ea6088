import { compareText } from '../../evidence/compare.ts'
import type { Severity } from '../../evidence/schema.ts'
import { optional } from '../../kernel/optional.ts'
import type { GateFinding, GateRun, Region } from './report.ts'

const LEVELS: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  CRITICAL: 'error',
  ERROR: 'error',
  WARN: 'warning',
  INFO: 'note',
}

/** Scores from 0 to 10, by which code scanning sorts findings about security: critical from 9, high from 7, medium from 4. */
const SECURITY_SEVERITIES: Readonly<Record<Severity, string>> = {
  CRITICAL: '9.5',
  ERROR: '8.0',
  WARN: '5.0',
  INFO: '2.0',
}
const SECURITY = new Set(['security', 'secrets'])

/** The properties of a rule. Only findings about security have a score: it would rank a left-over print as a weakness. */
const ruleProperties = ({ severity, category, cwe }: GateFinding) => {
  const isSecurity = cwe !== undefined || SECURITY.has(category ?? '')
  const names = [
    ...(isSecurity ? ['security'] : []),
    ...(category === undefined ? [] : [category]),
    // The form that code scanning recognizes.
    ...(cwe === undefined ? [] : [`external/cwe/${cwe.toLowerCase()}`]),
  ]
  return {
    severity,
    ...(names.length > 0 && { tags: [...new Set(names)] }),
    ...(isSecurity && { 'security-severity': SECURITY_SEVERITIES[severity] }),
  }
}

/** A path as a relative URI. Segments are percent-encoded, so that no name reads as a scheme or a query. */
const toUri = (file: string): string => file.toWellFormed().split('/').map(encodeURIComponent).join('/')

/** The page of the weakness that a rule is about. */
const helpUri = (cwe: string | undefined) => {
  const number = cwe?.match(/\d+/)?.[0]
  return number === undefined ? {} : { helpUri: `https://cwe.mitre.org/data/definitions/${number}.html` }
}

const toRule = (finding: GateFinding) => {
  const { ruleId, severity, message, why, fix, code, cwe } = finding
  const help = [why, fix].filter((part) => part !== undefined).join('\n\n') || message
  return {
    id: ruleId,
    name: code,
    shortDescription: { text: message },
    fullDescription: { text: why ?? message },
    help: { text: help },
    ...helpUri(cwe),
    defaultConfiguration: { level: LEVELS[severity] },
    properties: ruleProperties(finding),
  }
}

const listRules = (findings: readonly GateFinding[]) => {
  const first = new Map<string, GateFinding>()
  for (const finding of findings) if (!first.has(finding.ruleId)) first.set(finding.ruleId, finding)
  return [...first.values()].map(toRule).sort((a, b) => compareText(a.id, b.id))
}

const toSarifRegion = ({ line, column, endLine, endColumn }: Region) => ({
  startLine: line,
  startColumn: column,
  endLine,
  endColumn,
})

const toFixes = ({ file, fix, message, edit }: GateFinding) =>
  edit === undefined
    ? {}
    : {
        fixes: [
          {
            description: { text: fix ?? message },
            artifactChanges: [
              {
                artifactLocation: { uri: toUri(file), uriBaseId: '%SRCROOT%' },
                replacements: [
                  { deletedRegion: toSarifRegion(edit.range), insertedContent: { text: edit.text } },
                ],
              },
            ],
          },
        ],
      }

const toLocation = (finding: GateFinding, { excerpts }: GateRun) => {
  const { file, region } = finding
  const excerpt = excerpts.get(finding)
  return {
    physicalLocation: {
      artifactLocation: { uri: toUri(file), uriBaseId: '%SRCROOT%' },
      ...optional({ region: region && toSarifRegion(region) }),
      ...(region !== undefined &&
        excerpt !== undefined && {
          contextRegion: {
            startLine: excerpt.first,
            endLine: excerpt.first + excerpt.lines.length - 1,
            snippet: { text: excerpt.lines.join('\n') },
          },
        }),
    },
  }
}

const toResult = (finding: GateFinding, run: GateRun, ruleIndex: number) => {
  const { state, reason, severity, ruleId, message, fingerprint, entered } = finding
  return {
    ruleId,
    ruleIndex,
    level: LEVELS[severity],
    message: { text: message },
    locations: [toLocation(finding, run)],
    partialFingerprints: { 'warrant/v1': fingerprint },
    ...(run.report.source !== 'git:repository' && { baselineState: state === 'known' ? 'unchanged' : 'new' }),
    ...(state === 'suppressed' && {
      suppressions: [{ kind: 'inSource', status: 'accepted', ...(reason && { justification: reason }) }],
    }),
    ...toFixes(finding),
    properties: { severity, ...optional({ entered }) },
  }
}

/** The report for code scanning: SARIF 2.1.0 with one run. */
export const writeSarif = (run: GateRun, version: string): string => {
  const { findings, stage, status } = run.report
  const rules = listRules(findings)
  const places = new Map(rules.map(({ id }, at) => [id, at]))
  return JSON.stringify(
    {
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'Warrant', semanticVersion: version, rules } },
          automationDetails: { id: `warrant/${stage}/` },
          columnKind: 'utf16CodeUnits',
          invocations: [{ executionSuccessful: true, exitCode: status === 'BLOCKED' ? 1 : 0 }],
          results: findings.map((finding) => toResult(finding, run, places.get(finding.ruleId) ?? -1)),
        },
      ],
    },
    null,
    2,
  )
}
