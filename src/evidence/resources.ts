import type { ChangeEvent } from '../kernel/change-events.ts'
import { defineResource, type Resource } from '../kernel/resource.ts'
import { PLATFORM_NAMES } from './path-platform.ts'
import { COLLECTIONS, type CollectionName, MAX_LIMIT } from './query.ts'
import { VIEW_NAMES } from './status.ts'
import { truncateSnapshot } from './truncate.ts'
import type { EvidenceViews } from './views.ts'

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
