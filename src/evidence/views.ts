import { Collection } from './collection.ts'
import { compareFields, compareFindings, compareLedger, compareText } from './compare.ts'
import { otherFacets, snapshotFacets } from './facets.ts'
import { platformOf } from './path-platform.ts'
import { type CollectionName, type EvidenceQuery, MAX_LIMIT } from './query.ts'
import type { Evidence } from './schema.ts'

/** One page of a collection: its header and the indices of its items. */
interface EvidencePage<N extends CollectionName = CollectionName> {
  readonly head: ReturnType<EvidenceViews['head']>
  readonly name: N
  readonly indices: readonly number[]
}

const lower = (text: string): string => text.toLowerCase()

const listPlatforms = (platforms: Evidence['platforms']) =>
  Object.entries(platforms)
    .map(([platform, { detected, confidence }]) => ({ platform, detected, confidence }))
    .sort((a, b) => compareText(a.platform, b.platform))

const makeCollections = ({ snapshot, rulesets, platforms, ledger }: Evidence) => ({
  findings: new Collection(snapshot.findings.toSorted(compareFindings), {
    fields: {
      severity: ({ severity }) => lower(severity),
      ruleId: ({ ruleId }) => lower(ruleId),
      platform: ({ file }) => platformOf(file),
    },
  }),
  rulesets: new Collection(rulesets.toSorted(compareFields(['platform', 'bundle', 'hash'])), {
    fields: { platform: ({ platform }) => lower(platform), bundle: ({ bundle }) => lower(bundle) },
  }),
  platforms: new Collection(listPlatforms(platforms), {
    fields: {
      detected: ({ detected }) => String(detected),
      confidence: ({ confidence }) => lower(confidence),
    },
  }),
  ledger: new Collection(ledger.toSorted(compareLedger), {
    fields: {},
    time: ({ lastSeen }) => Date.parse(lastSeen),
  }),
})

type Collections = ReturnType<typeof makeCollections>
type Items = { readonly [N in CollectionName]: Collections[N]['items'][number] }

const lazy = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** All views of one evidence. Every part is computed on first use and cached. */
export class EvidenceViews {
  readonly evidence: Evidence
  readonly #collections: () => Collections
  readonly #snapshot: () => ReturnType<typeof snapshotFacets>
  readonly #others: () => ReturnType<typeof otherFacets>

  constructor(evidence: Evidence) {
    this.evidence = evidence
    this.#collections = lazy(() => makeCollections(evidence))
    this.#snapshot = lazy(() => snapshotFacets(evidence.snapshot.findings))
    this.#others = lazy(() => otherFacets({ ...evidence, rulesets: [...this.#collections().rulesets.items] }))
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

  page<N extends CollectionName>(name: N, query: EvidenceQuery): EvidencePage<N> {
    const { fields, timeRange, requested, offset } = query
    const found = this.#collections()[name].select(fields, timeRange)
    const limit = requested === null ? null : Math.min(requested, MAX_LIMIT)
    const indices = found.slice(offset, limit === null ? undefined : offset + limit)
    return { head: this.head(name, query, indices.length, found.length), name, indices }
  }

  /** Header of a page: everything but the items. */
  head(name: CollectionName, { echo, requested, offset }: EvidenceQuery, size: number, total: number) {
    const limit = requested === null ? null : Math.min(requested, MAX_LIMIT)
    return {
      ...this.#origin,
      ...(name === 'findings' && { snapshot: this.#verdict, findings_count: size }),
      total_count: total,
      filters: echo,
      pagination: {
        requested_limit: requested,
        max_limit: MAX_LIMIT,
        limit,
        offset,
        has_more: offset + size < total,
      },
    }
  }

  /** The page as an object: header and items. */
  pageObject<N extends CollectionName>(name: N, query: EvidenceQuery) {
    const { head, indices } = this.page(name, query)
    const { items } = this.#collections()[name]
    const page = { ...head, [name]: indices.map((index) => items[index]) }
    return page as typeof head & { readonly [K in N]: Items[K][] }
  }

  /** The page as JSON, joined from the cached JSON of its items. */
  pageText({ head, name, indices }: EvidencePage): string {
    const collection = this.#collections()[name]
    const items = indices.map((place) => collection.text(place)).join(',')
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
