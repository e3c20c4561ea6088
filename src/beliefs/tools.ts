import * as z from 'zod'
import type { Toolset } from '../kernel/catalog.ts'
import { Digest } from '../kernel/encoding/digest.ts'
import { defineTool, type Tool } from '../kernel/tool.ts'
import type { MaybePromise } from '../lineage/store.ts'
import type { Beliefs } from './beliefs.ts'
import { BeliefInput, ClaimInput, DeltaInput, EnergyInput, IdInput, WeightInput } from './input/inputs.ts'
import { addedTools, lineageTools } from './lineage-tools.ts'
import * as schemas from './schemas.ts'
import { type AskGraph, askGraph, beliefListingMeta, withRedaction } from './tool-support.ts'

const None = z.object({})
const Node = z.object({ node_id: IdInput })

const nodeTools = (ask: AskGraph): Tool[] => [
  defineTool({
    name: 'node.create',
    title: 'Create a belief',
    description:
      'Adds a node to the belief graph with a degree of belief and an amount of energy taken from the finite reserve. Optionally says what it stands for and what it rests on.',
    effect: 'write',
    input: z.object({
      belief: BeliefInput,
      energy: EnergyInput,
      claim: ClaimInput.optional().describe('What the node stands for, in words.'),
      evidence: Digest.optional().describe('Digest of the evidence it rests on.'),
    }),
    output: schemas.NodeOutput,
    listingMeta: beliefListingMeta(['state_mutation', 'energy_allocation', 'lineage_append']),
    render: 'indented',
    run: ({ belief, energy, claim, evidence }) =>
      ask((beliefs) =>
        beliefs.createNode({
          belief,
          ...(claim !== undefined && { claim }),
          energy,
          ...(evidence !== undefined && { evidence }),
        }),
      ),
  }),
  defineTool({
    name: 'node.mutate',
    title: 'Move a belief',
    description:
      'Moves a belief by a delta, within 0 and 1, and takes the energy it costs. Bypasses the influence of other nodes: meant for corrections.',
    effect: 'write',
    input: z.object({ node_id: IdInput, delta: DeltaInput }),
    output: schemas.NodeOutput,
    listingMeta: beliefListingMeta(['state_mutation', 'energy_consumption'], ['node.query']),
    render: 'indented',
    run: ({ node_id, delta }) => ask((beliefs) => beliefs.mutateNode(node_id, delta)),
  }),
  defineTool({
    name: 'node.query',
    title: 'Read a belief',
    description:
      'Tells the belief, the energy and the time of the last write of one node of the belief graph.',
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
      'Lets one belief influence another with a weight; a negative weight argues for the opposite. An edge that would close a cycle is refused.',
    effect: 'write',
    input: z.object({
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
      'Runs one step in which every belief moves towards what influences it. Energy moves along; none is made or lost.',
    effect: 'write',
    input: z.object({ edge_id: z.string().describe('Accepted for compatibility and not used.') }),
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
      'Tells whether the books of the belief graph agree: drift from exact conservation, and coherence.',
    effect: 'read',
    input: None,
    output: schemas.GovernorStatus,
    listingMeta: beliefListingMeta([]),
    render: 'indented',
    run: () => ask((beliefs) => beliefs.governorStatus()),
  }),
  defineTool({
    name: 'esv.audit',
    title: 'Audit a belief',
    description:
      'Checks one node of the belief graph against what was last committed: values, bounds and edges.',
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
      'Tells the whole health of the belief graph: checksums, drift, audits, quarantine and sizes.',
    effect: 'read',
    input: None,
    output: schemas.GovernanceStatus,
    listingMeta: beliefListingMeta([]),
    render: 'indented',
    run: () => ask((beliefs) => beliefs.governanceStatus()),
  })

/** The belief graph. It is opened when first asked, not when the tools are listed. */
export const beliefsToolset = (open: () => MaybePromise<Beliefs>): Toolset => {
  const ask = askGraph(open)
  return {
    name: 'beliefs',
    title: 'The belief graph and its lineage',
    // The order older clients know.
    tools: [
      ...nodeTools(ask),
      ...edgeTools(ask),
      ...governanceTools(ask),
      ...lineageTools(ask),
      governanceStatus(ask),
      ...addedTools(ask),
    ].map(withRedaction),
    resources: [],
    prompts: [],
  }
}
