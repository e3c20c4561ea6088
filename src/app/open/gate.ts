import { isBuildServer } from '../../evidence/stage.ts'
import { readRepoState } from '../../gate/facts/repo-state.ts'
import { OPENSPEC_FOLDER } from '../../gate/policy-layer.ts'
import { namedBranches } from '../../gate/protected-branches.ts'
import type { GatePorts } from '../../gate/run.ts'
import { optional } from '../../kernel/optional.ts'
import type { Clock, RepositoryFiles } from '../../kernel/ports.ts'
import { fileEvidence } from '../../platform/files/evidence-file.ts'
import { withOneQuery } from '../../platform/git/installation-query.ts'
import { findPlace } from '../../platform/git/place.ts'
import { gitReader } from '../../platform/git/reader.ts'
import { gitFaults } from '../../platform/git/run.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import type { ResultCache } from '../../platform/scanner/result-cache.ts'
import { repoLifecycle } from '../../setup/git-hooks/installation.ts'
import type { Config } from '../config/settings.ts'
import { openScanner, openShippedRules, type ScanReuse } from './load-rules.ts'
import { policyVariables } from './read-policy.ts'
import { locateRepository, openRepository, openSpecChoice } from './repository.ts'
import { scanCachePath } from './user-state.ts'

export interface GateContext {
  readonly environment: NodeJS.ProcessEnv
  readonly clock: Clock
  /** `GIT_INDEX_FILE`, which git sets for hooks. */
  readonly indexFile?: string | undefined
  /** Results of earlier scans. Default: the cache of this user. */
  readonly reuse?: ScanReuse | 'none' | undefined
  /** Digests of checks files that an option of this run allows. */
  readonly allowedChecks?: readonly string[]
}

/** A repository, opened for the gate. */
export interface OpenGate {
  readonly root: string
  readonly ports: GatePorts
  readonly files: RepositoryFiles
  /** Whose policy the command judges by. */
  readonly policyFrom: Config['policyFrom']
}

/** The time under the deterministic clock. */
export const FIXED_NOW = 1_700_000_000_000

/** The time that evidence records. Reproducible builds set `SOURCE_DATE_EPOCH`. */
const gateNow = ({ clock }: Pick<Config, 'clock'>, context: GateContext): (() => number) => {
  const epoch = context.environment.SOURCE_DATE_EPOCH
  if (epoch !== undefined && /^\d{1,11}$/.test(epoch)) return () => Number(epoch) * 1_000
  return clock === 'deterministic' ? () => FIXED_NOW : () => context.clock.now()
}

/** Files that are scanned before the cache is opened. */
const CACHE_AFTER = 24

/** A build server has no cache of its own: one that jobs share could hold results of a change that is judged. */
export const pickReuse = (
  { readOnly }: Config,
  root: string,
  { reuse, environment }: GateContext,
): ScanReuse | undefined => {
  if (reuse === 'none') return undefined
  if (reuse !== undefined || readOnly || isBuildServer(environment)) return reuse
  let cache: ResultCache | undefined
  return {
    after: CACHE_AFTER,
    open: async () => {
      const { openResultCache } = await import('../../platform/scanner/result-cache.ts')
      cache = await openResultCache(scanCachePath(root, environment))
      return cache
    },
    save: async () => cache?.save(),
  }
}

/** Opens the gate for the repository around `folder`. Throws a fault where there is none. */
export const openGate = async (
  config: Config,
  { folder, signal, ...context }: GateContext & { readonly folder: string; readonly signal: AbortSignal },
): Promise<OpenGate> => {
  const { environment, clock, indexFile, allowedChecks: allowed = [] } = context
  const { gitFolders } = config
  const location = { folder, environment, gitFolders, ...optional({ indexFile }) }
  await locateRepository(config, folder)
  const found = await findPlace(location, signal)
  if (found === undefined)
    throw gitFaults.repository('this folder is not in a git repository with a working tree')
  const { folder: root } = found
  const git = gitReader({ ...location, found }, { steady: true })
  // Starts git for all that a run asks.
  await git.root(signal)
  const { lifecycle: ports } = openRepository(root, { environment, clock, gitFolders, found })
  const lifecycle = { ...ports, ...withOneQuery(ports, found) }
  const [installed, shippedRules] = [repoLifecycle(lifecycle, signal), openShippedRules()]
  // Started early and awaited later: handle rejections now, so that they are not reported as unhandled.
  installed.catch(() => {})
  const files = repositoryFiles(root)
  const needsSpecification = async () => config.sdd === 'always' || (await files.exists(OPENSPEC_FOLDER))
  return {
    root,
    files,
    policyFrom: config.policyFrom,
    ports: {
      change: {
        git,
        files,
        shippedRules,
        scanner: () => openScanner(pickReuse(config, root, context)),
        rewrite: async (request) => (await import('../../platform/scanner/rewrite.ts')).rewriteMatch(request),
        policyVariables: policyVariables(environment),
        profile: config.profile,
        now: () => clock.now(),
        mayAddKeys: async (set, stop) =>
          (await import('./receipts/may-add-keys.ts')).mayAddKeys({ root, config, git, signal: stop }, set),
        listDevelopers: async (commits, stop) =>
          (await import('./receipts/find-receipts.ts')).listDevelopers(
            { root, config, git, signal: stop },
            commits,
          ),
      },
      evidence: fileEvidence(root, clock),
      protectedBranches: namedBranches(config.protectedBranches),
      state: (stop) => readRepoState({ git, folder: root, lifecycle: () => installed }, stop),
      sddDecision: async (stage, stop) => {
        if (!(await needsSpecification())) return {}
        const { bindSdd } = await import('../../gate/sdd/sdd.ts')
        const openspec = openSpecChoice(config, environment, stage)
        const { sdd } = openRepository(root, { environment, clock, openspec, gitFolders })
        return bindSdd(sdd, stage, stop)
      },
      ownsEvidence: async (hash) => {
        const { readRecordedRun } = await import('./recorded-run.ts')
        const recorded = await readRecordedRun(config, [root, folder])
        return recorded === undefined || recorded.evidence === hash
      },
      checks: async () =>
        (await import('./checks/open.ts')).openChecks(config, { root, environment, allowed }),
      checkCommits: async (range, keys, stop) =>
        (await import('./receipts/log-receipts.ts')).checkReceiptRange(
          { root, config, git, signal: stop },
          range,
          keys,
        ),
      now: gateNow(config, context),
    },
  }
}
