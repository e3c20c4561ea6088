import type { Invocation } from '../../../surfaces/cli/command.ts'
import { writeTable } from '../../../surfaces/cli/table.ts'
import { explainConfig } from '../../config/load-config.ts'
import { loadSettings } from '../../process-context.ts'
import { printResult } from '../print-result.ts'

export const run = async (invocation: Invocation): Promise<number> => {
  const effective = explainConfig(loadSettings(invocation))
  const rows = effective.map(({ key, value, source, variable }) => [
    key,
    JSON.stringify(value),
    source,
    variable,
  ])
  return printResult(invocation, { settings: effective }, () =>
    writeTable(['key', 'value', 'from', 'variable'], rows),
  )
}
