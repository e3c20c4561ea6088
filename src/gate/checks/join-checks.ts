import { SEVERITIES } from '../../evidence/compare.ts'
import type { Severity } from '../../evidence/schema.ts'
import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import { listEffects, type PolicyChange } from '../rules/policy-change.ts'
import { CHECK_SCOPES, CHECKS_FILE, type Check, type ChecksFile, type RequiredCheck } from './check.ts'
import { severityOfLevel } from './readers/reader.ts'

/** What decides about a change. Times, variables and hints do not. */
const judgingPart = ({ run, reads, stages, paths, severity, only, thresholds }: Check) =>
  canonicalJson({ run, reads, stages, paths: paths ?? null, severity, only, thresholds: thresholds ?? null })

const isSame = (one: Check, other: Check): boolean =>
  canonicalJson({ ...one, line: 0 }) === canonicalJson({ ...other, line: 0 })

const rank = (severity: Severity | 'OFF'): number => (severity === 'OFF' ? -1 : SEVERITIES.indexOf(severity))

const isLighter = (old: Check, now: Check): boolean =>
  [...new Set([...Object.keys(old.severity), ...Object.keys(now.severity)])].some((level) => {
    const of = ({ severity }: Check) => rank(severity[level] ?? severityOfLevel(level))
    return of(now) < of(old)
  })

const isLower = (old: Check, now: Check): boolean =>
  Object.entries(old.thresholds ?? {}).some(
    ([name, least]) => (now.thresholds?.[name as keyof typeof now.thresholds] ?? 0) < least,
  )

/** How the new version of a check judges less than the old one. A command that differs cannot be compared. */
const weakerParts = (old: Check, now: Check): string[] => {
  const left = old.stages.filter((stage) => !now.stages.includes(stage))
  const samePaths = canonicalJson(old.paths ?? null) === canonicalJson(now.paths ?? null)
  return [
    ...(old.run === now.run ? [] : ['runs another command']),
    ...(old.reads === now.reads ? [] : [`reads ${now.reads} instead of ${old.reads}`]),
    ...(left.length === 0 ? [] : [`no longer runs at ${left.join(', ')}`]),
    ...(samePaths || now.paths === undefined ? [] : ['depends on other paths']),
    ...(isLighter(old, now) ? ['has lower severities'] : []),
    ...(CHECK_SCOPES.indexOf(now.only) < CHECK_SCOPES.indexOf(old.only) ? [`counts ${now.only} only`] : []),
    ...(isLower(old, now) ? ['has lower thresholds'] : []),
  ]
}

interface JoinedChecks {
  readonly required: readonly RequiredCheck[]
  readonly changes: readonly PolicyChange[]
}

const compareChecks = (old: Check | undefined, now: Check | undefined) => {
  if (old === undefined) return { effect: `${now?.name} is added`, weaker: false }
  if (now === undefined) return { effect: `${old.name} is removed`, weaker: true }
  const weaker = weakerParts(old, now)
  return {
    effect: `${now.name} ${weaker.length === 0 ? 'judges more' : weaker.join(', ')}`,
    weaker: weaker.length > 0,
  }
}

/** The checks of both versions. Where the two versions of a check differ, both judge the change. */
export const joinChecks = (base: ChecksFile | undefined, after: ChecksFile | undefined): JoinedChecks => {
  const named = (file: ChecksFile | undefined) => new Map(file?.checks.map((one) => [one.name, one]))
  const [before, now] = [named(base), named(after)]
  const names = [...new Set([...before.keys(), ...now.keys()])].sort()
  const required: RequiredCheck[] = []
  const compared: ReturnType<typeof compareChecks>[] = []
  for (const name of names) {
    const [old, present] = [before.get(name), now.get(name)]
    const same = old && present && judgingPart(old) === judgingPart(present)
    // The very same command was allowed with the other version of the file.
    const digests = [
      ...(present !== undefined && after !== undefined ? [after.digest] : []),
      ...(same && isSame(old, present) && base !== undefined ? [base.digest] : []),
    ]
    if (present !== undefined) required.push({ check: present, digests, ofBase: false })
    if (same) continue
    if (old !== undefined && base !== undefined)
      required.push({ check: old, digests: [base.digest], ofBase: true })
    compared.push(compareChecks(old, present))
  }
  const effect = listEffects(compared.map((one) => one.effect))
  return {
    required,
    changes:
      compared.length === 0
        ? []
        : [{ file: CHECKS_FILE, effect, weaker: compared.some(({ weaker }) => weaker) }],
  }
}
