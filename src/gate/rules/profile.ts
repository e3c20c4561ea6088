import type { Severity } from '../../evidence/schema.ts'
import { isAtLeast } from '../policy.ts'
import type { Pack } from './packs.ts'

/** `default`: rules whose findings are worth acting on. `seed`: these, and all former rules with their severities. */
export const RULE_PROFILES = ['default', 'seed'] as const
export type RuleProfile = (typeof RULE_PROFILES)[number]

type AnyRule = Pack['rules'][number] | Pack['changes'][number]

/** Severities of ast-grep in ours; `off` has none. */
export const RULE_LEVELS: Readonly<Record<string, Severity>> = {
  error: 'ERROR',
  warning: 'WARN',
  info: 'INFO',
  hint: 'INFO',
}

/** The severity of a shipped rule in a profile; undefined where the rule does not run. */
export const profileSeverity = (rule: AnyRule, profile: RuleProfile): Severity | undefined => {
  const { metadata } = rule
  const severity = metadata?.severity ?? ('severity' in rule ? RULE_LEVELS[rule.severity] : undefined)
  if (profile === 'seed') return metadata?.seedSeverity ?? severity
  if (metadata?.profile === 'seed') return undefined
  // How bad a finding is says nothing about how often it is right.
  const mayBlock = metadata?.blocks !== undefined
  return mayBlock || severity === undefined || !isAtLeast(severity, 'ERROR') ? severity : 'WARN'
}

/** A rule with further names: those of its former versions. */
interface NamedRule {
  readonly id: string
  readonly aliases?: readonly string[]
}

/** Whether one of two rules has the other's id as a further name. */
export const areAliases = (byId: ReadonlyMap<string, NamedRule>, one: string, other: string): boolean =>
  byId.get(one)?.aliases?.includes(other) === true || byId.get(other)?.aliases?.includes(one) === true

/** Whether the id is a further name of another rule: the rule itself is kept for the profile `seed`. */
export const isFormerName = (byId: ReadonlyMap<string, NamedRule>, id: string): boolean =>
  [...byId.values()].some(({ aliases }) => aliases?.includes(id) === true)
