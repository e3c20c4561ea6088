import type { Evidence } from '../../evidence/schema.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { plural } from '../../kernel/text/plural.ts'
import { KEYS_FILE } from '../../receipts/keys-path.ts'
import { CHECKS_FILE, type Check } from '../checks/check.ts'
import type { GateVerdict } from '../judge-evidence.ts'
import type { GatePolicy } from '../policy.ts'
import type { PolicyFiles } from '../policy-files.ts'
import { DEFAULT_PROTECTED_BRANCHES } from '../protected-branches.ts'
import { OVERRIDES_FILE } from '../rules/assemble-rules.ts'
import type { PolicyLine, Reason } from './explanation.ts'
import { findLine, yamlPair } from './member-line.ts'
import { lineInFile, type PolicyVariables, type PolicyVersion, thresholdLines } from './threshold-lines.ts'

type Override = { readonly rule: string; readonly from: string; readonly to: string }

const isOverride = (value: unknown): value is Override =>
  isRecord(value) && [value.rule, value.from, value.to].every((one) => typeof one === 'string')

const keyLine = (text: string | undefined, name: string): number | undefined =>
  findLine(text, (line) => yamlPair(line)?.[0] === name)

/** The first version, the working tree before the base, in which a line is found. */
const locate = (
  versions: readonly PolicyVersion[],
  find: (files: PolicyFiles) => { readonly file: string; readonly line: number | undefined } | undefined,
) => {
  for (const { commit, files } of versions) {
    const found = find(files)
    if (found?.line !== undefined) return { ...found, commit }
  }
  return undefined
}

const overrideLine = ({ rule, from, to }: Override, versions: readonly PolicyVersion[]): PolicyLine => {
  const place = locate(versions, ({ overrides }) => ({
    file: OVERRIDES_FILE,
    line: keyLine(overrides?.text, rule),
  }))
  return lineInFile(OVERRIDES_FILE, `${from} → ${to}`, { ...place, member: `severities.${rule}` })
}

/** The overrides of the run: those of rules that report something, and those that take something away. */
const overrideLines = (
  { snapshot }: Evidence,
  reasons: readonly Reason[],
  versions: readonly PolicyVersion[],
): PolicyLine[] => {
  const list: readonly unknown[] = Array.isArray(snapshot.reweighed_rules) ? snapshot.reweighed_rules : []
  const reporting = new Set(reasons.flatMap(({ rule }) => rule ?? []))
  const aliases = new Set(
    snapshot.findings
      .filter(({ ruleId }) => reporting.has(ruleId))
      .flatMap(({ aliases: names }) => (Array.isArray(names) ? (names as unknown[]) : [])),
  )
  return list
    .filter(isOverride)
    .filter(({ rule, to }) => reporting.has(rule) || aliases.has(rule) || to === 'OFF')
    .map((one) => overrideLine(one, versions))
}

/** The files of the repository's own rules. */
const ruleLines = (reasons: readonly Reason[], versions: readonly PolicyVersion[]): PolicyLine[] =>
  [...new Set(reasons.flatMap(({ rule }) => rule ?? []))].flatMap((rule) => {
    const place = locate(versions, ({ rules }) => {
      const isId = (line: string) => yamlPair(line)?.join() === `id,${rule}`
      return rules
        .map(({ path, text }) => ({ file: path, line: findLine(text, isId) }))
        .find(({ line }) => line)
    })
    return place === undefined ? [] : [lineInFile(place.file, `the rule ${rule}`, place)]
  })

const checkEffect = ({ name, stages, only, thresholds }: Check): string => {
  const limits = Object.entries(thresholds ?? {}).map(([what, percent]) => `${what} ${percent} %`)
  return [
    `the check ${name} is required at ${stages.join(', ')}`,
    ...(only === 'all' ? [] : [`results in ${only.replace('-', ' ')} count`]),
    ...(limits.length === 0 ? [] : [`least coverage: ${limits.join(', ')}`]),
  ].join('; ')
}

