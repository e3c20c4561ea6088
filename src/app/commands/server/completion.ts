import type { Command, Invocation } from '../../../surfaces/cli/command.ts'
import { completionScript } from '../../../surfaces/cli/completion.ts'

export const run = async (
  { positionals, json, terminal }: Invocation,
  commands: readonly Command[],
): Promise<number> => {
  const script = completionScript(positionals[0], commands)
  terminal.print(json ? JSON.stringify({ shell: positionals[0], script }) : script.trimEnd())
  return 0
}
