import { resolve } from 'node:path'
import { type GateStage, isBuildServer } from '../../evidence/stage.ts'
import type { RepositoryPorts } from '../../gate/enterprise/enterprise.ts'
import { BYPASS_VARIABLE } from '../../gate/sdd/decision.ts'
import { optional } from '../../kernel/optional.ts'
import type { Clock } from '../../kernel/ports.ts'
import { gitMetadataFiles } from '../../platform/files/git-metadata.ts'
import { gitConfig } from '../../platform/git/config.ts'
import { findRepositoryRoot } from '../../platform/git/find-root.ts'
import { gitReader } from '../../platform/git/reader.ts'
import { lifecycleGit } from '../../platform/git/repository-places.ts'
import { type GitPlace, gitFaults } from '../../platform/git/run.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { type OpenSpecOptions, openSpecProgram } from '../../platform/programs/openspec.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { repositoryFaults } from '../../setup/git-hooks/ports.ts'
import type { Config } from '../config/settings.ts'
import { VERSION } from '../config/version.ts'

export interface RepositoryContext {
  readonly environment: NodeJS.ProcessEnv
  readonly clock: Clock
  /** Folders outside the repository that git may use. */
  readonly gitFolders?: readonly string[]
  /** Which `openspec` may run; by default the one on PATH. */
  readonly openspec?: OpenSpecOptions
  /** The place of the repository, where the caller has found it. */
  readonly found?: GitPlace
}

/** A named program may be a file of the repository only where the operator works: not in CI, not in read-only mode. */
export const openSpecChoice = (
  { openspec, readOnly }: Pick<Config, 'openspec' | 'readOnly'>,
  environment: NodeJS.ProcessEnv,
  stage?: GateStage,
): OpenSpecOptions => ({
  named: openspec === undefined ? undefined : resolve(openspec),
  fromRepository: !readOnly && stage !== 'CI' && !isBuildServer(environment),
})

/** The ports of the gate for one repository. */
export const openRepository = (root: string, context: RepositoryContext): RepositoryPorts => {
  const { environment, clock, openspec, gitFolders = [], found } = context
  const location = { folder: root, environment, gitFolders, ...optional({ found }) }
  const config = gitConfig(location)
  const repository = repositoryFiles(root)
  return {
    git: gitReader(location),
    lifecycle: {
      repoRoot: root,
      version: VERSION,
      config,
      git: lifecycleGit(location),
      files: gitMetadataFiles,
      repository,
      forgetGuard: async () => (await import('./user-state.ts')).forgetGuard(root, environment),
    },
    sdd: {
      repoRoot: root,
      program: openSpecProgram(root, environment, openspec),
      config,
      files: repository,
      clock,
      bypass: environment[BYPASS_VARIABLE] === '1',
    },
  }
}

export interface OpenedRepository extends RepositoryPorts {
  readonly root: string
  readonly config: Config
  /** Never aborted: commands run to their end. */
  readonly signal: AbortSignal
}

/**
 * The top of the repository around the root. Discovery starts in the working folder alone: a root that the operator
 * named is not left for a repository further up.
 */
export const locateRepository = async (
  { root: named }: Pick<Config, 'root'>,
  folder: string,
): Promise<string | undefined> => {
  const top = await findRepositoryRoot(folder)
  if (named !== '.' && top !== undefined && top !== folder)
    throw gitFaults.above_root('the root is a folder of a larger repository, whose other files it leaves out')
  return top
}

/** Opens the repository around the root, for a command. */
export const openRepositoryForCommand = async (
  config: Config,
  stage?: GateStage,
): Promise<OpenedRepository> => {
  const root = await locateRepository(config, resolve(config.root))
  if (root === undefined)
    throw repositoryFaults.absent('this folder is not in the working tree of a git repository')
  const environment = process.env
  const { gitFolders } = config
  const openspec = openSpecChoice(config, environment, stage)
  const ports = openRepository(root, { environment, clock: systemClock, openspec, gitFolders })
  return { ...ports, root, config, signal: new AbortController().signal }
}
