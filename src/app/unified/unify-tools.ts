import type { Toolset } from '../../kernel/catalog.ts'
import { describeArguments, optionalArguments, type Tool } from '../../kernel/tool.ts'
import { UNIFIED_TOOLS } from './tool-table.ts'

const unifyTool = (tool: Tool): Tool => {
  const view = UNIFIED_TOOLS[tool.name]
  if (view === undefined) return tool
  const { name = tool.name, hints = {}, unlistedArguments = [], unusedArguments = [], ...rest } = view
  return {
    ...tool,
    ...rest,
    name,
    ...(name !== tool.name && { aliases: [tool.name], recordedName: tool.name }),
    input: optionalArguments(describeArguments(tool.input, hints), unusedArguments),
    unlistedArguments: [...unlistedArguments, ...unusedArguments],
  }
}

/** The toolset as the unified server offers it: one grammar of names, and texts as short as a model needs. */
export const unifyToolset = (toolset: Toolset): Toolset => ({
  ...toolset,
  tools: toolset.tools.map(unifyTool),
})
