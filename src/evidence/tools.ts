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

export interface EvidencePorts {
  readonly evidence: Pick<EvidenceReader, 'read'>
}

const ROUTE = '/ai-evidence'

/** The status as tools tell it: the file by its name, because who asks may sit elsewhere. */
export const readStatus = async ({ evidence }: EvidencePorts) =>
  statusView(await evidence.read(), { route: ROUTE, path: EVIDENCE_FILE })

/** The views of valid evidence; without it nothing but the status can be told. */
export const readViews = async ({ evidence }: EvidencePorts): Promise<EvidenceViews> => {
  const reading = await evidence.read()
  if (reading.kind === 'valid') return viewsOf(reading.evidence)
  const why =
    reading.kind === 'missing' ? 'there is no evidence' : `the evidence is invalid: ${reading.reason}`
  throw evidenceFaults.unusable(why)
}

/** Asks for one page, with arguments as a query would spell them. */
export const readPage = async <N extends CollectionName>(ports: EvidencePorts, name: N, args: object) => {
  const given = new Map<string, unknown>(Object.entries(args))
  const query = readQuery(name, (key) => (given.get(key) === undefined ? undefined : String(given.get(key))))
  if ('error' in query) throw evidenceFaults.query(`${query.parameter}: expected ${query.expected}`)
  const views = await readViews(ports)
  const page = views.page(name, query)
  return { head: page.head, items: views.items(page) }
}

const paging = {
  limit: z.int().min(0).max(100).default(50).describe('Most items to return.'),
  offset: z.int().min(0).default(0).describe('Items to skip.'),
}
const platform = z.string().optional().describe('Only of this platform, such as backend or ios.')

const overviewTools = (ports: EvidencePorts): Tool[] => [
  defineTool({
    name: 'evidence_status',
    title: 'Evidence status',
    description:
      'Tells whether there is valid evidence for this repository, what it says in figures, and what can be asked. Call it before you act; when degraded, only diagnose.',
    effect: 'read',
    input: NoInput,
    output: outputs.StatusShape,
    run: () => readStatus(ports),
  }),
  defineTool({
    name: 'evidence_summary',
    title: 'Evidence summary',
    description:
      'Tells stage, outcome and all counts of the evidence: findings, ledger, rulesets, platforms.',
    effect: 'read',
    input: NoInput,
    output: outputs.SummaryShape,
    run: async () => (await readViews(ports)).summary(),
  }),
  defineTool({
    name: 'evidence_snapshot',
    title: 'Evidence snapshot',
    description: 'Tells stage, outcome and every finding of the last judgement, always in the same order.',
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
    description: 'Lists findings of the last judgement by severity, rule and platform, in pages.',
    effect: 'read',
    input: z.strictObject({
      severity: Severity.optional().describe('Only of this severity.'),
      ruleId: z.string().optional().describe('Only of this rule.'),
      platform,
      ...paging,
    }),
    output: outputs.FindingsShape,
    truncate: truncatePage('findings'),
    run: async (args) => {
      const { head, items } = await readPage(ports, 'findings', args)
      return { ...head, findings: items }
    },
  }),
  defineTool({
    name: 'evidence_rulesets',
    title: 'Rulesets',
    description: 'Lists the rulesets the judgement used, with the hash of each, by platform and bundle.',
    effect: 'read',
    input: z.strictObject({
      platform,
      bundle: z.string().optional().describe('Only of this bundle.'),
      ...paging,
    }),
    output: outputs.RulesetsShape,
    truncate: truncatePage('rulesets'),
    run: async (args) => {
      const { head, items } = await readPage(ports, 'rulesets', args)
      return { ...head, rulesets: items }
    },
  }),
  defineTool({
    name: 'evidence_platforms',
    title: 'Platforms',
    description: 'Lists the platforms the judgement saw in the repository, and how sure it was.',
    effect: 'read',
    input: z.strictObject({
      detectedOnly: z.boolean().default(true).describe('False: also those that were not detected.'),
      confidence: Confidence.optional().describe('Only of this confidence.'),
      ...paging,
    }),
    output: outputs.PlatformsShape,
    truncate: truncatePage('platforms'),
    run: async (args) => {
      const { head, items } = await readPage(ports, 'platforms', args)
      return { ...head, platforms: items }
    },
  }),
  defineTool({
    name: 'evidence_ledger',
    title: 'Ledger',
    description: 'Lists open findings with the times they were first and last seen, within a time window.',
    effect: 'read',
    input: z.strictObject({
      lastSeenAfter: z.string().optional().describe('ISO 8601 date or time, inclusive.'),
      lastSeenBefore: z.string().optional().describe('ISO 8601 date or time, inclusive.'),
      ...paging,
    }),
    output: outputs.LedgerShape,
    truncate: truncatePage('ledger'),
    run: async (args) => {
      const { head, items } = await readPage(ports, 'ledger', args)
      return { ...head, ledger: items }
    },
  }),
]

/** On what proof an agent may act: the evidence of this repository, read-only. */
export const evidenceToolset = (ports: EvidencePorts): Toolset => ({
  name: 'evidence',
  title: 'The evidence of this repository',
  tools: [...overviewTools(ports), ...pageTools(ports)],
  resources: evidenceResources({
    status: () => readStatus(ports),
    views: () => readViews(ports),
    page: async (name, args) => {
      const { head, items } = await readPage(ports, name, args)
      return { ...head, [name]: items }
    },
  }),
  prompts: [],
})
