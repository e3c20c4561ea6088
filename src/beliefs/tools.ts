import * as z from 'zod'
import type { Toolset } from '../kernel/catalog.ts'
import { Digest } from '../kernel/encoding/digest.ts'
import { optional } from '../kernel/optional.ts'
import { defineTool, NoInput, type Tool } from '../kernel/tool.ts'
import { InclusionProof } from '../lineage/schemas.ts'
import type { MaybePromise } from '../lineage/store.ts'
import type { Beliefs } from './beliefs.ts'
import { BeliefInput, ClaimInput, DeltaInput, EnergyInput, IdInput, WeightInput } from './input/inputs.ts'
import * as schemas from './schemas.ts'
import {
  type AskGraph,
  askGraph,
  asText,
  beliefListingMeta,
  withQuarantine,
  withRedaction,
} from './tool-support.ts'

const ChainVerdict = z.strictObject({
  outcome: z.enum(['intact', 'broken']),
  size: z.int().optional().describe('Number of valid entries.'),
  head: z.string().optional(),
  root: z.string().optional(),
  at: z.int().optional().describe('The first invalid entry.'),
  why: z.string().optional(),
})

const lineageTools = (ask: AskGraph): Tool[] => [
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
const addedTools = (ask: AskGraph, revealTopology: boolean): Tool[] => [
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

const Node = z.strictObject({ node_id: IdInput })

const nodeTools = (ask: AskGraph): Tool[] => [
  defineTool({
    name: 'node.create',
    title: 'Create a belief',
    description:
      'Creates a node in the belief graph and returns its node_id. Its energy is taken from a finite reserve. claim states what the node stands for; evidence is the digest of its evidence.',
    effect: 'write',
    ownLineage: true,
    input: z.strictObject({
      belief: BeliefInput,
      energy: EnergyInput,
      claim: ClaimInput.optional().describe('The statement the node stands for.'),
      evidence: Digest.optional().describe('Digest of the evidence for the claim.'),
    }),
    output: schemas.NodeOutput,
    listingMeta: beliefListingMeta(['state_mutation', 'energy_allocation', 'lineage_append']),
    render: 'indented',
    run: ({ belief, energy, claim, evidence }) =>
      ask((beliefs) =>
        beliefs.createNode({
          belief,
          ...optional({ claim }),
          energy,
          ...optional({ evidence }),
        }),
      ),
  }),
  defineTool({
    name: 'node.mutate',
    title: 'Move a belief',
    description:
      'Changes the belief of one node by delta and returns the node. Costs energy of the node. Use it for corrections, not to model the influence of another node.',
    effect: 'write',
    ownLineage: true,
    input: z.strictObject({ node_id: IdInput, delta: DeltaInput }),
    output: schemas.NodeOutput,
    listingMeta: beliefListingMeta(['state_mutation', 'energy_consumption'], ['node.query']),
    render: 'indented',
    run: ({ node_id, delta }) => ask((beliefs) => beliefs.mutateNode(node_id, delta)),
  }),
  defineTool({
    name: 'node.query',
    title: 'Read a belief',
    description: 'Returns belief, energy and time of the last write of one node in the belief graph.',
    effect: 'read',
    input: Node,
    output: schemas.NodeOutput,
    listingMeta: beliefListingMeta([]),
    render: 'indented',
    run: ({ node_id }) => ask((beliefs) => beliefs.queryNode(node_id)),
  }),
]

const edgeTools = (ask: AskGraph): Tool[] => [
  defineTool({
    name: 'edge.bind',
    title: 'Bind two beliefs',
    description:
      'Creates an edge through which the belief of src influences dst. A negative weight pulls towards the opposite. An edge that closes a cycle is refused. Beliefs move at the next propagation.',
    effect: 'write',
    ownLineage: true,
    input: z.strictObject({
      src: IdInput.describe('Id of the node that influences, as digits.'),
      dst: IdInput.describe('Id of the node that is influenced, as digits.'),
      weight: WeightInput,
    }),
    output: schemas.EdgeOutput,
    listingMeta: beliefListingMeta(['state_mutation', 'topology_change', 'lineage_append'], ['node.query']),
    render: 'indented',
    run: ({ src, dst, weight }) => ask((beliefs) => beliefs.bindEdge(src, dst, weight)),
  }),
  defineTool({
    name: 'edge.propagate',
    title: 'Let beliefs spread',
    description:
      'Runs one propagation step over all edges: every belief moves towards the beliefs that influence it. Returns the largest change; repeat until converged is true.',
    effect: 'write',
    ownLineage: true,
    input: z.strictObject({ edge_id: z.string().describe('Accepted for compatibility and not used.') }),
    output: schemas.PropagateResult,
    listingMeta: beliefListingMeta(['state_mutation', 'energy_transfer', 'lineage_append']),
    render: 'indented',
    run: () => ask((beliefs) => beliefs.propagate()),
  }),
]

const governanceTools = (ask: AskGraph): Tool[] => [
  defineTool({
    name: 'governor.status',
    title: 'Governor status',
    description:
      'Returns the drift of the belief graph from exact energy conservation, and whether it is coherent.',
    effect: 'read',
    input: NoInput,
    output: schemas.GovernorStatus,
    listingMeta: beliefListingMeta([]),
    render: 'indented',
    run: () => ask((beliefs) => beliefs.governorStatus()),
  }),
  defineTool({
    name: 'esv.audit',
    title: 'Audit a belief',
    description:
      'Checks the stored values, bounds and edges of one node in the belief graph. INVALID means that it was changed outside the tools.',
    effect: 'read',
    input: Node,
    output: schemas.AuditResult,
    listingMeta: beliefListingMeta(['esv_validation'], ['node.query']),
    render: 'indented',
    run: ({ node_id }) => ask((beliefs) => beliefs.auditNode(node_id)),
  }),
]

const governanceStatus = (ask: AskGraph): Tool =>
  defineTool({
    name: 'governance.status',
    title: 'Governance status',
    description:
      'Returns the health of the belief graph: checksums, drift, audits, quarantine and sizes. When healthy is false, verify the lineage.',
    effect: 'read',
    input: NoInput,
    output: schemas.GovernanceStatus,
    listingMeta: beliefListingMeta([]),
    render: 'indented',
    run: () => ask((beliefs) => beliefs.governanceStatus()),
  })

/** The belief graph. It is opened by the first call, not when the tools are listed. */
export const beliefsToolset = (
  open: () => MaybePromise<Beliefs>,
  { revealTopology = false }: { readonly revealTopology?: boolean } = {},
): Toolset => {
  const ask = askGraph(open)
  return {
    name: 'beliefs',
    title: 'The belief graph and its lineage',
    // The order that clients of scg-mcp-server know.
    tools: [
      ...nodeTools(ask),
      ...edgeTools(ask),
      ...governanceTools(ask),
      ...lineageTools(ask),
      governanceStatus(ask),
      ...addedTools(ask, revealTopology),
    ]
      .map(withRedaction)
      .map(withQuarantine(open)),
    resources: [],
    prompts: [],
  }
}
