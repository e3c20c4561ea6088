import { loadServer, loadSettings } from '../../app/process-context.ts'
import { toolCosts } from '../../mcp/token-costs.ts'
import type { Invocation } from '../command/command.ts'
import { writeTable } from '../command/table.ts'
import { printOutput } from '../print-output.ts'

export const run = async (invocation: Invocation): Promise<number> => {
  const { catalog, toolsets, listing } = await loadServer(loadSettings(invocation))
  const { tools, bytes, tokens } = toolCosts(catalog, toolsets, listing)
  const unlisted = catalog.tools
    .filter((tool) => !catalog.listedTools.includes(tool))
    .map((tool) => catalog.listed(tool))
  const rows = tools.map((tool) => [
    tool.name,
    tool.toolset,
    tool.effect,
    String(tool.bytes),
    String(tool.tokens),
    tool.title,
  ])
  const total = `${tools.length} tools, about ${tokens} tokens of names, descriptions and input schemas in a model's context; the list has ${bytes} bytes in all`
  const rest =
    unlisted.length === 0
      ? []
      : [`Callable, and listed with --toolsets all or --tools: ${unlisted.join(', ')}`]
  const head = ['tool', 'toolset', 'effect', 'bytes', 'tokens', 'title']
  return printOutput(invocation, { tools, bytes, tokens, unlisted }, () =>
    [writeTable(head, rows), total, ...rest].join('\n\n'),
  )
}
