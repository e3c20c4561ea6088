import { defineFaults } from '../../kernel/fault.ts'

export const ruleFaults = defineFaults('rule', {
  unreadable: {
    kind: 'invalid',
    fix: 'Write the rule as one YAML document; the message says where it breaks.',
  },
  malformed: {
    kind: 'invalid',
    fix: 'Correct the member the message names; docs/rules.md lists all of them.',
  },
  too_large: { kind: 'exhausted', fix: 'Split the rule, or leave out what it does not need.' },
  duplicate: { kind: 'conflict', fix: 'Give each rule an id of its own.' },
  unknown: {
    kind: 'invalid',
    fix: 'Name a shipped rule; `gate_explain` and docs/reference/rules.md list them. A rule of your own is changed in its file.',
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
