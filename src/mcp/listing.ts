import * as z from 'zod'
import type { Catalog, Toolset } from '../kernel/catalog.ts'
import { optional } from '../kernel/optional.ts'
import { isTemplate } from '../kernel/resource.ts'
import { NoOutput, type Tool } from '../kernel/tool.ts'

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

type Schema = { readonly type: 'object'; readonly [key: string]: unknown }

// Removes the safe-integer bounds that zod adds to every integer: they cost tokens and tell a model nothing.
const dropIntegerBounds = ({
  jsonSchema,
}: {
  readonly jsonSchema: { minimum?: number; maximum?: number }
}): void => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

/**
 * A nullable argument may also be omitted, with the same meaning. The schema does not mention null, because that
 * would cost tokens for every argument; clients that send null are still accepted.
 */
const dropNull = ({ jsonSchema, zodSchema }: Parameters<Override>[0]): void => {
  const { anyOf } = jsonSchema
  if (zodSchema._zod.def.type !== 'nullable' || anyOf === undefined) return
  delete jsonSchema.anyOf
  Object.assign(jsonSchema, anyOf[0])
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>

const OVERRIDES: Readonly<Record<'input' | 'output', Override>> = {
  input: (found) => {
    dropIntegerBounds(found)
    dropNull(found)
  },
  output: dropIntegerBounds,
}

// Without `$schema`: clients assume 2020-12, and repeating it in every schema costs tokens.
const writeSchema = (schema: z.ZodType, io: 'input' | 'output'): Schema => {
  const { $schema: _, type: __, ...rest } = z.toJSONSchema(schema, { io, override: OVERRIDES[io] })
  // A union of objects needs `type: object` at its root too: revisions before 2026-07-28 require it.
  return { type: 'object', ...rest }
}

const writeInput = ({ input, unlistedArguments = [] }: Tool): Schema => {
  const schema = writeSchema(input, 'input')
  if (unlistedArguments.length === 0) return schema
  const listed = Object.entries(schema.properties ?? {}).filter(([name]) => !unlistedArguments.includes(name))
  return { ...schema, properties: Object.fromEntries(listed) }
}

export interface ListingOptions {
  /** Whether entries have the tools' `listingMeta`. */
  readonly listingMeta?: boolean
  /** Whether entries have the schemas of the answers. */
  readonly outputSchemas?: boolean
}

/** A tool's entry in `tools/list`, generated from its definition. */
export const describeTool = (tool: Tool, name: string, { outputSchemas = true }: ListingOptions = {}) => ({
  name,
  title: tool.title,
  description: tool.description,
  inputSchema: writeInput(tool),
  ...(outputSchemas && tool.output !== NoOutput && { outputSchema: writeSchema(tool.output, 'output') }),
  annotations: {
    readOnlyHint: tool.effect === 'read',
    destructiveHint: tool.destructive,
    idempotentHint: tool.idempotent,
    openWorldHint: tool.openWorld,
  },
})

/** The listed tools in the order of the catalog, without those that `isOffered` leaves out. */
export const listTools = (
  catalog: Catalog,
  options: ListingOptions = {},
  isOffered: (tool: Tool) => boolean = () => true,
) =>
  catalog.listedTools.filter(isOffered).map((tool) => ({
    ...describeTool(tool, catalog.listed(tool), options),
    ...(options.listingMeta && tool.listingMeta),
  }))

const describeResource = ({ name, title, description, mimeType }: Catalog['resources'][number]) => ({
  name,
  title,
  description,
  mimeType,
})

export const listResources = (catalog: Catalog) =>
  catalog.resources
    .filter((resource) => !isTemplate(resource))
    .map((resource) => ({ uri: resource.uri, ...describeResource(resource) }))

export const listTemplates = (catalog: Catalog) =>
  catalog.resources
    .filter(isTemplate)
    .map((resource) => ({ uriTemplate: resource.uri, ...describeResource(resource) }))

export const listPrompts = (catalog: Catalog) =>
  catalog.prompts.map(({ name, title, description, args }) => ({
    name,
    title,
    description,
    arguments: Object.entries(args.shape).map(([argument, schema]) => ({
      name: argument,
      ...optional({ description: schema.description }),
      required: !schema.safeParse(undefined).success,
    })),
  }))
