import { defineFaults } from '../kernel/fault.ts'

export const gateFaults = defineFaults('gate', {
  policy_invalid: {
    kind: 'invalid',
    fix: 'Correct the policy named, or remove it to have the default one.',
  },
  baseline_invalid: { kind: 'invalid', fix: 'Write it anew with `warrant gate baseline`.' },
  baseline_missing: { kind: 'missing', fix: 'Write one with `warrant gate baseline`.' },
  base_missing: {
    kind: 'unavailable',
    fix: 'Set an upstream with `git push -u`, or name the commits with --range A..B.',
  },
  rule_unknown: { kind: 'missing', fix: 'List the rules with gate_explain and no rule.' },
})
