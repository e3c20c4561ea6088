import type { Option } from '../command/command.ts'

export const LINEAGE_VERBS: readonly string[] = [
  'log',
  'show',
  'diff',
  'verify',
  'replay',
  'export',
  'publish',
  'prove',
  'consistency',
  'checkpoint',
  'repair',
  'erase',
  'adopt',
]

/** Options of `warrant lineage` in addition to the settings. */
export const LINEAGE_OPTIONS: readonly Option[] = [
  {
    flag: 'bundle',
    kind: 'switch',
    description: 'With export: include genesis, checkpoint and key, for the stand-alone verifier.',
  },
  {
    flag: 'checkpoint',
    kind: 'text',
    value: 'FILE',
    description: 'With consistency or verify: an older checkpoint to compare with.',
  },
  {
    flag: 'key',
    kind: 'text',
    value: 'VERIFIER',
    description: 'With consistency or verify: the key that must have signed it.',
  },
  {
    flag: 'reason',
    kind: 'text',
    value: 'TEXT',
    description: 'With erase: the reason, which the log records.',
  },
  {
    flag: 'tlog',
    kind: 'switch',
    description: 'With prove: print a tlog-proof with entry, payload and a signed checkpoint.',
  },
  {
    flag: 'limit',
    kind: 'text',
    value: 'N',
    description: 'With log: the number of entries to list. Default: 30.',
  },
  {
    flag: 'operation',
    kind: 'text',
    value: 'NAME',
    description: 'With log: list only the entries of this operation, such as gate_run.',
  },
  {
    flag: 'since',
    kind: 'text',
    value: 'TIME',
    description: 'With log: list only entries from this time on, such as 2026-01-31.',
  },
]
