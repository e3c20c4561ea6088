import type { Command, Invocation } from '../../../surfaces/cli/command.ts'
import { completionScript } from '../../../surfaces/cli/completion.ts'
import { printResult } from '../print-result.ts'

export const run = async (invocation: Invocation, commands: readonly Command[]): Promise<number> => {
  const [shell] = invocation.positionals
  const script = completionScript(shell, commands)
  return printResult(invocation, { shell, script }, () => script.trimEnd())
}
