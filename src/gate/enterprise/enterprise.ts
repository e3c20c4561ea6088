import type { GateStage } from '../../evidence/stage.ts'
import { cacheFor } from '../../kernel/async/cached.ts'
import type { Clock, Log } from '../../kernel/ports.ts'
import {
  type LifecyclePorts,
  type LifecycleStatus,
  readLifecycle,
} from '../../setup/git-hooks/installation.ts'
import type { GateVerdict } from '../judge-evidence.ts'
import type { GitReader, GitState } from '../ports.ts'
import { readSdd, type SddPorts, type SddStatus } from '../sdd/sdd.ts'
import { RESOURCES, type ResourceUri, TOOLS } from './catalog.ts'

/** The answer of the evidence server at `/status`. */
interface EvidenceStatus {
  readonly status: string
  readonly context_api: object
  readonly evidence: {
    readonly exists: boolean
    readonly present: boolean
    readonly valid: boolean
    readonly version: string | null
  }
}

/** The ports of one repository. */
export interface RepositoryPorts {
  readonly git: GitReader
  readonly lifecycle: LifecyclePorts
  readonly sdd: SddPorts
}

export interface EnterprisePorts {
  /** The folder of the server, absolute. */
  readonly folder: string
  /** The root of the repository around the folder. Not cached: it may be created while the server runs. */
  readonly locate: () => Promise<string | undefined>
  readonly open: (root: string) => RepositoryPorts
  readonly evidence: () => Promise<EvidenceStatus>
  readonly judge: (stage: GateStage, signal: AbortSignal) => Promise<GateVerdict>
  readonly clock: Clock
  readonly log: Log
}

/** The repository as `/status` and the resources report it. */
interface RepositorySnapshot {
  readonly repoRoot: string
  readonly lifecycle: LifecycleStatus | null
  readonly sdd: SddStatus | null
}

type Gitflow =
  | { readonly available: false }
  | (Pick<GitState, 'ahead' | 'behind' | 'dirty' | 'staged' | 'unstaged'> & {
      readonly available: true
      readonly branch?: string
      readonly upstream?: string
    })

const SNAPSHOT_MS = 1_000

const nullOnFailure = <T>(reading: Promise<T>, log: Log, what: string): Promise<T | null> =>
  reading.catch((cause: unknown) => {
    log.write('warn', `cannot read the ${what}`, { cause: String(cause) })
    return null
  })

const readSnapshot = async ({ folder, locate, open, log }: EnterprisePorts): Promise<RepositorySnapshot> => {
  const root = await locate()
  if (root === undefined) return { repoRoot: folder, lifecycle: null, sdd: null }
  const { lifecycle, sdd } = open(root)
  // Concurrent callers share this reading, so no caller's signal may cancel it; each program has its own timeout.
  const { signal } = new AbortController()
  const keys = lifecycle.config.read('warrant.', signal)
  const [installed, specified] = await Promise.all([
    nullOnFailure(readLifecycle(lifecycle, keys, signal), log, 'lifecycle'),
    // Every reader of this is a GET or a resource, and those start no program of their own.
    nullOnFailure(readSdd(sdd, keys, { start: false, signal }), log, 'specification'),
  ])
  return { repoRoot: root, lifecycle: installed, sdd: specified }
}

/** Reads the repository at most once a second; callers at the same time share one reading. */
const snapshotReader = (ports: EnterprisePorts) =>
  cacheFor(ports.clock, SNAPSHOT_MS, () => readSnapshot(ports))

export const readGitflow = async (
  { locate, open, log }: EnterprisePorts,
  signal: AbortSignal,
): Promise<Gitflow> => {
  const root = await locate()
  const state = root === undefined ? null : await nullOnFailure(open(root).git.state(signal), log, 'branch')
  if (!state?.available) return { available: false }
  const { available: _, branch, upstream, ...counts } = state
  return {
    available: true,
    ...(branch !== null && { branch }),
    ...(upstream !== null && { upstream }),
    ...counts,
  }
}

const activeChange = (sdd: SddStatus | null) => ({
  available: sdd !== null,
  active: sdd?.session.active ?? false,
  valid: sdd?.session.valid ?? false,
  changeId: sdd?.session.changeId ?? null,
  remainingSeconds: sdd?.session.remainingSeconds ?? null,
})

/** Reads the status and the resources of the enterprise server. */
export const enterpriseReader = (ports: EnterprisePorts) => {
  const readCached = snapshotReader(ports)

  const readers: Readonly<Record<ResourceUri, (signal: AbortSignal) => Promise<object>>> = {
    'evidence://status': () => ports.evidence(),
    'gitflow://state': (signal) => readGitflow(ports, signal),
    'context://active': async (signal) => {
      const [{ repoRoot, lifecycle, sdd }, gitflow] = await Promise.all([
        readCached(),
        readGitflow(ports, signal),
      ])
      return { repoRoot, gitflow, lifecycle, sdd }
    },
    'sdd://status': async () => (await readCached()).sdd ?? { available: false },
    'sdd://active-change': async () => activeChange((await readCached()).sdd),
  }

  return {
    resource: (uri: ResourceUri, signal: AbortSignal): Promise<object> => readers[uri](signal),

    async status() {
      const [{ repoRoot, lifecycle, sdd }, evidence] = await Promise.all([readCached(), ports.evidence()])
      const { exists, present, valid, version } = evidence.evidence
      return {
        status: 'ok' as const,
        repoRoot,
        capabilities: {
          resources: RESOURCES.map(({ uri }) => uri),
          tools: TOOLS.map(({ name }) => name),
          mode: 'baseline' as const,
        },
        lifecycle,
        sdd,
        // Clients expect the summary members here, or the whole answer of the evidence server: send both.
        evidence: { exists, present, valid, version, ...evidence },
      }
    },
  }
}
export type EnterpriseReader = ReturnType<typeof enterpriseReader>
