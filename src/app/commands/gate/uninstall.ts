import { uninstall } from '../../../gate/install/install.ts'
import { escapeLineBreaks } from '../../../kernel/text/escape-text.ts'
import type { Invocation } from '../../../surfaces/cli/command.ts'
import { openRepositoryForCommand } from '../../open/repository.ts'
import { loadSettings } from '../../process-context.ts'
import { printOutput } from '../print-output.ts'
import { requireWritable } from '../require-writable.ts'
import { hookTable } from './hooks.ts'
import { installPorts } from './install-ports.ts'

export const run = async (invocation: Invocation): Promise<number> => {
  const { config } = loadSettings(invocation)
  requireWritable(config, '`warrant uninstall`')
  const context = await openRepositoryForCommand(config)
  const purge = invocation.flags['purge-artifacts'] === true
  const report = await uninstall(installPorts(context), purge, context.signal)
  const removed = escapeLineBreaks(`removed  ${report.removed.join(', ') || 'no files'}`)
  const receipts = `receipts ${report.notes.length === 0 ? 'no setting to remove' : `\`git fetch\` no longer brings those of ${report.notes.join(', ')}`}`
  return printOutput(invocation, report, () => [hookTable(report.hooks), '', removed, receipts].join('\n'))
}
