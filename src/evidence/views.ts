import {
  compareFields,
  compareFindings,
  compareLedger,
  compareText,
  highestSeverity,
  SEVERITIES,
} from './compare.ts'
import { platformOf } from './path-platform.ts'
import { Collection, type CollectionName, type EvidenceQuery, MAX_LIMIT } from './query.ts'
import type { Evidence, Finding, Suppressed } from './schema.ts'

/** Counts over the evidence. */

const distinct = <T>(all: readonly T[], of: (one: T) => unknown): number => new Set(all.map(of)).size

/** Number of items by key, sorted by key. */
const countBy = <T>(all: readonly T[], of: (one: T) => string): Record<string, number> => {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(of(one), (counts.get(of(one)) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => compareText(a, b)))
}

const hasLines = ({ lines }: Finding): boolean => Array.isArray(lines) && lines.length > 0

const severityCounts = (findings: readonly Finding[]): Record<string, number> => {
  const counts = countBy(findings, ({ severity }) => severity)
  const present = SEVERITIES.toReversed().filter((severity) => counts[severity] !== undefined)
  return Object.fromEntries(present.map((severity) => [severity, counts[severity] ?? 0]))
}

const snapshotCounts = (findings: readonly Finding[]) => {
  const lined = findings.filter(hasLines).length
  return {
    has_findings: findings.length > 0,
    findings_count: findings.length,
    findings_files_count: distinct(findings, ({ file }) => file),
    findings_rules_count: distinct(findings, ({ ruleId }) => ruleId),
    findings_with_lines_count: lined,
    findings_without_lines_count: findings.length - lined,
    severity_counts: severityCounts(findings),
    findings_by_platform: countBy(findings, ({ file }) => platformOf(file)),
    highest_severity: highestSeverity(findings),
    blocking_findings_count: findings.filter(({ severity }) => ['CRITICAL', 'ERROR'].includes(severity))
      .length,
  }
}

/** The rule that replaced a suppressed one. Older files have only `replacedByRuleId`; null and '' mean none. */
const replacementOf = ({ replacementRuleId, replacedByRuleId }: Suppressed): string | null =>
  replacementRuleId === undefined ? replacedByRuleId : replacementRuleId

const isReplaced = (one: Suppressed): boolean => Boolean(replacementOf(one))

type SuppressedCount = (all: readonly Suppressed[], findings: number) => number

const SUPPRESSED_COUNTS: Readonly<Record<string, SuppressedCount>> = {
  suppressed_findings_count: (all) => all.length,
  suppressed_rules_count: (all) => distinct(all, ({ ruleId }) => ruleId),
  suppressed_files_count: (all) => distinct(all, ({ file }) => file),
  suppressed_platforms_count: (all) =>
    distinct(all, ({ platform, file, ruleId }) => platform ?? platformOf(file, ruleId)),
  suppressed_reasons_count: (all) => distinct(all, ({ reason }) => reason),
  /** Counts '' as a rule id, as existing readers expect. */
  suppressed_replacement_rules_count: (all) =>
    distinct(
      all.filter((one) => replacementOf(one) !== null),
      replacementOf,
    ),
  suppressed_with_replacement_count: (all) => all.filter(isReplaced).length,
  suppressed_without_replacement_count: (all) => all.length - all.filter(isReplaced).length,
  /** Share of all findings, in whole percent. */
  suppressed_finding_coverage_ratio_pct: (all, findings) =>
    all.length === 0 ? 0 : Math.round((all.length * 100) / (all.length + findings)),
}

const suppressedCounts = (all: readonly Suppressed[], findings: number): Record<string, number> =>
  Object.fromEntries(Object.entries(SUPPRESSED_COUNTS).map(([name, count]) => [name, count(all, findings)]))

/** All counts but those of the snapshot. The rulesets must be sorted: the fingerprint depends on their order. */
const evidenceCounts = ({ ledger, rulesets, platforms, consolidation, snapshot }: Evidence) => {
  const tracked = Object.values(platforms)
  const detected = tracked.filter((platform) => platform.detected).length
  return {
    ledger_count: ledger.length,
    ledger_files_count: distinct(ledger, ({ file }) => file),
    ledger_rules_count: distinct(ledger, ({ ruleId }) => ruleId),
    ledger_by_platform: countBy(ledger, ({ file }) => platformOf(file)),
    rulesets_count: rulesets.length,
    rulesets_platforms_count: distinct(rulesets, ({ platform }) => platform),
    rulesets_bundles_count: distinct(rulesets, ({ bundle }) => bundle),
    rulesets_hashes_count: distinct(rulesets, ({ hash }) => hash),
    rulesets_by_platform: countBy(rulesets, ({ platform }) => platform),
    rulesets_fingerprint: rulesets.map(({ hash }) => hash).join('|'),
    platform_confidence_counts: countBy(tracked, ({ confidence }) => confidence),
    ...suppressedCounts(consolidation?.suppressed ?? [], snapshot.findings.length),
    tracked_platforms_count: tracked.length,
    detected_platforms_count: detected,
    non_detected_platforms_count: tracked.length - detected,
  }
}

const lower = (text: string): string => text.toLowerCase()

