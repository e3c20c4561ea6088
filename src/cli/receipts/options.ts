import { KEY_ROLES } from '../../receipts/keys-path.ts'
import type { Option } from '../command/command.ts'

const KEY_OPTIONS: readonly Option[] = [
  { flag: 'owner', kind: 'text', value: 'NAME', description: 'With keys add: who holds the key.' },
  {
    flag: 'role',
    kind: 'text',
    value: 'ROLE',
    description: 'With keys add: whose work the key signs. Default: developer.',
    choices: KEY_ROLES,
  },
  {
    flag: 'from',
    kind: 'text',
    value: 'DAY',
    description:
      'With keys add: receipts of earlier days do not count. With keys revoke: from when on; default: now.',
  },
  {
    flag: 'until',
    kind: 'text',
    value: 'DAY',
    description: 'With keys add: receipts from that day on do not count.',
  },
]

export const RECEIPT_OPTIONS: readonly Option[] = [
  ...KEY_OPTIONS,
  {
    flag: 'yes',
    kind: 'switch',
    description: 'With keys add, keys revoke or require: write without a terminal.',
  },
  { flag: 'limit', kind: 'text', value: 'N', description: 'With list: how many, newest first. Default: 20.' },
  {
    flag: 'judge',
    kind: 'switch',
    description: 'With check: judge the commits without a receipt now, as the hook would have.',
  },
  {
    flag: 'output',
    kind: 'text',
    value: 'FILE',
    description: 'With export: write to a file instead of printing.',
  },
  {
    flag: 'proof',
    kind: 'switch',
    description: 'With export --output: also write FILE.tlog-proof, for lineage-verify.',
  },
]
