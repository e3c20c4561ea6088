import type { Severity } from '../../evidence/schema.ts'
import type { ShippedRules } from './packs.ts'

/** Where a repository says how much rules of ours weigh in it: beside rules of its own, and like them committed. */
export const OVERRIDES_NAME = 'severities.yml'

export type SeverityOverride = Severity | 'OFF'

/** A rule of ours that weighs something else here. */
export interface AppliedOverride {
  readonly rule: string
  readonly from: Severity
  readonly to: SeverityOverride
}

export interface SeverityOverrides {
  readonly of: ReadonlyMap<string, SeverityOverride>
  readonly list: readonly AppliedOverride[]
  readonly digest: string
}

export const NO_OVERRIDES: SeverityOverrides = { of: new Map(), list: [], digest: '' }

/** The words of ast-grep for the same four ranks; a rule that is `off` has none. */
export const RULE_LEVELS: Readonly<Record<string, Severity>> = {
  error: 'ERROR',
  warning: 'WARN',
  info: 'INFO',
  hint: 'INFO',
}

/** What rules weigh as they are shipped, by every name they have. */
export const shippedOverrides = ({ packs, relabels }: ShippedRules): ReadonlyMap<string, Severity> =>
  new Map([
    ...packs.flatMap(({ rules, changes }) => [
      ...rules.map(
        ({ id, severity, metadata }) => [id, metadata?.severity ?? RULE_LEVELS[severity] ?? 'INFO'] as const,
      ),
      ...changes.map(({ id, metadata }) => [id, metadata.severity] as const),
    ]),
    ...relabels.map(({ id, severity }) => [id, severity] as const),
  ])
