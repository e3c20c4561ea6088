import type { Toolset } from '../../kernel/catalog.ts'
import { jailFaults, quotePath } from '../../kernel/jail.ts'
import { describeArguments, optionalArguments, type Tool } from '../../kernel/tool.ts'
import { PathInput } from '../../project/tool-support.ts'
import { UNIFIED_TOOLS } from './tool-table.ts'

/** What older servers call the folder of a project. */
const PATH_NAMES = ['projectPath', 'rootPath'] as const

type PathName = (typeof PATH_NAMES)[number]

/** Callers that use a former name know that two dots are refused anywhere. The jail says what else is wrong first. */
const refuseDots = (path: string): void => {
  if (path.includes('..') && path.isWellFormed() && !/\p{Cc}/u.test(path))
    throw jailFaults.traversal(`the path must not contain '..': ${quotePath(path)}`)
}

/** The same tool with its folder as `path`. The former names are accepted and not listed. */
const withPath = (tool: Tool, former: PathName | undefined): Tool => {
  if (former === undefined) return tool
  const run = tool.run as (args: object, call: Parameters<Tool['run']>[1]) => unknown
  const formerNames = Object.fromEntries(PATH_NAMES.map((name) => [name, PathInput.optional()]))
  return {
    ...tool,
    input: tool.input.extend({
      path: PathInput.default('.').describe('Folder; "." is the root.'),
      ...formerNames,
    }),
    unlistedArguments: [...(tool.unlistedArguments ?? []), ...PATH_NAMES],
    run: (
      { path, projectPath, rootPath, ...args }: Record<'path' | PathName, string | undefined>,
      call: Parameters<Tool['run']>[1],
    ) => {
      const named = projectPath ?? rootPath
      if (named !== undefined) refuseDots(named)
      return run({ ...args, [former]: named ?? path }, call)
    },
  }
}

const unifyTool = (tool: Tool): Tool => {
  const view = UNIFIED_TOOLS[tool.name]
  if (view === undefined) return tool
  const {
    name = tool.name,
    hints = {},
    unlistedArguments = [],
    unusedArguments = [],
    pathArgument,
    ...rest
  } = view
  return withPath(
    {
      ...tool,
      ...rest,
      name,
      ...(name !== tool.name && { aliases: [tool.name], recordedName: tool.name }),
      input: optionalArguments(describeArguments(tool.input, hints), unusedArguments),
      unlistedArguments: [...unlistedArguments, ...unusedArguments],
    },
    pathArgument,
  )
}

/** The toolset as the unified server offers it: one grammar of names, and texts as short as a model needs. */
export const unifyToolset = (toolset: Toolset): Toolset => ({
  ...toolset,
  tools: toolset.tools.map(unifyTool),
})
