import * as z from 'zod'
import type { Toolset } from '../kernel/catalog.ts'
import { defineTool, NoInput, type Tool } from '../kernel/tool.ts'
import { type CollectionName, readQuery } from './query.ts'
import { evidenceResources, truncatePage, truncateSnapshot } from './resources.ts'
import { Confidence, GateOutcome, Severity, Stage } from './schema.ts'
import { statusView } from './status.ts'
import { EVIDENCE_FILE, type EvidenceReader, evidenceFaults } from './store.ts'
import { type EvidenceViews, viewsOf } from './views.ts'

/**
 * Output schemas of the tools with the fields a client needs. Other fields of the file are passed through. Kept short,
 * because a model pays tokens for every word.
 */

const count = z.int()
// `nullable` and a bare union become a list of types in JSON Schema, which some model APIs reject.
const orNull = <T extends z.ZodType>(schema: T, what: string) => z.union([schema.describe(what), z.null()])
const text = z.string()

const EvidenceStatusOutput = z.looseObject({
  status: z
    .enum(['ok', 'degraded'])
    .describe('degraded: there is no valid evidence; do not change anything.'),
  context_api: z.looseObject({}).describe('Endpoints with their filters and limits.'),
  evidence: z
    .looseObject({
      exists: z.boolean(),
      present: z.boolean(),
      valid: z.boolean(),
      version: orNull(text, 'Version of the evidence file.'),
      findings_count: count,
      reason: text.optional().describe('Why the evidence is not valid.'),
      at: text.optional().describe('Path of the first problem in the file.'),
    })
    .describe('Valid evidence: also all counts of the summary.'),
})

const FindingRow = z.looseObject({
  ruleId: text,
  severity: Severity,
  code: text,
  message: text,
  file: text,
})
const PlatformRow = z.looseObject({ platform: text, detected: z.boolean(), confidence: text })

const SummaryOutput = z.looseObject({
  version: text,
  timestamp: text,
  snapshot: z.looseObject({
    stage: Stage,
    outcome: GateOutcome,
    findings_count: count,
    severity_counts: z.looseObject({}),
    highest_severity: orNull(Severity, 'null: there are no findings.'),
    blocking_findings_count: count.describe('CRITICAL and ERROR.'),
  }),
  platforms: z.array(PlatformRow).describe('The detected platforms.'),
})

const SnapshotOutput = z.looseObject({
  snapshot: z.looseObject({
    stage: text,
    outcome: text,
    findings_count: count,
    findings: z.array(FindingRow),
    truncated: z.boolean().optional().describe('True: truncated; use evidence_findings to page through all.'),
  }),
})

const page = {
  total_count: count.describe('Items that match the filters.'),
  pagination: z.looseObject({
    offset: z.number(),
    has_more: z.boolean().describe('True: call again with a higher offset.'),
  }),
}

const FindingsOutput = z.looseObject({ ...page, findings: z.array(FindingRow) })
const RulesetsOutput = z.looseObject({
  ...page,
  rulesets: z.array(z.looseObject({ platform: text, bundle: text, hash: text })),
})
const PlatformsOutput = z.looseObject({ ...page, platforms: z.array(PlatformRow) })
const LedgerOutput = z.looseObject({
  ...page,
  ledger: z.array(z.looseObject({ ruleId: text, file: text, firstSeen: text, lastSeen: text })),
})

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
  return (await readViews(ports)).page(name, query)
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
    output: EvidenceStatusOutput,
    run: () => readStatus(ports),
  }),
  defineTool({
    name: 'evidence_summary',
    title: 'Evidence summary',
    description:
      'Returns stage, outcome and all counts of the evidence: findings, ledger, rulesets, platforms.',
    effect: 'read',
    input: NoInput,
    output: SummaryOutput,
    run: async () => (await readViews(ports)).summary(),
  }),
  defineTool({
    name: 'evidence_snapshot',
    title: 'Evidence snapshot',
    description: 'Returns stage, outcome and all findings of the last gate run, in a stable order.',
    effect: 'read',
    input: NoInput,
    output: SnapshotOutput,
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
    output: FindingsOutput,
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
    output: RulesetsOutput,
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
    output: PlatformsOutput,
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
    output: LedgerOutput,
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