/** The declarations of the checks that report something, or that gave no result. */
const checkLines = (reasons: readonly Reason[], versions: readonly PolicyVersion[]): PolicyLine[] => {
  const named = new Set(
    reasons.flatMap(({ check, rule, file, line }) => {
      if (check !== undefined) return check
      if (!rule?.startsWith('gate.check-') || file !== CHECKS_FILE) return []
      return versions.flatMap(({ checks }) => checks.filter((one) => one.line === line)).at(0)?.name ?? []
    }),
  )
  return [...named].flatMap((name) => {
    const version = versions.find(({ checks }) => checks.some((one) => one.name === name))
    const found = version?.checks.find((one) => one.name === name)
    if (found === undefined) return []
    const { commit } = version ?? {}
    return [
      lineInFile(CHECKS_FILE, checkEffect(found), { line: found.line, member: `checks.${name}`, commit }),
    ]
  })
}

/** Weakened files: the version before the change counts as well. */
const weakenedLines = (reasons: readonly Reason[], base: string | undefined): PolicyLine[] =>
  reasons
    .filter(({ rule }) => rule === 'gate.policy-changed')
    .map(({ file = '' }) =>
      lineInFile(file, 'a change is judged by the base too: the stricter version counts', { commit: base }),
    )

const knownLines = ({ snapshot }: Evidence): PolicyLine[] => {
  const { known_findings: known, policy_base: base } = snapshot
  if (typeof known !== 'number' || known === 0) return []
  const where = typeof base === 'string' ? `the base ${base.slice(0, 12)}` : 'the base'
  return [
    {
      where,
      effect: `has ${plural(known, 'finding')} of these files already, which ${known === 1 ? 'does' : 'do'} not count`,
    },
  ]
}

interface LineContext {
  readonly verdict: GateVerdict
  readonly policy: GatePolicy
  readonly evidence: Evidence | undefined
  readonly versions: readonly PolicyVersion[]
  readonly variables: PolicyVariables
  readonly protectedBranches: readonly string[]
  readonly base: string | undefined
}

/** What asks for a receipt: the keys file of the last commit before that of the working tree. */
const receiptLine = (versions: readonly PolicyVersion[]): PolicyLine => {
  const effect = 'evidence needs a receipt by a trusted key'
  const found = versions.findLast(({ files }) => files.keys !== undefined)
  return found === undefined
    ? { where: 'setting requireReceipt', effect }
    : lineInFile(KEYS_FILE, effect, { commit: found.commit })
}

const violationLines = ({ verdict, protectedBranches, versions }: LineContext): PolicyLine[] => {
  const { violations, stage, evidence } = verdict
  const has = (code: string) => violations.some((one) => one.code === code)
  const isDefault = protectedBranches.join() === DEFAULT_PROTECTED_BRANCHES.join()
  return [
    ...(has('EVIDENCE_STALE')
      ? [
          {
            where: `built-in for ${stage}`,
            effect: `evidence is valid for ${evidence.max_age_seconds} seconds`,
          },
        ]
      : []),
    ...(has('EVIDENCE_UNSIGNED') ? [receiptLine(versions)] : []),
    ...(has('GITFLOW_PROTECTED_BRANCH')
      ? [
          {
            where: `setting protectedBranches${isDefault ? ' (default)' : ''}`,
            effect: `agents do not work on ${protectedBranches.join(', ')}`,
          },
        ]
      : []),
  ]
}

/** The specification refuses a stage, whatever its threshold is. */
const specificationLines = (reasons: readonly Reason[]): PolicyLine[] =>
  reasons.some(({ rule }) => rule?.startsWith('sdd.'))
    ? [{ where: 'openspec folder, or setting sdd', effect: 'an open change has to allow the stage' }]
    : []

/** What made the reasons count, and what made other findings not count. */
export const listPolicyLines = (reasons: readonly Reason[], context: LineContext): PolicyLine[] => {
  const { verdict, policy, evidence, versions, variables, base } = context
  // Findings play no part where only the evidence itself is refused.
  const judged = evidence !== undefined && (verdict.allowed || reasons.some(({ rule }) => rule !== undefined))
  const all = [
    ...violationLines(context),
    ...(judged
      ? [
          ...thresholdLines(policy, versions, variables),
          ...specificationLines(reasons),
          ...weakenedLines(reasons, base),
          ...checkLines(reasons, versions),
          ...ruleLines(reasons, versions),
          ...overrideLines(evidence, reasons, versions),
          ...knownLines(evidence),
        ]
      : []),
  ]
  const key = ({ where, effect }: PolicyLine): string => `${where}: ${effect}`
  return [...new Map(all.map((line) => [key(line), line])).values()]
}
