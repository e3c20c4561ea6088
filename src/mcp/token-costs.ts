import type { Catalog, Toolset } from '../kernel/catalog.ts'
import { describeTool, type ListingOptions } from './listing.ts'

interface ToolCost {
  readonly name: string
  readonly title: string
  readonly toolset: string
  readonly effect: string
  /** Bytes of the whole entry, as a client receives it. */
  readonly bytes: number
  /** Estimate for name, description and input schema: what clients give to a model. */
  readonly tokens: number
}

// Common tokenizers need 3.5 to 4.5 bytes of JSON Schema for a token; the lower value does not underestimate.
const BYTES_PER_TOKEN = 3.5

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** Estimates how many tokens the tool list costs a model. */
export const toolCosts = (catalog: Catalog, toolsets: readonly Toolset[], options: ListingOptions = {}) => {
  const tools: ToolCost[] = catalog.listedTools.map((tool) => {
    const entry = describeTool(tool, catalog.listed(tool), options)
    const { name, title, description, inputSchema } = entry
    return {
      name,
      title,
      toolset: toolsets.find((set) => set.tools.includes(tool))?.name ?? '',
      effect: tool.effect,
      bytes: bytesOf(entry),
      tokens: Math.ceil(bytesOf({ name, description, inputSchema }) / BYTES_PER_TOKEN),
    }
  })
  const sum = (pick: (cost: ToolCost) => number) => tools.reduce((total, cost) => total + pick(cost), 0)
  return { tools, bytes: sum(({ bytes }) => bytes), tokens: sum(({ tokens }) => tokens) }
}
