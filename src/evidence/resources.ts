import type { ChangeEvent } from '../kernel/change-events.ts'
import { defineResource, type Resource } from '../kernel/resource.ts'
import { PLATFORM_NAMES } from './path-platform.ts'
import { COLLECTIONS, type CollectionName, MAX_LIMIT } from './query.ts'
import { VIEW_NAMES } from './status.ts'
import type { EvidenceViews } from './views.ts'

/** Reserved for members that truncation adds, and for a count that gets longer. */
const RESERVED_BYTES = 64

/** The first items that fit into `bytes` together with the rest of the answer. */
const fitList = <T>(items: readonly T[], answer: unknown, bytes: number): T[] => {
  const sizes = items.map((item) => Buffer.byteLength(JSON.stringify(item)) + 1)
  const rest = Buffer.byteLength(JSON.stringify(answer)) - sizes.reduce((sum, size) => sum + size, 0)
  let room = bytes - rest - RESERVED_BYTES
  const over = sizes.findIndex((size) => {
    room -= size
    return room < 0
  })
  return items.slice(0, over === -1 ? items.length : over)
}

interface Snapshot<T> {
  readonly snapshot: { readonly findings: readonly T[] }
}

/** Truncates the list of findings and sets `truncated`. */
export const truncateSnapshot = <T, S extends Snapshot<T>>(answer: S, bytes: number) => {
  const findings = fitList(answer.snapshot.findings, answer, bytes)
  const truncated = findings.length < answer.snapshot.findings.length
  return truncated ? { ...answer, snapshot: { ...answer.snapshot, findings, truncated } } : answer
}

interface PagedAnswer {
  readonly pagination: { readonly has_more: boolean }
}

/** Shortens a page and sets `has_more`, so that the client continues as with any other page. */
export const truncatePage =
  <K extends string>(name: K) =>
  <A extends PagedAnswer & Readonly<Record<K, readonly unknown[]>>>(answer: A, bytes: number): A => {
    const items = fitList(answer[name], answer, bytes)
    if (items.length === answer[name].length) return answer
    return {
      ...answer,
      ...(name === 'findings' && { findings_count: items.length }),
      pagination: { ...answer.pagination, has_more: true },
      [name]: items,
    }
  }

interface ResourceSources {
  readonly status: () => Promise<object>
  readonly views: () => Promise<EvidenceViews>
  readonly page: (name: CollectionName, args: object) => Promise<object>
}

/** A resource has no paging: its list is truncated at this size, and the tools page through the rest. */
const MAX_BYTES = 1024 * 1024

const jsonResource = (name: string, description: string, read: () => Promise<object>): Resource =>
  defineResource({
    uri: `evidence://${name}`,
    name: `evidence-${name}`,
    title: `Evidence: ${name}`,
    description,
    mimeType: 'application/json',
    read: async () => JSON.stringify(await read()),
  })

export const evidenceResources = ({ status, views, page }: ResourceSources): readonly Resource[] => [
  jsonResource('status', 'Whether there is valid evidence, and its counts.', status),
  jsonResource('summary', 'Stage, outcome and all counts.', async () => (await views()).summary()),
  jsonResource('snapshot', 'Stage, outcome and every finding.', async () =>
    truncateSnapshot((await views()).snapshot(), MAX_BYTES),
  ),
  ...COLLECTIONS.map((name) =>
    jsonResource(name, `The first ${MAX_LIMIT} ${name}.`, () => page(name, { limit: MAX_LIMIT })),
  ),
  defineResource({
    uri: 'evidence://findings/{platform}',
    name: 'evidence-findings-of',
    title: 'Evidence: findings of a platform',
    description: `The first ${MAX_LIMIT} findings of one platform.`,
    mimeType: 'application/json',
    read: async ({ platform }) => JSON.stringify(await page('findings', { platform, limit: MAX_LIMIT })),
    complete: (_, prefix) => PLATFORM_NAMES.filter((name) => name.startsWith(prefix)),
  }),
]

const ADDRESSES = [
  ...['status', ...VIEW_NAMES].map((name) => `evidence://${name}`),
  ...PLATFORM_NAMES.map((name) => `evidence://findings/${name}`),
]

/** Emits a change event for every evidence resource. */
export const announceEvidence = (emit: (change: ChangeEvent) => void): void => {
  for (const uri of ADDRESSES) emit({ kind: 'resource', uri })
}
