import type { Command, Invocation } from '../command/command.ts'
import { completionScript } from '../command/completion.ts'
import { printOutput } from '../print-output.ts'

export const run = async (invocation: Invocation, commands: readonly Command[]): Promise<number> => {
  const [shell] = invocation.positionals
  const script = completionScript(shell, commands)
  return printOutput(invocation, { shell, script }, () => script.trimEnd())
}
