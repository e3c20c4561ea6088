import {
  HARD_MODE_FILE,
  isAtLeast,
  POLICY_STAGES,
  type PolicySources,
  resolvePolicy,
  SKILLS_FILE,
} from './policy.ts'
import { listEffects, type PolicyChange } from './rules/policy-change.ts'

/** The effect of other policy files on the thresholds of all stages. */
const compareThresholds = (
  before: PolicySources,
  after: PolicySources,
): { readonly effect: string; readonly weaker: boolean } => {
  const effects: string[] = []
  let weaker = false
  for (const stage of POLICY_STAGES) {
    const [old, present] = [resolvePolicy(stage, before), resolvePolicy(stage, after)]
    for (const [word, member] of [
      ['blocks', 'block_on_or_above'],
      ['warns', 'warn_on_or_above'],
    ] as const) {
      if (old[member] === present[member]) continue
      effects.push(`${stage} ${word} at ${present[member]} instead of ${old[member]}`)
      weaker ||= !isAtLeast(old[member], present[member])
    }
  }
  return { effect: effects.length === 0 ? 'the thresholds stay the same' : listEffects(effects), weaker }
}

/** What the change alters in the thresholds: the effect on all stages, named by the files that differ. */
export const thresholdChanges = (base: PolicySources, after: PolicySources): PolicyChange[] => {
  const differing = [
    ...(base.hardFile === after.hardFile ? [] : [HARD_MODE_FILE]),
    ...(base.skillsFile === after.skillsFile ? [] : [SKILLS_FILE]),
  ]
  if (differing.length === 0) return []
  const comparison = compareThresholds(base, after)
  return differing.map((file) => ({ file, ...comparison }))
}

/** Hard mode that the environment relaxes for this run. */
export const environmentChanges = (
  after: PolicySources,
  variables: Pick<PolicySources, 'hardMode' | 'hardProfile'>,
): PolicyChange[] => {
  if (variables.hardMode === undefined && variables.hardProfile === undefined) return []
  const { effect, weaker } = compareThresholds(after, { ...after, ...variables })
  if (!weaker) return []
  const change = { file: HARD_MODE_FILE, effect: `the environment relaxes hard mode: ${effect}` }
  // Existing clients rely on the variables, so this is a warning and not a weakening of the repository.
  return [{ ...change, weaker: false, fromEnvironment: true }]
}
