import * as z from 'zod'
import type { Clock, Repository, StoreCheck } from '../../kernel/ports.ts'

export const Status = z.strictObject({
  version: z.string().describe('Version of this server.'),
  protocol: z.array(z.string()).describe('Supported MCP revisions, newest first.'),
  toolsets: z
    .array(z.strictObject({ name: z.string(), tools: z.int().describe('Number of enabled tools.') }))
    .describe('Enabled toolsets.'),
  readOnly: z.boolean().describe('True: tools that write are not offered.'),
  store: z.strictObject({
    kind: z.string(),
    state: z.enum(['ready', 'absent', 'failing']),
    detail: z.string(),
  }),
  freshness: z
    .strictObject({
      head: z.string().optional().describe('Checked-out commit; absent when there is none.'),
      branch: z.string().optional().describe('Checked-out branch; absent when HEAD is detached.'),
      dirty: z
        .boolean()
        .optional()
        .describe('Whether there are uncommitted changes; absent outside a repository.'),
      at: z.string().describe('Time of the lookup, RFC 3339.'),
    })
    .describe('State of the repository that answers refer to.'),
})
export type Status = z.infer<typeof Status>

/** The part of the status that is fixed when the server starts. */
export type ServerInfo = Pick<Status, 'version' | 'protocol' | 'toolsets' | 'readOnly'>

export interface StatusPorts {
  readonly about: () => ServerInfo
  readonly store: StoreCheck
  readonly repository: Repository
  readonly clock: Clock
}

const CACHE_MS = 1_000

/**
 * Reads store and repository at most once a second. Not `cacheFor`, whose callers share a load: a cancelled call must
 * end the git process it started, and only that.
 */
export const statusReader = ({ about, store, repository, clock }: StatusPorts) => {
  let known: { readonly until: number; readonly status: Status } | undefined
  const read = async (signal: AbortSignal): Promise<Status> => {
    const [health, freshness] = await Promise.all([store.health(), repository.freshness(signal)])
    const status = { ...about(), store: health, freshness }
    // An aborted read has no commit and no branch: the next call must not get it.
    if (!signal.aborted) known = { until: clock.elapsed() + CACHE_MS, status }
    return status
  }
  return (signal: () => AbortSignal): Status | Promise<Status> =>
    known !== undefined && clock.elapsed() < known.until ? known.status : read(signal())
}
