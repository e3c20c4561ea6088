import type { Invocation } from '../../../surfaces/cli/command.ts'
import { writeTable } from '../../../surfaces/cli/table.ts'
import { toolCosts } from '../../../surfaces/mcp/token-costs.ts'
import { loadServer, loadSettings } from '../../process-context.ts'
import { printOutput } from '../print-output.ts'

export const run = async (invocation: Invocation): Promise<number> => {
  const { catalog, toolsets } = await loadServer(loadSettings(invocation))
  const { tools, bytes, tokens } = toolCosts(catalog, toolsets)
  const rows = tools.map((tool) => [
    tool.name,
    tool.toolset,
    tool.effect,
    String(tool.bytes),
    String(tool.tokens),
    tool.title,
  ])
  const total = `${tools.length} tools, ${bytes} bytes, about ${tokens} tokens in a client's context`
  const head = ['tool', 'toolset', 'effect', 'bytes', 'tokens', 'title']
  return printOutput(invocation, { tools, bytes, tokens }, () => `${writeTable(head, rows)}\n\n${total}`)
}
