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

/** What the operator lets through. The empty lists mean "no restriction". */
export interface Selection {
  readonly toolsets: readonly string[]
  readonly tools: readonly string[]
  readonly excludeTools: readonly string[]
  readonly readOnly: boolean
}

export type NameStyle = 'underscore' | 'dotted'

/** Everything one server offers, in the order it lists it. */
export interface Catalog {
  readonly toolsets: readonly string[]
  readonly tools: readonly Tool[]
  readonly resources: readonly Resource[]
  readonly prompts: readonly Prompt[]
  /** Finds a tool under any spelling of its name. */
  find(name: string): Tool | undefined
  /** The spelling this server lists. */
  listed(tool: Tool): string
}

export const catalogFaults = defineFaults('catalog', {
  toolset_unknown: { kind: 'invalid', fix: 'Name toolsets that exist: run `warrant tools` to see them.' },
  tool_unknown: { kind: 'invalid', fix: 'Name tools that exist: run `warrant tools` to see them.' },
})

// Model APIs refuse dots, seeds use them: the two spellings are one name.
const plain = (name: string): string => name.replaceAll('.', '_')

const chooseToolsets = (all: readonly Toolset[], wanted: readonly string[]): readonly Toolset[] => {
  const known = new Set(all.map(({ name }) => name))
  const unknown = wanted.find((name) => name !== 'all' && !known.has(name))
  if (unknown !== undefined)
    throw catalogFaults.toolset_unknown(`there is no toolset ${JSON.stringify(unknown)}`)
  return wanted.length === 0 || wanted.includes('all') ? all : all.filter(({ name }) => wanted.includes(name))
}

/** Read-only is the last word: no list of names brings a writing tool back. */
export const buildCatalog = (
  all: readonly Toolset[],
  selection: Selection,
  style: NameStyle = 'underscore',
): Catalog => {
  const toolsets = chooseToolsets(all, selection.toolsets)
  const known = new Set(all.flatMap(({ tools }) => tools.map(({ name }) => plain(name))))
  for (const name of [...selection.tools, ...selection.excludeTools]) {
    if (!known.has(plain(name))) throw catalogFaults.tool_unknown(`there is no tool ${JSON.stringify(name)}`)
  }
  const only = new Set(selection.tools.map(plain))
  const except = new Set(selection.excludeTools.map(plain))
  const tools = toolsets
    .flatMap((set) => set.tools)
    .filter(({ name }) => (only.size === 0 || only.has(plain(name))) && !except.has(plain(name)))
    .filter(({ effect }) => !selection.readOnly || effect === 'read')
  const byName = new Map(tools.map((tool) => [plain(tool.name), tool]))
  if (byName.size !== tools.length) throw new TypeError('two tools share one name')
  // Both spellings, so that finding one need not spell it anew.
  for (const tool of tools) byName.set(tool.name, tool)
  return {
    toolsets: toolsets.map(({ name }) => name),
    tools,
    resources: toolsets.flatMap((set) => set.resources),
    prompts: toolsets.flatMap((set) => set.prompts),
    find: (name) => byName.get(name) ?? byName.get(plain(name)),
    listed: ({ name }) => (style === 'dotted' ? name : plain(name)),
  }
}
