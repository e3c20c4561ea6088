import { compareText } from '../../evidence/compare.ts'
import type { Severity } from '../../evidence/schema.ts'
import { optional } from '../../kernel/optional.ts'
import { gateFaults } from '../faults.ts'
import type { Pack, ShippedRules } from './packs.ts'
import { profileSeverity } from './profile.ts'

export interface ExplainRequest {
  readonly rule: string | undefined
}

type RuleCard = {
  readonly id: string
  readonly pack: string
  readonly severity: Severity
  /** Present when the rule runs in this profile only. */
  readonly profile?: 'seed'
  /** The severity in the profile `seed`, where it is another. */
  readonly seedSeverity?: Severity
  /** Why it may block: `certain`, or the group of rules that was measured. */
  readonly blocks?: string
  readonly message: string
  /** Further names of the rule. */
  readonly aliases?: readonly string[]
  readonly why?: string
  readonly fix?: string
  /** Examples of code that the rule accepts, and of code that it reports. */
  readonly valid?: readonly string[]
  readonly invalid?: readonly string[]
}

/** One rule with all details, or every rule with its message only. */
export interface Explanation {
  readonly rules: readonly RuleCard[]
}

/** Examples by rule id, taken from the tests of the rules. */
export type Examples = Readonly<
  Record<string, { readonly valid: readonly string[]; readonly invalid: readonly string[] }>
>

interface ExplainSources {
  readonly shippedRules: ShippedRules
  readonly userRules: Pack | undefined
  readonly examples: () => Promise<Examples>
}

const toCard = (
  { name: pack }: Pack,
  rule: Pack['rules'][number] | Pack['changes'][number],
  isShipped: boolean,
): RuleCard => {
  const { id, message, metadata } = rule
  const { profile, seedSeverity, blocks } = metadata ?? {}
  return {
    id,
    pack,
    severity: (isShipped && profileSeverity(rule, 'default')) || profileSeverity(rule, 'seed') || 'INFO',
    ...optional({ profile, seedSeverity, blocks }),
    message,
    ...optional({ aliases: metadata?.aliases, why: metadata?.why, fix: metadata?.fix }),
  }
}

const listCards = ({ packs, aliases }: ShippedRules, userRules: Pack | undefined): RuleCard[] => {
  const all = userRules === undefined ? packs : [...packs, userRules]
  const cards = all.flatMap((pack) =>
    [...pack.rules, ...pack.changes].map((rule) => toCard(pack, rule, pack !== userRules)),
  )
  const aliased = aliases.flatMap(({ id, of, severity }) => {
    const card = cards.find((one) => one.id === of)
    return card === undefined ? [] : [{ ...card, id, severity, profile: 'seed' as const, pack: 'skills' }]
  })
  return [...cards, ...aliased].sort((a, b) => compareText(a.id, b.id))
}

export const explainRules = async (
  { rule }: ExplainRequest,
  { shippedRules, userRules, examples }: ExplainSources,
): Promise<Explanation> => {
  const cards = listCards(shippedRules, userRules)
  if (rule === undefined) {
    const short = cards.map(({ id, pack, severity, profile, message }) => ({
      id,
      pack,
      severity,
      ...optional({ profile }),
      message,
    }))
    return { rules: short }
  }
  const card = cards.find(({ id }) => id === rule) ?? cards.find(({ aliases }) => aliases?.includes(rule))
  if (card === undefined) throw gateFaults.rule_unknown(`no rule is called ${JSON.stringify(rule)}`)
  const source = shippedRules.aliases.find(({ id }) => id === rule)?.of ?? card.id
  const known = await examples()
  const shown = Object.hasOwn(known, source) ? known[source] : undefined
  return { rules: [{ ...card, ...shown }] }
}
