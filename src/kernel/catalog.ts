import { defineFaults } from './fault.ts'
import type { Prompt } from './prompt.ts'
import type { Resource } from './resource.ts'
import type { Tool } from './tool.ts'

/** Tools, resources and prompts that belong together and are switched on together. */
export interface Toolset {
  readonly name: string
  readonly title: string
  readonly tools: readonly Tool[]
  readonly resources: readonly Resource[]
  readonly prompts: readonly Prompt[]
}

/** The toolset for clients of an older server, which ignored arguments that it did not know. */
export const ignoreUnknownArguments = (toolset: Toolset): Toolset => ({
  ...toolset,
  tools: toolset.tools.map((tool) => ({
    ...tool,
    input: tool.input.strip().meta(tool.input.meta() ?? {}),
  })),
})

/** The operator's selection of tools. Empty lists mean "no restriction". */
export interface Selection {
  readonly toolsets: readonly string[]
  readonly tools: readonly string[]
  readonly excludeTools: readonly string[]
  readonly readOnly: boolean
}

type NameStyle = 'underscore' | 'dotted'

/** Everything one server offers, in the order it lists it. */
export interface Catalog {
  readonly toolsets: readonly string[]
  /** Every tool that can be called. */
  readonly tools: readonly Tool[]
  /** The tools that `tools/list` shows. */
  readonly listedTools: readonly Tool[]
  readonly resources: readonly Resource[]
  readonly prompts: readonly Prompt[]
  /** Finds a tool by its name or an alias, with dots or underscores. */
  find(name: string): Tool | undefined
  /** The name under which this server lists the tool. */
  listed(tool: Tool): string
}

export const catalogFaults = defineFaults('catalog', {
  toolset_unknown: {
    kind: 'invalid',
    fix: 'Name toolsets that exist: run `warrant config tools` to see them.',
  },
  tool_unknown: { kind: 'invalid', fix: 'Name tools that exist: run `warrant config tools` to see them.' },
})

// Model APIs reject dots, compatibility servers use them: both spellings mean the same tool.
const underscored = (name: string): string => name.replaceAll('.', '_')

const chooseToolsets = (all: readonly Toolset[], wanted: readonly string[]): readonly Toolset[] => {
  const known = new Set(all.map(({ name }) => name))
  const unknown = wanted.find((name) => name !== 'all' && !known.has(name))
  if (unknown !== undefined) throw catalogFaults.toolset_unknown(`unknown toolset ${JSON.stringify(unknown)}`)
  return wanted.length === 0 || wanted.includes('all') ? all : all.filter(({ name }) => wanted.includes(name))
}

const namesOf = ({ name, aliases = [] }: Tool): readonly string[] => [
  ...new Set([name, ...aliases].map(underscored)),
]

/** Read-only wins over the lists: no list of names brings a writing tool back. */
export const buildCatalog = (
  all: readonly Toolset[],
  selection: Selection,
  style: NameStyle = 'underscore',
): Catalog => {
  const toolsets = chooseToolsets(all, selection.toolsets)
  const known = new Set(all.flatMap(({ tools }) => tools.flatMap(namesOf)))
  for (const name of [...selection.tools, ...selection.excludeTools]) {
    if (!known.has(underscored(name)))
      throw catalogFaults.tool_unknown(`unknown tool ${JSON.stringify(name)}`)
  }
  const only = new Set(selection.tools.map(underscored))
  const except = new Set(selection.excludeTools.map(underscored))
  const tools = toolsets
    .flatMap((set) => set.tools)
    .filter((tool) => only.size === 0 || namesOf(tool).some((name) => only.has(name)))
    .filter((tool) => !namesOf(tool).some((name) => except.has(name)))
    .filter(({ effect }) => !selection.readOnly || effect === 'read')
  const isListed = ({ listing }: Tool): boolean =>
    listing === undefined || only.size > 0 || (listing === 'selected' && selection.toolsets.length > 0)
  return {
    toolsets: toolsets.map(({ name }) => name),
    tools,
    listedTools: tools.filter(isListed),
    resources: toolsets.flatMap((set) => set.resources),
    prompts: toolsets.flatMap((set) => set.prompts),
    find: findByName(tools),
    listed: ({ name }) => (style === 'dotted' ? name : underscored(name)),
  }
}

const findByName = (tools: readonly Tool[]): Catalog['find'] => {
  const byName = new Map<string, Tool>()
  for (const tool of tools)
    for (const name of namesOf(tool)) {
      if (byName.has(name)) throw new TypeError(`two tools share the name ${name}`)
      byName.set(name, tool)
    }
  // Both spellings, so that `find` seldom has to convert one.
  for (const tool of tools) byName.set(tool.name, tool)
  return (name) => byName.get(name) ?? byName.get(underscored(name))
}
