import { relative, resolve, sep } from 'node:path'
import { readRepoState } from '../../gate/facts/repo-state.ts'
import { gateFaults } from '../../gate/faults.ts'
import { BASELINE_FILE, type LoadedBaseline, readBaseline } from '../../gate/findings/baseline.ts'
import { repoLifecycle } from '../../gate/install/installation.ts'
import type { RepositoryFiles } from '../../gate/ports.ts'
import type { GatePorts } from '../../gate/run.ts'
import type { Clock } from '../../kernel/ports.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { fileEvidence } from '../../platform/files/evidence-file.ts'
import { gitReader } from '../../platform/git/reader.ts'
import { gitFaults } from '../../platform/git/run.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import type { Config } from '../config/settings.ts'
import { loadShippedRules, openScanner } from './load-rules.ts'
import { readPolicy, readText } from './read-policy.ts'
import { openRepository } from './repository.ts'

export interface GateContext {
  readonly environment: NodeJS.ProcessEnv
  readonly clock: Clock
  /** The index a hook was handed; only a command that git started has one. */
  readonly indexFile?: string | undefined
}

/** A repository and all that judging it takes. */
export interface OpenGate {
  readonly root: string
  readonly ports: GatePorts
  readonly files: RepositoryFiles
}

const FIXED_NOW = 1_700_000_000_000

/** The time that is written down. `SOURCE_DATE_EPOCH` is how builds that must come out the same name theirs. */
const gateNow = ({ clock }: Pick<Config, 'clock'>, context: GateContext): (() => number) => {
  const epoch = context.environment.SOURCE_DATE_EPOCH
  if (epoch !== undefined && /^\d{1,11}$/.test(epoch)) return () => Number(epoch) * 1_000
  return clock === 'deterministic' ? () => FIXED_NOW : () => context.clock.now()
}

const BASELINE_BYTES = 64 * 1024 * 1024
const SPECIFICATION = 'openspec'

/** Fits the outside world to the gate, for the repository around `folder`. A fault where there is none. */
export const openGate = async (
  config: Config,
  folder: string,
  context: GateContext,
  signal: AbortSignal,
): Promise<OpenGate> => {
  const { environment, clock, indexFile } = context
  const place = { folder, environment, ...(indexFile !== undefined && { indexFile }) }
  const git = gitReader(place, { steady: true })
  const root = await git.root(signal)
  if (root === undefined) throw gitFaults.repository('this is not a git repository with a working tree')
  const { lifecycle, sdd } = openRepository(root, { environment, clock })
  const [installed, shippedRules] = [repoLifecycle(lifecycle, signal), loadShippedRules()]
  // Asked now and wanted later; what goes wrong is heard by whoever waits for it.
  for (const early of [installed, shippedRules]) early.catch(() => {})
  const files = repositoryFiles(root)
  const follows = async () => config.sdd === 'always' || (await files.exists(SPECIFICATION))
  return {
    root,
    files,
    ports: {
      git,
      files,
      evidence: fileEvidence(root, clock),
      shippedRules: () => shippedRules,
      scanner: openScanner,
      policy: (stage) => readPolicy(files, environment, stage),
      state: (stop) => readRepoState({ git, folder: root, lifecycle: () => installed }, stop),
      sddDecision: async (stage, stop) => {
        if (!(await follows())) return undefined
        const { evaluateSdd } = await import('../../gate/sdd/sdd.ts')
        return (await evaluateSdd(sdd, stage, stop)).decision
      },
      now: gateNow(config, context),
    },
  }
}

/** The baseline to judge against: the one asked for, or the repository's own when it has one. */
export const loadBaseline = async (
  { root, files }: OpenGate,
  asked: string | undefined,
  from: string,
): Promise<LoadedBaseline | undefined> => {
  if (asked === undefined) {
    const text = await readText(files, BASELINE_FILE, BASELINE_BYTES)
    if (text !== undefined) return readBaseline(BASELINE_FILE, text)
    // Something lies there that cannot be read as a file of the repository: not the same as nothing.
    if (await files.exists(BASELINE_FILE))
      throw gateFaults.baseline_invalid(`${BASELINE_FILE} cannot be read`)
    return undefined
  }
  const path = resolve(from, asked)
  const name = isPathInside(root, path) ? relative(root, path).replaceAll(sep, '/') : ''
  const text = name === '' ? undefined : await readText(files, name, BASELINE_BYTES)
  if (text === undefined) {
    throw gateFaults.baseline_missing(`there is no baseline ${JSON.stringify(asked)} in the repository`)
  }
  return readBaseline(name, text)
}