const listPlatforms = (platforms: Evidence['platforms']) =>
  Object.entries(platforms)
    .map(([platform, { detected, confidence }]) => ({ platform, detected, confidence }))
    .sort((a, b) => compareText(a.platform, b.platform))

const lazy = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The collections, each made on first use: sorting a long one takes time. */
const makeCollections = ({ snapshot, rulesets, platforms, ledger }: Evidence) => {
  const findings = lazy(
    () =>
      new Collection(snapshot.findings.toSorted(compareFindings), {
        fields: {
          severity: ({ severity }) => lower(severity),
          ruleId: ({ ruleId }) => lower(ruleId),
          platform: ({ file }) => platformOf(file),
        },
      }),
  )
  const entries = lazy(
    () =>
      new Collection(ledger.toSorted(compareLedger), {
        fields: {},
        time: ({ lastSeen }) => Date.parse(lastSeen),
      }),
  )
  return {
    get findings() {
      return findings()
    },
    rulesets: new Collection(rulesets.toSorted(compareFields(['platform', 'bundle', 'hash'])), {
      fields: { platform: ({ platform }) => lower(platform), bundle: ({ bundle }) => lower(bundle) },
    }),
    platforms: new Collection(listPlatforms(platforms), {
      fields: {
        detected: ({ detected }) => String(detected),
        confidence: ({ confidence }) => lower(confidence),
      },
    }),
    get ledger() {
      return entries()
    },
  }
}

type Collections = ReturnType<typeof makeCollections>
type Items = { readonly [N in CollectionName]: Collections[N]['items'][number] }

/** All views of one evidence. Every part is computed on first use and cached. */
export class EvidenceViews {
  readonly evidence: Evidence
  readonly #collections: () => Collections
  readonly #snapshot: () => ReturnType<typeof snapshotCounts>
  readonly #others: () => ReturnType<typeof evidenceCounts>

  constructor(evidence: Evidence) {
    this.evidence = evidence
    this.#collections = lazy(() => makeCollections(evidence))
    this.#snapshot = lazy(() => snapshotCounts(evidence.snapshot.findings))
    this.#others = lazy(() =>
      evidenceCounts({ ...evidence, rulesets: [...this.#collections().rulesets.items] }),
    )
  }

  get #origin() {
    const { version, timestamp } = this.evidence
    return { version, timestamp }
  }

  get #verdict() {
    const { stage, outcome } = this.evidence.snapshot
    return { stage, outcome }
  }

  summary() {
    const { platforms } = this.#collections()
    return {
      ...this.#origin,
      snapshot: { ...this.#verdict, ...this.#snapshot() },
      ...this.#others(),
      platforms: platforms.items.filter(({ detected }) => detected),
    }
  }

  /** Fields of valid evidence in the status. */
  statusFields() {
    return {
      ...this.#origin,
      ...this.#verdict,
      ...this.#snapshot(),
      ...this.#others(),
      platforms: this.#collections().platforms.items.map(({ platform }) => platform),
    }
  }

  snapshot() {
    const { items } = this.#collections().findings
    return {
      ...this.#origin,
      snapshot: { ...this.#verdict, findings_count: items.length, findings: [...items] },
    }
  }

  /** The whole file; `compact` leaves out the suppressed findings. */
  whole(compact: boolean): Evidence {
    if (!compact) return this.evidence
    const { consolidation: _, ...rest } = this.evidence
    return rest
  }

  /** The header of a page, which is everything but the items, and the indices of its items. */
  #page(name: CollectionName, { echo, fields, timeRange, requested, offset }: EvidenceQuery) {
    const found = this.#collections()[name].select(fields, timeRange)
    const limit = requested === null ? null : Math.min(requested, MAX_LIMIT)
    const indices = found.slice(offset, limit === null ? undefined : offset + limit)
    const head = {
      ...this.#origin,
      ...(name === 'findings' && { snapshot: this.#verdict, findings_count: indices.length }),
      total_count: found.length,
      filters: echo,
      pagination: {
        requested_limit: requested,
        max_limit: MAX_LIMIT,
        limit,
        offset,
        has_more: offset + indices.length < found.length,
      },
    }
    return { head, indices }
  }

  /** One page as an object. */
  page<N extends CollectionName>(name: N, query: EvidenceQuery) {
    const { head, indices } = this.#page(name, query)
    const { items } = this.#collections()[name]
    const page = { ...head, [name]: indices.map((index) => items[index]) }
    return page as typeof head & { readonly [K in N]: Items[K][] }
  }

  /** One page as JSON, joined from the cached JSON of its items. */
  pageText(name: CollectionName, query: EvidenceQuery): string {
    const { head, indices } = this.#page(name, query)
    const collection = this.#collections()[name]
    const items = indices.map((index) => collection.text(index)).join(',')
    return `${JSON.stringify(head).slice(0, -1)},"${name}":[${items}]}`
  }
}

const known = new WeakMap<Evidence, EvidenceViews>()

/** The views of an evidence object, cached as long as the object lives. */
export const viewsOf = (evidence: Evidence): EvidenceViews => {
  const views = known.get(evidence) ?? new EvidenceViews(evidence)
  known.set(evidence, views)
  return views
}
