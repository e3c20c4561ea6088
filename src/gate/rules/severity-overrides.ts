import type { Severity } from '../../evidence/schema.ts'
import type { ShippedRules } from './packs.ts'

/** The file in which a repository overrides severities of shipped rules; it lies beside the user rules. */
export const OVERRIDES_NAME = 'severities.yml'

type SeverityOverride = Severity | 'OFF'

/** A shipped rule whose severity the repository overrides. */
export interface AppliedOverride {
  readonly rule: string
  readonly from: Severity
  readonly to: SeverityOverride
}

export interface SeverityOverrides {
  readonly byRule: ReadonlyMap<string, SeverityOverride>
  readonly list: readonly AppliedOverride[]
  readonly digest: string
}

export const NO_OVERRIDES: SeverityOverrides = { byRule: new Map(), list: [], digest: '' }

/** Severities of ast-grep in ours; `off` has none. */
export const RULE_LEVELS: Readonly<Record<string, Severity>> = {
  error: 'ERROR',
  warning: 'WARN',
  info: 'INFO',
  hint: 'INFO',
}

/** The severities of shipped rules, by id and alias. */
export const shippedSeverities = ({ packs, aliases }: ShippedRules): ReadonlyMap<string, Severity> =>
  new Map([
    ...packs.flatMap(({ rules, changes }) => [
      ...rules.map(
        ({ id, severity, metadata }) => [id, metadata?.severity ?? RULE_LEVELS[severity] ?? 'INFO'] as const,
      ),
      ...changes.map(({ id, metadata }) => [id, metadata.severity] as const),
    ]),
    ...aliases.map(({ id, severity }) => [id, severity] as const),
  ])
