import * as z from 'zod'

/** Outputs of the MCP tools. The schemas are an allow-list: a member that is not listed here is never sent. */

const timestamp = z.string().describe('Last written, RFC 3339.')
const count = z.int().nonnegative()

export const NodeOutput = z.strictObject({
  node_id: count,
  belief: z.number().min(0).max(1),
  energy: z.number().nonnegative(),
  timestamp,
})

export const EdgeOutput = z.strictObject({
  edge_id: count,
  src: count,
  dst: count,
  weight: z.number(),
  timestamp,
})

export const GovernorStatus = z.strictObject({
  drift: z.number().nonnegative(),
  coherent: z.boolean(),
  timestamp,
})

export const LineageEntry = z.strictObject({
  seq: count,
  checksum: z.string().regex(/^[0-9a-f]{64}$/),
  timestamp,
})

export const PropagateResult = z.strictObject({
  tick: count,
  nodes_updated: count,
  edges_processed: count,
  max_belief_change: z.number().nonnegative(),
  converged: z.boolean(),
  timestamp,
})

export const GovernanceStatus = z.strictObject({
  checksum_valid: z.boolean(),
  drift: z.number().nonnegative(),
  drift_epsilon: z.number(),
  drift_ok: z.boolean(),
  esv_valid: z.boolean(),
  coherent: z.boolean(),
  quarantined: z.boolean(),
  healthy: z.boolean(),
  node_count: count,
  edge_count: count,
  lineage_length: count,
  tick: count,
  server_version: z.string(),
  timestamp,
})

export const AuditResult = z.strictObject({
  node_id: count,
  valid: z.boolean(),
  result: z.enum(['VALID', 'INVALID']),
  timestamp,
})

export const ReplayResult = z.strictObject({
  entries: z.array(LineageEntry),
  truncated: z.boolean().describe('True: older entries exist; request them with from_seq.'),
})

export const ExportResult = z.strictObject({
  status: z.literal('ok'),
  path: z.string(),
  checksum: z.string().describe('SHA-256 of the file.'),
  count,
  head: z.string().describe('Checksum of the newest entry.'),
})

export const ExplainResult = z.strictObject({
  node_id: count,
  belief: z.number(),
  raised: z.number().nonnegative().describe('Sum of all changes by which other nodes raised the belief.'),
  lowered: z.number().max(0).describe('Sum of all changes by which other nodes lowered it.'),
  history: z
    .array(z.strictObject({ seq: count, operation: z.string(), change: z.number(), timestamp }))
    .describe('The newest lineage entries that changed this node, oldest first.'),
  truncated: z.boolean().describe('True: older changes were left out.'),
})

/** With the topology, for graphs whose operator reveals it. */
export const RevealedExplainResult = ExplainResult.extend({
  influences: z
    .array(z.strictObject({ source: count, moved: z.number(), ticks: count }))
    .describe('Nodes that moved this node, the total change from each, and over how many ticks.'),
})

export type SchemaOutput<T extends z.ZodType> = z.infer<T>
