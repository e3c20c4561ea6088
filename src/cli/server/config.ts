import { explainConfig } from '../../app/config/load-config.ts'
import { loadSettings } from '../../app/process-context.ts'
import type { Invocation } from '../command/command.ts'
import { writeTable } from '../command/table.ts'
import { printOutput } from '../print-output.ts'

export const run = async (invocation: Invocation): Promise<number> => {
  const effective = explainConfig(loadSettings(invocation))
  const rows = effective.map(({ key, value, source, variable }) => [
    key,
    JSON.stringify(value),
    source,
    variable,
  ])
  return printOutput(invocation, { settings: effective }, () =>
    writeTable(['key', 'value', 'from', 'variable'], rows),
  )
}
