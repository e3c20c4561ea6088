import { defineFaults } from '../kernel/fault.ts'

export const gateFaults = defineFaults('gate', {
  policy_invalid: {
    kind: 'invalid',
    fix: 'Correct the file or variable that the message names, or remove it to use the default policy.',
  },
  file_unusable: {
    kind: 'invalid',
    fix: 'Replace it by a regular file or folder inside the repository that this user may read, or remove it.',
  },
  baseline_invalid: { kind: 'invalid', fix: 'Write it again with `warrant gate baseline`.' },
  baseline_missing: { kind: 'missing', fix: 'Write one with `warrant gate baseline`.' },
  base_missing: {
    kind: 'unavailable',
    fix: 'Name the commits with --range A..B. Before the first push of a repository, run `warrant gate --all`, then `git push --no-verify -u`.',
  },
  rule_unknown: { kind: 'missing', fix: 'Call gate_explain without a rule to list all rules.' },
})
