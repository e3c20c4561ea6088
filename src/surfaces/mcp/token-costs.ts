import type { Catalog, Toolset } from '../../kernel/catalog.ts'
import { describeTool } from './listing.ts'

export interface ToolCost {
  readonly name: string
  readonly title: string
  readonly toolset: string
  readonly effect: string
  readonly bytes: number
  readonly tokens: number
}

// Common tokenizers need 3.5 to 4.5 bytes of JSON Schema for a token; the lower value does not underestimate.
const BYTES_PER_TOKEN = 3.5

/** Estimates how many tokens the tool list costs a model. */
export const toolCosts = (catalog: Catalog, toolsets: readonly Toolset[]) => {
  const tools: ToolCost[] = catalog.tools.map((tool) => {
    const name = catalog.listed(tool)
    const bytes = Buffer.byteLength(JSON.stringify(describeTool(tool, name)))
    return {
      name,
      title: tool.title,
      toolset: toolsets.find((set) => set.tools.includes(tool))?.name ?? '',
      effect: tool.effect,
      bytes,
      tokens: Math.ceil(bytes / BYTES_PER_TOKEN),
    }
  })
  const sum = (pick: (cost: ToolCost) => number) => tools.reduce((total, cost) => total + pick(cost), 0)
  return { tools, bytes: sum(({ bytes }) => bytes), tokens: sum(({ tokens }) => tokens) }
}
