import type { CommandGroups } from './command/command.ts'

/** The groups of the help text, in its order. A command that no group names is in the last one. */
export const COMMAND_GROUPS: CommandGroups = [
  ['Start here', ['init', 'doctor', 'gate', 'why']],
  ['Servers', ['mcp', 'serve', 'tools', 'print-config']],
  ['Evidence and receipts', ['status', 'checks', 'sdd', 'receipts', 'keys', 'lineage']],
  ['Project', ['report']],
  ['Packets', ['packet']],
  ['Beliefs', ['graph']],
  ['Other', ['hooks', 'hook', 'install', 'update', 'uninstall', 'config', 'completion']],
]
