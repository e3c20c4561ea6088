import * as z from 'zod'
import { defineTool, NoInput, type Tool } from '../kernel/tool.ts'
import { InclusionProof } from '../lineage/schemas.ts'
import { IdInput } from './input/inputs.ts'
import * as schemas from './schemas.ts'
import { type AskGraph, asText, beliefListingMeta } from './tool-support.ts'

const ChainVerdict = z.strictObject({
  outcome: z.enum(['intact', 'broken']),
  size: z.int().optional().describe('Number of valid entries.'),
  head: z.string().optional(),
  root: z.string().optional(),
  at: z.int().optional().describe('The first invalid entry.'),
  why: z.string().optional(),
})

export const lineageTools = (ask: AskGraph): Tool[] => [
  defineTool({
    name: 'lineage.replay',
    title: 'Replay the lineage',
    description:
      'Lists entries of the lineage of the belief graph (number, checksum, time) in order. Without from_seq it lists the newest.',
    effect: 'read',
    input: z.strictObject({
      from_seq: z.int().nonnegative().optional().describe('First entry to list.'),
      limit: z.int().min(1).max(10_000).optional().describe('Maximum number of entries.'),
    }),
    output: schemas.ReplayResult,
    listingMeta: beliefListingMeta([]),
    truncate: ({ entries }, bytes) => ({
      entries: entries.slice(-Math.max(1, Math.floor((bytes - 64) / 300))),
      truncated: true,
    }),
    render: ({ entries }) => asText(entries),
    run: ({ from_seq, limit }) => ask((beliefs) => beliefs.replay(from_seq, limit)),
  }),
  defineTool({
    name: 'lineage.export',
    title: 'Export the lineage',
    description:
      'Writes all entries of the lineage as JSON to a file under the export root and returns the checksum of the file.',
    effect: 'write',
    idempotent: true,
    // It replaces an existing file.
    destructive: true,
    input: z.strictObject({
      path: z.string().min(1).max(4_096).describe('File to write, relative to the export root.'),
    }),
    output: schemas.ExportResult,
    listingMeta: beliefListingMeta(['filesystem_write']),
    render: 'indented',
    run: ({ path }) => ask((beliefs) => beliefs.exportLog(path)),
  }),
]

/** Tools that scg-mcp-server does not have. */
export const addedTools = (ask: AskGraph, revealTopology: boolean): Tool[] => [
  defineTool({
    name: 'lineage_verify',
    title: 'Verify the lineage',
    description: 'Recomputes the hash chain of the lineage and reports the first invalid entry.',
    effect: 'read',
    input: NoInput,
    output: ChainVerdict,
    run: () => ask((beliefs) => beliefs.verify()),
  }),
  defineTool({
    name: 'lineage_prove',
    title: 'Prove an entry',
    description: 'Returns the Merkle inclusion proof of an entry, to check against a signed checkpoint.',
    effect: 'read',
    input: z.strictObject({
      seq: z.int().nonnegative().describe('The entry to prove.'),
      size: z.int().min(1).optional().describe('Size of the tree; default: the present one.'),
    }),
    output: InclusionProof,
    run: ({ seq, size }) => ask((beliefs) => beliefs.prove(seq, size)),
  }),
  defineTool({
    name: 'belief_explain',
    title: 'Explain a belief',
    description: 'Returns how far other nodes raised and lowered a belief, and at which lineage entries.',
    effect: 'read',
    input: z.strictObject({ node_id: IdInput }),
    output: revealTopology ? schemas.RevealedExplainResult : schemas.ExplainResult,
    run: ({ node_id }) =>
      ask(async (beliefs) => {
        const { influences, ...told } = await beliefs.explain(node_id)
        return revealTopology ? { ...told, influences } : told
      }),
  }),
]
