import type { Invocation } from '../../../surfaces/cli/command.ts'
import { writeTable } from '../../../surfaces/cli/table.ts'
import { explainConfig } from '../../config/load-config.ts'
import { loadSettings } from '../../process-context.ts'

export const run = async (invocation: Invocation): Promise<number> => {
  const effective = explainConfig(loadSettings(invocation))
  if (invocation.json) {
    invocation.terminal.print(JSON.stringify({ settings: effective }))
    return 0
  }
  const rows = effective.map(({ key, value, source, variable }) => [
    key,
    JSON.stringify(value),
    source,
    variable,
  ])
  invocation.terminal.print(writeTable(['key', 'value', 'from', 'variable'], rows))
  return 0
}
