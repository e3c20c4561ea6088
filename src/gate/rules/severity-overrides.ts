import type { Severity } from '../../evidence/schema.ts'
import type { RuleBook } from './packs.ts'

/** Where a repository says how much rules of ours weigh in it: beside rules of its own, and like them committed. */
export const WEIGHTS_NAME = 'severities.yml'

export type Weight = Severity | 'OFF'

/** A rule of ours that weighs something else here. */
export interface Reweighed {
  readonly rule: string
  readonly from: Severity
  readonly to: Weight
}

export interface Weights {
  readonly of: ReadonlyMap<string, Weight>
  readonly list: readonly Reweighed[]
  readonly digest: string
}

export const NO_WEIGHTS: Weights = { of: new Map(), list: [], digest: '' }

/** The words of ast-grep for the same four ranks; a rule that is `off` has none. */
export const RULE_LEVELS: Readonly<Record<string, Severity>> = {
  error: 'ERROR',
  warning: 'WARN',
  info: 'INFO',
  hint: 'INFO',
}

/** What rules weigh as they are shipped, by every name they have. */
export const shippedWeights = ({ packs, relabels }: RuleBook): ReadonlyMap<string, Severity> =>
  new Map([
    ...packs.flatMap(({ rules, changes }) => [
      ...rules.map(
        ({ id, severity, metadata }) => [id, metadata?.severity ?? RULE_LEVELS[severity] ?? 'INFO'] as const,
      ),
      ...changes.map(({ id, metadata }) => [id, metadata.severity] as const),
    ]),
    ...relabels.map(({ id, severity }) => [id, severity] as const),
  ])
