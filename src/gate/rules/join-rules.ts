import { SEVERITIES } from '../../evidence/compare.ts'
import type { Severity } from '../../evidence/schema.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import type { Pack } from './packs.ts'
import { listEffects, type PolicyChange } from './policy-change.ts'
import { RULE_LEVELS } from './profile.ts'
import type { ChangeFile, RuleFile } from './rule.ts'

/** The rules of a repository, and the file of each. */
export interface UserRules {
  readonly pack: Pack
  readonly paths: ReadonlyMap<string, string>
}

type AnyRule = RuleFile | ChangeFile

const isContent = (rule: AnyRule): rule is RuleFile => !('changes' in rule)

/** Everything that decides where a rule matches. */
const matching = (rule: AnyRule): string => {
  const { platform, languages, production, secret } = rule.metadata ?? {}
  if (!isContent(rule)) return JSON.stringify([rule.changes, platform])
  const { files, ignores } = rule
  if ('text' in rule) return JSON.stringify([rule.text, files, ignores, platform, production, secret])
  const { language, rule: matcher, constraints, utils } = rule
  return JSON.stringify([
    language,
    matcher,
    constraints,
    utils,
    files,
    ignores,
    platform,
    languages,
    production,
  ])
}

/** Undefined when the rule is off. */
const severityOf = (rule: AnyRule): Severity | undefined => {
  if (!isContent(rule)) return rule.metadata.severity
  return rule.severity === 'off' ? undefined : (rule.metadata?.severity ?? RULE_LEVELS[rule.severity])
}

const rankOf = (rule: AnyRule): number => {
  const severity = severityOf(rule)
  return severity === undefined ? -1 : SEVERITIES.indexOf(severity)
}

const withSeverityOf = (rule: AnyRule, other: AnyRule): AnyRule => {
  const severity = severityOf(other)
  if (severity === undefined) return rule
  const level = isContent(rule) && isContent(other) ? { severity: other.severity } : {}
  return { ...rule, ...level, metadata: { ...rule.metadata, severity } } as AnyRule
}

interface JoinedRule {
  readonly rules: readonly AnyRule[]
  readonly effect: string | undefined
  readonly weaker: boolean
}

/** Both versions of one rule. Whether another matcher finds less cannot be computed, so both run. */
const joinRule = (id: string, base: AnyRule | undefined, after: AnyRule | undefined): JoinedRule => {
  if (after === undefined)
    return { rules: base === undefined ? [] : [base], effect: `${id} is removed`, weaker: true }
  if (base === undefined) return { rules: [after], effect: `${id} is new`, weaker: false }
  const stricter = rankOf(base) > rankOf(after) ? base : after
  const latest = withSeverityOf(after, stricter)
  if (matching(base) !== matching(after))
    return {
      rules: [withSeverityOf(base, stricter), latest],
      effect: `${id} matches other code`,
      weaker: true,
    }
  if (rankOf(base) !== rankOf(after)) {
    const effect = `${id}: ${severityOf(base) ?? 'OFF'} → ${severityOf(after) ?? 'OFF'}`
    return { rules: [latest], effect, weaker: stricter === base }
  }
  const reworded = JSON.stringify(base) !== JSON.stringify(after)
  return { rules: [latest], effect: reworded ? `${id} is reworded` : undefined, weaker: false }
}

const rulesOf = (rules: UserRules | undefined): ReadonlyMap<string, AnyRule> =>
  new Map(rules === undefined ? [] : [...rules.pack.rules, ...rules.pack.changes].map((one) => [one.id, one]))

/** The rules of both versions, each with its higher severity; and what the change alters, by file. */
export const joinUserRules = (
  base: UserRules | undefined,
  after: UserRules | undefined,
): { readonly userRules: UserRules | undefined; readonly changes: readonly PolicyChange[] } => {
  const [before, present] = [rulesOf(base), rulesOf(after)]
  const ids = [...new Set([...before.keys(), ...present.keys()])].sort()
  const joined = ids.map((id) => ({ id, ...joinRule(id, before.get(id), present.get(id)) }))
  const paths = new Map([...(base?.paths ?? []), ...(after?.paths ?? [])])
  const altered = joined.filter(({ effect }) => effect !== undefined)
  const files = [...new Set(altered.map(({ id }) => paths.get(id) ?? ''))]
  const changes = files.map((file) => {
    const inFile = altered.filter(({ id }) => paths.get(id) === file)
    return {
      file,
      effect: listEffects(inFile.map(({ effect = '' }) => effect)),
      weaker: inFile.some(({ weaker }) => weaker),
    }
  })
  const all = joined.flatMap(({ rules }) => rules)
  const pack = (after ?? base)?.pack
  if (pack === undefined) return { userRules: undefined, changes }
  const content = {
    rules: all.filter(isContent),
    changes: all.filter((one): one is ChangeFile => !isContent(one)),
  }
  return { userRules: { pack: { ...pack, digest: digestJson(content), ...content }, paths }, changes }
}
