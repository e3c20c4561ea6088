import { Collection } from './collection.ts'
import { compareFields, compareFindings, compareLedger, compareText } from './compare.ts'
import { evidenceCounts, snapshotCounts } from './facets.ts'
import { platformOf } from './path-platform.ts'
import { type CollectionName, type EvidenceQuery, MAX_LIMIT } from './query.ts'
import type { Evidence } from './schema.ts'

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
