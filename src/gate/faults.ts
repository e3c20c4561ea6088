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
  base_missing: {
    kind: 'unavailable',
    fix: 'Fetch the commits, or name others with --range A..B.',
  },
  event_invalid: {
    kind: 'invalid',
    fix: 'Check the variables of the build server, or name the commits with --range A..B.',
  },
  push_invalid: {
    kind: 'invalid',
    fix: 'Push the ref that the message names on its own, after you checked what it contains, or name the commits with --range A..B.',
  },
  checks_invalid: {
    kind: 'invalid',
    fix: 'Correct the member that the message names; docs/checks.md describes every member.',
  },
  acceptances_invalid: {
    kind: 'invalid',
    fix: 'Correct the member that the message names; docs/gate.md describes every member.',
  },
  checks_missing: {
    kind: 'missing',
    fix: 'Write one from the tools that the repository declares: warrant checks suggest --write',
  },
  checks_not_allowed: {
    kind: 'refused',
    fix: 'A person reads the commands and allows them in a terminal: warrant checks allow',
  },
  import_unknown: {
    kind: 'invalid',
    fix: 'Write --import FORMAT=FILE, or --import CHECK=FILE with a check of .warrant/checks.yml.',
  },
  rule_unknown: { kind: 'missing', fix: 'Call gate_explain without a rule to list all rules.' },
})
