import * as z from 'zod'
import type { Toolset } from '../kernel/catalog.ts'
import type { CallContext, Tool } from '../kernel/tool.ts'
import { readEntry } from '../lineage/read-rows.ts'
import type { Beliefs } from './beliefs.ts'
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

interface LegacyAnswer {
  readonly output: z.ZodType
  /** Makes the old answer from the new one and the graph. */
  readonly show: (answer: never, beliefs: Beliefs) => unknown
  readonly render: Tool['render'] & {}
}

const textAnswer = (show: (answer: never) => string): LegacyAnswer => ({
  output: LegacyText,
  show: (answer) => ({ text: show(answer) }),
  render: ({ text }: z.infer<typeof LegacyText>) => [{ type: 'text', text }],
})

const node: LegacyAnswer = {
  output: LegacyNode,
  show: ({ node_id }: { node_id: number }, { graphStore }) =>
    graphStore.replica.read(({ graph }) => {
      const { id, belief, energy, stability } = graph.node(node_id)
      return { id, belief, energy, esv_valid: graph.auditNode(id).valid, stability }
    }),
  render: 'indented',
}

const governor: LegacyAnswer = {
  output: LegacyGovernor,
  show: (_, { graphStore }) =>
    graphStore.replica.read(({ graph }) => {
      const { drift, validRatio, coherent } = graph.health()
      return {
        drift_ok: drift <= graph.config.epsilon,
        energy_drift: drift,
        coherence: validRatio,
        node_count: graph.nodeCount,
        edge_count: graph.edgeCount,
        healthy: coherent && graphStore.replica.quarantine === null,
      }
    }),
  render: 'indented',
}

const NEWEST = 100

const replay: LegacyAnswer = {
  output: LegacyReplay,
  show: async (_, { graphStore }) => {
    const rows = await graphStore.log.read(Math.max(0, graphStore.size - NEWEST), NEWEST)
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
const sumBytes = (text: string): number => Buffer.from(text).reduce((sum, byte) => (sum + byte) >>> 0, 0)

const LEGACY_ANSWERS: Readonly<Record<string, LegacyAnswer>> = {
  'node.create': node,
  'node.query': node,
  'node.mutate': node,
  'edge.bind': {
    output: LegacyEdge,
    show: ({ edge_id, src, dst, weight }: { edge_id: number; src: number; dst: number; weight: number }) => ({
      id: edge_id,
      src,
      dst,
      weight,
    }),
    render: 'indented',
  },
  'edge.propagate': textAnswer(() => 'Propagation step completed (all edges processed)'),
  'governor.status': governor,
  'governance.status': governor,
  'esv.audit': textAnswer(({ result }: { result: string }) => `ESV audit result: ${result}`),
  'lineage.replay': replay,
  'lineage.export': {
    output: LegacyExport,
    show: async ({ path, count: entries }: { path: string; count: number }, beliefs) => {
      const { text } = await beliefs.collect(entries)
      return { status: 'ok', path, checksum: sumBytes(text) }
    },
    render: 'indented',
  },
}

const translate = (tool: Tool, open: () => Promise<Beliefs>): Tool => {
  const answerFormat = LEGACY_ANSWERS[tool.name]
  if (answerFormat === undefined) return tool
  const { output, show, render } = answerFormat
  const { truncate: _, ...rest } = tool
  return {
    ...rest,
    output,
    render,
    run: async (args: never, call: CallContext) => {
      const answer = await tool.run(args, call)
      return show(answer as never, await open())
    },
  }
}

export const legacyToolset = (toolset: Toolset, open: () => Promise<Beliefs>): Toolset => ({
  ...toolset,
  tools: toolset.tools.map((tool) => translate(tool, open)),
})
