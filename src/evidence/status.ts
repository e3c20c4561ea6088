import { optional } from '../kernel/optional.ts'
import { COLLECTIONS, FILTERS, MAX_LIMIT } from './query.ts'
import type { EvidenceReading } from './store.ts'
import { viewsOf } from './views.ts'

const PAGING = ['limit', 'offset', 'maxLimit'] as const

/** Views that are served under the route, beside the file itself. */
export const VIEW_NAMES = ['summary', 'snapshot', ...COLLECTIONS] as const

const byCollection = <T>(value: (name: (typeof COLLECTIONS)[number]) => T) =>
  Object.fromEntries(COLLECTIONS.map((name) => [name, value(name)]))

/** Endpoints, filters and limits: the same in every status. */
const contextApi = (route: string) => {
  const base = route === '/' ? '' : route
  return {
    endpoints: ['/health', '/status', route, ...VIEW_NAMES.map((name) => `${base}/${name}`)],
    filters: byCollection((name) => [...FILTERS[name], ...PAGING]),
    pagination_bounds: byCollection(() => ({ max_limit: MAX_LIMIT })),
  }
}

const degraded = (reading: Exclude<EvidenceReading, { kind: 'valid' }>) => {
  const exists = reading.kind === 'invalid'
  return {
    exists,
    present: exists,
    valid: false,
    version: (exists && reading.version) || null,
    findings_count: 0,
    ...(exists && { reason: reading.reason, ...optional({ at: reading.at }) }),
  }
}

export interface StatusOptions {
  readonly route: string
  /** The path of the file as it is shown to the client. */
  readonly path: string
}

/** Whether there is valid evidence, and its counts. */
export const statusView = (reading: EvidenceReading, { route, path }: StatusOptions) => ({
  status: reading.kind === 'valid' ? ('ok' as const) : ('degraded' as const),
  context_api: contextApi(route),
  evidence:
    reading.kind === 'valid'
      ? { path, exists: true, present: true, valid: true, ...viewsOf(reading.evidence).statusFields() }
      : { path, ...degraded(reading) },
})
