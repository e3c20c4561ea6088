import * as z from 'zod'
import type { Catalog } from '../../kernel/catalog.ts'
import { isTemplate } from '../../kernel/resource.ts'
import { NoOutput, type Tool } from '../../kernel/tool.ts'

type Schema = { readonly type: 'object'; readonly [key: string]: unknown }

// Every integer would carry the bounds of its type; nobody learns from them, every client pays for them.
const dropNoise = ({ jsonSchema }: { readonly jsonSchema: { minimum?: number; maximum?: number } }): void => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

/**
 * An argument that may be null may be left out, and null says just that. Clients that send it are understood; saying
 * so of every argument would cost all the others.
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
    dropNoise(found)
    dropNull(found)
  },
  output: dropNoise,
}

// 2020-12 is what a client assumes; saying so in every schema costs the model tokens.
const writeSchema = (schema: z.ZodType, io: 'input' | 'output'): Schema => {
  const { $schema: _, type: __, ...rest } = z.toJSONSchema(schema, { io, override: OVERRIDES[io] })
  // A union of objects says so at its root too: revisions before 2026-07-28 want an object there.
  return { type: 'object', ...rest }
}

/** A tool as `tools/list` shows it, all of it from the definition. */
export const describeTool = (tool: Tool, name: string) => ({
  name,
  title: tool.title,
  description: tool.description,
  inputSchema: writeSchema(tool.input, 'input'),
  ...(tool.output !== NoOutput && { outputSchema: writeSchema(tool.output, 'output') }),
  annotations: {
    readOnlyHint: tool.effect === 'read',
    destructiveHint: tool.destructive,
    idempotentHint: tool.idempotent,
    openWorldHint: tool.openTestPackets,
  },
})

export const listTools = (catalog: Catalog, extras = false) =>
  catalog.tools.map((tool) => ({
    ...describeTool(tool, catalog.listed(tool)),
    ...(extras && tool.listingMeta),
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
      ...(schema.description !== undefined && { description: schema.description }),
      required: !schema.safeParse(undefined).success,
    })),
  }))
