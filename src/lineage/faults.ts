import { defineFaults } from '../kernel/fault.ts'

export const storeFaults = defineFaults('store', {
  genesis: {
    kind: 'conflict',
    fix: 'Use the settings the log was made with, or another --graph.',
  },
  unreachable: {
    kind: 'unavailable',
    fix: 'Check that the database is up and the --store address is right.',
  },
  busy: { kind: 'unavailable', fix: 'Another process is writing; try again.' },
  damaged: { kind: 'corrupt', fix: 'Run `warrant lineage verify` to see where, then restore a copy.' },
  address: { kind: 'invalid', fix: 'Name a file, or a postgres:// address.' },
  name: { kind: 'invalid', fix: 'Use 1 to 64 letters, digits, dots, underscores and hyphens.' },
  newer: { kind: 'invalid', fix: 'Use the version of warrant that wrote it, or a later one.' },
  absent: { kind: 'missing', fix: 'Ask only for what the log holds.' },
  unknown: {
    kind: 'missing',
    fix: 'List what there is with `warrant graph ls`; --root and --store say where to look. A graph is made by the first call to a server.',
  },
  kept: { kind: 'refused', fix: 'Leave it: it is what explains the payload that is gone.' },
  full: { kind: 'exhausted', fix: 'Make room where the log is kept, then try again.' },
  unsettled: {
    kind: 'unavailable',
    fix: 'Look at the log before you try again: the entries may have been added.',
  },
})
