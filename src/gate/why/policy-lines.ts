import { CHECK_SOURCE, CHECKS_FILE, type Check, RESULT_SOURCE } from '../checks/check.ts'
import { loadChecks } from '../checks/load-checks.ts'
import { POLICY_CHANGED_RULE } from '../findings/policy-findings.ts'
import type { GatePolicy } from '../policy.ts'
import { type PolicyFiles, ruleSources, unlessInvalid } from '../policy-files.ts'
import type { GateFinding } from '../reports/report.ts'
import { OVERRIDES_FILE } from '../rules/assemble-rules.ts'
import type { AppliedOverride } from '../rules/severity-overrides.ts'
import type { PolicyLine } from './explanation.ts'
import { findLine, yamlPair } from './member-line.ts'
import { lineInFile, type PolicyVariables, type PolicyVersion, thresholdLines } from './threshold-lines.ts'

type Override = Pick<AppliedOverride, 'rule' | 'from' | 'to'>
type Reported = Pick<GateFinding, 'ruleId' | 'aliases' | 'source' | 'file' | 'region'>

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
  const place = locate(versions, (files) => ({
    file: OVERRIDES_FILE,
    line: keyLine(files.get(OVERRIDES_FILE), rule),
  }))
  return lineInFile(OVERRIDES_FILE, `${from} → ${to}`, { ...place, member: `severities.${rule}` })
}

/** The overrides of the run: those of rules that report something, and those that take something away. */
const overrideLines = (
  overrides: readonly Override[],
  reasons: readonly Reported[],
  versions: readonly PolicyVersion[],
): PolicyLine[] => {
  const reporting = new Set(reasons.flatMap(({ ruleId, aliases = [] }) => [ruleId, ...aliases]))
  return overrides
    .filter(({ rule, to }) => reporting.has(rule) || to === 'OFF')
    .map((one) => overrideLine(one, versions))
}

/** The files of the repository's own rules. */
const ruleLines = (reasons: readonly Reported[], versions: readonly PolicyVersion[]): PolicyLine[] =>
  [...new Set(reasons.map(({ ruleId }) => ruleId))].flatMap((rule) => {
    const place = locate(versions, (files) => {
      const isId = (line: string) => yamlPair(line)?.join() === `id,${rule}`
      return ruleSources(files)
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
const checkLines = async (
  reasons: readonly Reported[],
  versions: readonly PolicyVersion[],
): Promise<PolicyLine[]> => {
  const found = reasons.filter(({ file, source }) => file === CHECKS_FILE || source.startsWith(RESULT_SOURCE))
  if (found.length === 0) return []
  const declared = await Promise.all(
    versions.map(async ({ commit, files }) => {
      const checks = await unlessInvalid(loadChecks(files.get(CHECKS_FILE)), [])
      return checks.map(({ check }) => ({ commit, check }))
    }),
  )
  const isMeant = ({ source, region }: Reported, { name, line }: Check) =>
    source === `${RESULT_SOURCE}${name}` || (source === CHECK_SOURCE && region?.line === line)
  const firsts = new Map<string, PolicyLine>()
  for (const { commit, check } of declared.flat())
    if (!firsts.has(check.name) && found.some((one) => isMeant(one, check))) {
      const place = { line: check.line, member: `checks.${check.name}`, commit }
      firsts.set(check.name, lineInFile(CHECKS_FILE, checkEffect(check), place))
    }
  return [...firsts.values()]
}

/** Weakened files: the version before the change counts as well. */
const weakenedLines = (reasons: readonly Reported[], base: string | undefined): PolicyLine[] =>
  reasons
    .filter(({ ruleId }) => ruleId === POLICY_CHANGED_RULE)
    .map(({ file }) =>
      lineInFile(file, 'the version before the change applies too, until the change is merged', {
        commit: base,
      }),
    )

interface LineContext {
  readonly policy: GatePolicy
  /** The judged version first, then the base that it was joined with. */
  readonly versions: readonly PolicyVersion[]
  readonly variables: PolicyVariables
  readonly overrides: readonly Override[]
}

/** What made the findings of a blocked run count: files with their lines, variables, and what is built in. */
export const listPolicyLines = async (
  reasons: readonly Reported[],
  { policy, versions, variables, overrides }: LineContext,
): Promise<PolicyLine[]> => {
  const base = versions.findLast(({ commit }) => commit !== undefined)?.commit
  const all = [
    ...thresholdLines(policy, versions, variables),
    ...(reasons.some(({ ruleId }) => ruleId.startsWith('sdd.')) ? [SPECIFICATION] : []),
    ...weakenedLines(reasons, base),
    ...(await checkLines(reasons, versions)),
    ...ruleLines(reasons, versions),
    ...overrideLines(overrides, reasons, versions),
  ]
  return [...new Map(all.map((line) => [`${line.where}: ${line.effect}`, line])).values()]
}

/** The specification refuses a stage, whatever its threshold is. */
const SPECIFICATION: PolicyLine = {
  where: 'openspec folder, or setting sdd',
  effect: 'an open change has to allow the stage',
}
