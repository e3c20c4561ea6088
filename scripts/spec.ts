import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as z from 'zod'
import { scgServer } from '../src/app/servers/scg.ts'
import { beliefFaults } from '../src/beliefs/faults.ts'
import * as shapes from '../src/beliefs/schemas.ts'
import { beliefsToolset } from '../src/beliefs/tools.ts'
import { Evidence } from '../src/evidence/schema.ts'
import { buildCatalog, ignoreUnknownArguments } from '../src/kernel/catalog.ts'
import { defineFaults, FAULT_KINDS, type FaultKind } from '../src/kernel/fault.ts'
import { DIALECTS } from '../src/mcp/dialect.ts'
import { listTools } from '../src/mcp/listing.ts'
import type { FrameFault, RpcError } from '../src/mcp/message.ts'

/** What the servers say on the wire and in files, for programs: made from the definitions they check with. */

const WIDTH = 110

/** JSON as the formatter of this repository would leave it. */
const writeJson = (value: unknown, indent = '', lead = 0): string => {
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const flat = `[${value.map((one) => JSON.stringify(one)).join(', ')}]`
    const simple = value.every((one) => typeof one !== 'object' || one === null)
    // The name before it, and a comma after it, are on the same line.
    if (simple && indent.length + lead + flat.length + 1 <= WIDTH) return flat
    return `[\n${value.map((one) => inner + writeJson(one, inner)).join(',\n')}\n${indent}]`
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, one]) =>
      `${inner}${JSON.stringify(key)}: ${writeJson(one, inner, JSON.stringify(key).length + 2)}`,
  )
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`
}

interface NoisySchema {
  minimum?: number
  maximum?: number
  format?: string
  pattern?: string
}

// Every integer would carry the bounds of its type.
const dropNoise = ({ jsonSchema }: { readonly jsonSchema: NoisySchema }): void => {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  // The format says it; the expression beside it nobody can read.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
}

const schemaText = (title: string, description: string, schema: z.ZodType): string => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'output', override: dropNoise })
  return `${writeJson({ $schema, title, description, ...rest })}\n`
}

const FRAME_FAULTS = Object.keys({
  parse: 1,
  oversize: 1,
  depth: 1,
  request: 1,
  duplicate: 1,
  params: 1,
  method: 1,
  stopping: 1,
} satisfies Record<FrameFault, 1>) as FrameFault[]

/** One of every error the server can answer with. */
const wireErrors = (): readonly RpcError[] => {
  const { scg } = DIALECTS
  const kinds = Object.keys(FAULT_KINDS) as FaultKind[]
  const faults = kinds.map((kind) => defineFaults('spec', { any: { kind, fix: '' } }).any(''))
  return [
    ...FRAME_FAULTS.map((fault) => scg.frame(fault)),
    ...[...faults, beliefFaults.node_unknown('')].flatMap((fault) => scg.fault(fault) ?? []),
    scg.unknownTool(''),
    scg.absent('', {}),
    scg.bug(),
  ]
}

const errorSchema = (): z.ZodType => {
  const words = new Map(
    wireErrors().map(({ code, data }) => [code, (data as { code_string?: string } | undefined)?.code_string]),
  )
  const kinds = [...words]
    .sort(([one], [other]) => one - other)
    .map(([code, word]) => {
      const common = { code: z.literal(code), message: z.string() }
      return word === undefined
        ? z.strictObject(common)
        : z.strictObject({ ...common, data: z.strictObject({ code_string: z.literal(word) }) })
    })
  return z.union(kinds)
}

const unopened = (): Promise<never> => Promise.reject(new Error('a description opens no graph'))

/** A list that is these and no other, in this order. */
const exactly = (items: readonly object[]): object => ({
  type: 'array',
  ...(items.length > 0 ? { prefixItems: items, minItems: items.length } : { items: { type: 'string' } }),
  maxItems: items.length,
})
const words = (list: unknown): object => exactly((list as readonly string[]).map((word) => ({ const: word })))

const toolsText = (): string => {
  const excludeTools = scgServer.preset.get('excludeTools') as string[]
  const selection = { toolsets: [], tools: [], excludeTools, readOnly: false }
  const catalog = buildCatalog([ignoreUnknownArguments(beliefsToolset(unopened))], selection, 'dotted')
  const listed = listTools(catalog, { listingMeta: true }) as readonly Record<string, unknown>[]
  const tools = listed.map(({ name, description, version, sideEffects, dependencies }) => ({
    type: 'object',
    description,
    properties: {
      name: { const: name },
      description: { type: 'string' },
      version: { const: version },
      sideEffects: words(sideEffects),
      dependencies: words(dependencies),
      inputSchema: { type: 'object' },
    },
    required: ['name', 'description', 'version', 'sideEffects', 'dependencies', 'inputSchema'],
  }))
  const spec = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'McpTools',
    description:
      'What tools/list answers. Under $defs, by the name with an underscore, what each tool takes as arguments.',
    type: 'object',
    properties: { tools: exactly(tools) },
    required: ['tools'],
    $defs: Object.fromEntries(
      listed.map(({ name, inputSchema }) => [String(name).replace('.', '_'), inputSchema]),
    ),
  }
  return `${writeJson(spec)}\n`
}

/** Every file of `spec/`, by its path. */
export const renderSpec = (): Readonly<Record<string, string>> => ({
  'spec/mcp_error.schema.json': schemaText(
    'McpError',
    'The error member of an answer: a number, and for those of the server itself a word.',
    errorSchema(),
  ),
  'spec/mcp_node_state.schema.json': schemaText(
    'McpNodeState',
    'A node, as node.create, node.mutate and node.query answer.',
    shapes.NodeOutput,
  ),
  'spec/mcp_edge_state.schema.json': schemaText(
    'McpEdgeState',
    'An edge, as edge.bind answers.',
    shapes.EdgeOutput,
  ),
  'spec/mcp_governor_status.schema.json': schemaText(
    'McpGovernorStatus',
    'Whether the books agree, as governor.status answers.',
    shapes.GovernorStatus,
  ),
  'spec/mcp_lineage_entry.schema.json': schemaText(
    'McpLineageEntry',
    'One entry of what lineage.replay lists.',
    shapes.LineageEntry,
  ),
  'spec/tools/mcp_tools.schema.json': toolsText(),
  'spec/evidence-v2.1.schema.json': schemaText(
    'Evidence',
    'The evidence file, version 2.1: .ai_evidence.json in the root of a repository. Unknown members are kept.',
    Evidence,
  ),
})

export const main = async (): Promise<void> => {
  for (const [path, text] of Object.entries(renderSpec())) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}
