import { uninstall } from '../../../gate/install/install.ts'
import { oneLine } from '../../../kernel/text/escape-text.ts'
import type { Invocation } from '../../../surfaces/cli/command.ts'
import { repositoryHere } from '../../open/repository.ts'
import { loadSettings } from '../../process-context.ts'
import { hookTable } from './hooks.ts'
import { changePorts } from './install-ports.ts'

export const run = async (invocation: Invocation): Promise<number> => {
  const here = await repositoryHere(loadSettings(invocation).config)
  const purge = invocation.flags['purge-artifacts'] === true
  const report = await uninstall(changePorts(here), purge, here.signal)
  const words = [hookTable(report.hooks), '', oneLine(`removed  ${report.removed.join(', ') || 'no files'}`)]
  invocation.terminal.print(invocation.json ? JSON.stringify(report) : words.join('\n'))
  return 0
}
