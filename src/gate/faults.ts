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
    fix: 'Name the commits with --range A..B. A first push has nothing to be compared with: run `warrant gate --all`, then `git push --no-verify -u`.',
  },
  rule_unknown: { kind: 'missing', fix: 'List the rules with gate_explain and no rule.' },
})
