import type { Option } from '../command/command.ts'

export const LOG_VERBS: readonly string[] = [
  'entries',
  'graph',
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

/** Options of `warrant log` in addition to the settings. */
export const LOG_OPTIONS: readonly Option[] = [
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
    description: 'Events, or with entries: entries to list. Default: 30.',
  },
  {
    flag: 'operation',
    kind: 'text',
    value: 'NAME',
    description: 'With entries: list only those of this operation, such as gate_run.',
  },
  {
    flag: 'since',
    kind: 'text',
    value: 'TIME',
    description: 'List only what happened since then: 7d, 12h, 2026-01-31.',
  },
  {
    flag: 'client',
    kind: 'text',
    value: 'NAME',
    description: 'List only events of this client, such as claude.',
  },
  { flag: 'session', kind: 'text', value: 'ID', description: 'List only events of this session.' },
  {
    flag: 'path',
    kind: 'text',
    value: 'TEXT',
    description: 'List only writes of a path that contains this text.',
  },
  { flag: 'refused', kind: 'switch', description: 'List only what was refused, or put to the user.' },
  { flag: 'svg', kind: 'switch', description: 'With graph show: print SVG.' },
  { flag: 'dot', kind: 'switch', description: 'With graph show: print Graphviz source.' },
  { flag: 'mermaid', kind: 'switch', description: 'With graph show: print Mermaid source.' },
]
