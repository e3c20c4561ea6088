import type { Option } from '../../../surfaces/cli/command.ts'

/** What can be asked of `warrant lineage`, beside the settings. */
export const LINEAGE_OPTIONS: readonly Option[] = [
  {
    flag: 'bundle',
    kind: 'switch',
    description: 'With export: add genesis, checkpoint and key, for the stand-alone verifier.',
  },
  {
    flag: 'checkpoint',
    kind: 'text',
    value: 'FILE',
    description: 'With consistency, and with verify of a bundle: an older checkpoint.',
  },
  {
    flag: 'key',
    kind: 'text',
    value: 'VERIFIER',
    description: 'With the same: who must have signed it.',
  },
  { flag: 'reason', kind: 'text', value: 'TEXT', description: 'With erase: why, for the log.' },
]
