import { defineFaults } from '../../kernel/fault.ts'

export const ruleFaults = defineFaults('rule', {
  unreadable: {
    kind: 'invalid',
    fix: 'Correct the YAML at the place that the message names. A rule file is one YAML document.',
  },
  malformed: {
    kind: 'invalid',
    fix: 'Correct the member that the message names; docs/rules.md describes every member.',
  },
  too_large: { kind: 'exhausted', fix: 'Split the rule or shorten it; docs/rules.md lists the limits.' },
  duplicate: { kind: 'conflict', fix: 'Give each rule a different id.' },
  unknown: {
    kind: 'invalid',
    fix: 'Name a shipped rule; `gate_explain` and docs/reference/rules.md list them. To change a user rule, edit its file.',
  },
  refused: {
    kind: 'invalid',
    fix: 'Correct the rule; `ast-grep test` shows the same error while you write it.',
  },
  scanner_down: {
    kind: 'unavailable',
    fix: 'Check that this machine can start Node.js child processes, then try again.',
  },
})
