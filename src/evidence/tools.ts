import * as z from 'zod'
import type { Toolset } from '../kernel/catalog.ts'
import { defineTool, NoInput, type Tool } from '../kernel/tool.ts'
import { evidenceFaults } from './faults.ts'
import { type CollectionName, readQuery } from './query.ts'
import { evidenceResources } from './resources.ts'
import { Confidence, Severity } from './schema.ts'
import { statusView } from './status.ts'
import { EVIDENCE_FILE, type EvidenceReader } from './store.ts'
import * as outputs from './tool-outputs.ts'
import { truncatePage, truncateSnapshot } from './truncate.ts'
import { type EvidenceViews, viewsOf } from './views.ts'

interface EvidencePorts {
  readonly evidence: Pick<EvidenceReader, 'read'>
}

const ROUTE = '/ai-evidence'

/** The status for the tools: only the file name, because a remote client must not learn the path. */
const readStatus = async ({ evidence }: EvidencePorts) =>
  statusView(await evidence.read(), { route: ROUTE, path: EVIDENCE_FILE })

/** The views of valid evidence; throws when there is none. */
const readViews = async ({ evidence }: EvidencePorts): Promise<EvidenceViews> => {
  const reading = await evidence.read()
  if (reading.kind === 'valid') return viewsOf(reading.evidence)
  const why =
    reading.kind === 'missing'
      ? 'there is no evidence file'
      : `the evidence file is invalid: ${reading.reason}`
  throw evidenceFaults.unusable(why)
}

/** Reads one page; the arguments are parsed like HTTP query parameters. */
const readPage = async <N extends CollectionName>(ports: EvidencePorts, name: N, args: object) => {
  const given = new Map<string, unknown>(Object.entries(args))
  const query = readQuery(name, (key) => (given.get(key) === undefined ? undefined : String(given.get(key))))
  if ('error' in query) throw evidenceFaults.query(`${query.parameter}: expected ${query.expected}`)
  return (await readViews(ports)).pageObject(name, query)
}

const paging = {
  limit: z.int().min(0).max(100).default(50).describe('Maximum number of items.'),
  offset: z.int().min(0).default(0).describe('Number of items to skip.'),
}
const platform = z.string().optional().describe('Only this platform, such as backend or ios.')

const overviewTools = (ports: EvidencePorts): Tool[] => [
  defineTool({
    name: 'evidence_status',
    title: 'Evidence status',
    description:
      'Returns whether this repository has valid gate evidence, and its counts. Call it before you change anything; when the status is degraded, only diagnose. Next: evidence_findings.',
    effect: 'read',
    input: NoInput,
    output: outputs.StatusShape,
    run: () => readStatus(ports),
  }),
  defineTool({
    name: 'evidence_summary',
    title: 'Evidence summary',
    description:
      'Returns stage, outcome and all counts of the evidence: findings, ledger, rulesets, platforms.',
    effect: 'read',
    input: NoInput,
    output: outputs.SummaryShape,
    run: async () => (await readViews(ports)).summary(),
  }),
  defineTool({
    name: 'evidence_snapshot',
    title: 'Evidence snapshot',
    description: 'Returns stage, outcome and all findings of the last gate run, in a stable order.',
    effect: 'read',
    input: NoInput,
    output: outputs.SnapshotShape,
    truncate: truncateSnapshot,
    run: async () => (await readViews(ports)).snapshot(),
  }),
]

const pageTools = (ports: EvidencePorts): Tool[] => [
  defineTool({
    name: 'evidence_findings',
    title: 'Findings',
    description: 'Lists findings of the last gate run in pages, filtered by severity, rule and platform.',
    effect: 'read',
    input: z.strictObject({
      severity: Severity.optional().describe('Only this severity.'),
      ruleId: z.string().optional().describe('Only this rule.'),
      platform,
      ...paging,
    }),
    output: outputs.FindingsShape,
    truncate: truncatePage('findings'),
    run: (args) => readPage(ports, 'findings', args),
  }),
  defineTool({
    name: 'evidence_rulesets',
    title: 'Rulesets',
    description:
      'Lists the rulesets of the last gate run with their hashes, filtered by platform and bundle.',
    effect: 'read',
    input: z.strictObject({
      platform,
      bundle: z.string().optional().describe('Only this bundle.'),
      ...paging,
    }),
    output: outputs.RulesetsShape,
    truncate: truncatePage('rulesets'),
    run: (args) => readPage(ports, 'rulesets', args),
  }),
  defineTool({
    name: 'evidence_platforms',
    title: 'Platforms',
    description:
      'Lists the platforms that the last gate run detected in the repository, with its confidence.',
    effect: 'read',
    input: z.strictObject({
      detectedOnly: z.boolean().default(true).describe('false: also list platforms that were not detected.'),
      confidence: Confidence.optional().describe('Only this confidence.'),
      ...paging,
    }),
    output: outputs.PlatformsShape,
    truncate: truncatePage('platforms'),
    run: (args) => readPage(ports, 'platforms', args),
  }),
  defineTool({
    name: 'evidence_ledger',
    title: 'Ledger',
    description: 'Lists open findings with the times they were first and last seen, filtered by time.',
    effect: 'read',
    input: z.strictObject({
      lastSeenAfter: z.string().optional().describe('ISO 8601 date or time, inclusive.'),
      lastSeenBefore: z.string().optional().describe('ISO 8601 date or time, inclusive.'),
      ...paging,
    }),
    output: outputs.LedgerShape,
    truncate: truncatePage('ledger'),
    run: (args) => readPage(ports, 'ledger', args),
  }),
]

/** Read-only tools for the evidence of this repository. */
export const evidenceToolset = (ports: EvidencePorts): Toolset => ({
  name: 'evidence',
  title: 'The evidence of this repository',
  tools: [...overviewTools(ports), ...pageTools(ports)],
  resources: evidenceResources({
    status: () => readStatus(ports),
    views: () => readViews(ports),
    page: (name, args) => readPage(ports, name, args),
  }),
  prompts: [],
})
