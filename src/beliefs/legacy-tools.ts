import * as z from 'zod'
import type { Toolset } from '../kernel/catalog.ts'
import type { CallContext, Tool } from '../kernel/tool.ts'
import { readEntry } from '../lineage/read-rows.ts'
import type { Beliefs } from './beliefs.ts'
import type { EntityId, Graph } from './graph/graph.ts'
import type { GraphStore } from './log/graph-store.ts'
import type { EdgeOutput, ExportResult, SchemaOutput } from './schemas.ts'
import { asText } from './tool-support.ts'

/**
 * Answers in the form that the original scg-mcp-server actually wrote, for clients that depend on it. The documented
 * form, which is the default, is in `schemas.ts`.
 */

const count = z.int().nonnegative()
const ratio = z.number().min(0).max(1)

const LegacyNode = z.strictObject({
  id: count,
  belief: ratio,
  energy: z.number(),
  esv_valid: z.boolean(),
  stability: ratio,
})
const LegacyEdge = z.strictObject({ id: count, src: count, dst: count, weight: z.number() })
const LegacyGovernor = z.strictObject({
  drift_ok: z.boolean(),
  energy_drift: z.number().nonnegative(),
  coherence: ratio,
  node_count: count,
  edge_count: count,
  healthy: z.boolean(),
})
const LEGACY_OPERATIONS = ['tick', 'decision', 'ethics', 'energy'] as const
const LegacyReplay = z.strictObject({
  entries: z.array(
    z.strictObject({
      sequence: count,
      operation: z.enum(LEGACY_OPERATIONS),
      checksum: z.string(),
      tick: count,
    }),
  ),
})
const LegacyExport = z.strictObject({ status: z.literal('ok'), path: z.string(), checksum: count })
const LegacyText = z.strictObject({ text: z.string() })

/** The original server had four kinds of entries. */
const legacyOperation = (operation: string): (typeof LEGACY_OPERATIONS)[number] => {
  if (operation === 'edge.propagate') return 'tick'
  if (operation === 'edge.bind') return 'decision'
  return operation.startsWith('node.') ? 'energy' : 'ethics'
}

type RunTool = () => Promise<unknown>

interface LegacyAnswer {
  readonly output: z.ZodType
  /**
   * Makes the old answer. A read of the graph is queued in the same turn as the tool's own, so that it sees the state
   * of this call and not that of a later one.
   */
  readonly answer: (run: RunTool, beliefs: Beliefs, args: never) => Promise<unknown>
  readonly render: Tool['render'] & {}
}

const fromResult =
  <T>(show: (result: T) => unknown): LegacyAnswer['answer'] =>
  async (run) =>
    show((await run()) as T)

const textAnswer = (show: (result: { readonly result: string }) => string): LegacyAnswer => ({
  output: LegacyText,
  answer: fromResult((result: { readonly result: string }) => ({ text: show(result) })),
  render: ({ text }: z.infer<typeof LegacyText>) => [{ type: 'text', text }],
})

/** An answer from the state of the graph right after the tool's own operation. */
const fromGraph =
  <T>(show: (graph: Graph, args: T, graphStore: GraphStore) => unknown): LegacyAnswer['answer'] =>
  async (run, { graphStore }, args) => {
    const result = run()
    const seen = graphStore.replica.read(({ graph }) => show(graph, args, graphStore))
    return (await Promise.all([result, seen]))[1]
  }

const nodeAnswer = (
  idOf: (graph: Graph, args: { readonly node_id: EntityId }) => EntityId,
): LegacyAnswer => ({
  output: LegacyNode,
  answer: fromGraph((graph, args: { readonly node_id: EntityId }) => {
    const { id, belief, energy, stability } = graph.node(idOf(graph, args))
    return { id, belief, energy, esv_valid: graph.auditNode(id).valid, stability }
  }),
  render: 'indented',
})

const namedNode = nodeAnswer((_, { node_id }) => node_id)

const governor: LegacyAnswer = {
  output: LegacyGovernor,
  answer: fromGraph((graph, _, { replica }) => {
    const { drift, validRatio, coherent } = graph.health()
    return {
      drift_ok: drift <= graph.config.epsilon,
      energy_drift: drift,
      coherence: validRatio,
      node_count: graph.nodeCount,
      edge_count: graph.edgeCount,
      healthy: coherent && replica.quarantine === null,
    }
  }),
  render: 'indented',
}

const NEWEST = 100

const replay: LegacyAnswer = {
  output: LegacyReplay,
  answer: async (_, { graphStore }) => {
    const size = await graphStore.replica.read((_state, entries) => entries)
    const rows = await graphStore.log.read(Math.max(0, size - NEWEST), Math.min(NEWEST, size))
    const entries = rows.map(readEntry).map(({ seq, operation, checksum, tick }) => ({
      sequence: seq,
      operation: legacyOperation(operation),
      checksum,
      tick,
    }))
    return { entries: entries.reverse() }
  },
  render: ({ entries }: z.infer<typeof LegacyReplay>) => asText(entries),
}

/** The original server's checksum: the sum of all bytes, modulo 2^32. */
const sumBytes = (content: Uint8Array): number => {
  let sum = 0
  for (const byte of content) sum = (sum + byte) >>> 0
  return sum
}

const LEGACY_ANSWERS: Readonly<Record<string, LegacyAnswer>> = {
  'node.create': nodeAnswer((graph) => graph.nodeCount - 1),
  'node.query': namedNode,
  'node.mutate': namedNode,
  'edge.bind': {
    output: LegacyEdge,
    answer: fromResult(({ edge_id, src, dst, weight }: SchemaOutput<typeof EdgeOutput>) => ({
      id: edge_id,
      src,
      dst,
      weight,
    })),
    render: 'indented',
  },
  'edge.propagate': textAnswer(() => 'Propagation step completed (all edges processed)'),
  'governor.status': governor,
  'governance.status': governor,
  'esv.audit': textAnswer(({ result }) => `ESV audit result: ${result}`),
  'lineage.replay': replay,
  'lineage.export': {
    output: LegacyExport,
    answer: async (run, beliefs) => {
      const { path, count: entries } = (await run()) as SchemaOutput<typeof ExportResult>
      const { content } = await beliefs.collect(entries)
      return { status: 'ok', path, checksum: sumBytes(content) }
    },
    render: 'indented',
  },
}

const translate = (tool: Tool, open: () => Promise<Beliefs>): Tool => {
  const answerFormat = LEGACY_ANSWERS[tool.name]
  if (answerFormat === undefined) return tool
  const { output, answer, render } = answerFormat
  const { truncate: _, ...rest } = tool
  return {
    ...rest,
    output,
    render,
    run: async (args: never, call: CallContext) => {
      // Opened first, so that the tool queues its operation at once.
      const beliefs = await open()
      return answer(async () => tool.run(args, call), beliefs, args)
    },
  }
}

export const legacyToolset = (toolset: Toolset, open: () => Promise<Beliefs>): Toolset => ({
  ...toolset,
  tools: toolset.tools.map((tool) => translate(tool, open)),
})
