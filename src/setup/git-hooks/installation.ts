import type { RepoState } from '../../evidence/schema.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { optional } from '../../kernel/optional.ts'
import type { LocalConfig, RepositoryFiles } from '../../kernel/ports.ts'
import { eachHook, HOOK_NAMES, type HookName } from './hook-script.ts'
import { readHooks, requirePlaces } from './install-hooks.ts'
import type { GitMetadataFiles, LifecycleGit } from './ports.ts'

interface LifecycleState {
  readonly installed?: string
  readonly version?: string
  readonly hooks?: string
  readonly installedAt?: string
  readonly openSpecManagedArtifacts?: string
}

export interface LifecycleStatus {
  readonly repoRoot: string
  readonly packageVersion: string
  readonly lifecycleState: LifecycleState
  readonly hookStatus: Readonly<
    Record<HookName, { readonly exists: boolean; readonly managedBlockPresent: boolean }>
  >
  readonly trackedNodeModulesCount: number
}

/** Member of the status → key under `warrant.` in the git configuration. */
export const STATE_KEYS = {
  installed: 'installed',
  version: 'version',
  hooks: 'hooks',
  installedAt: 'installed-at',
  openSpecManagedArtifacts: 'openspec.managed-artifacts',
} as const satisfies Record<keyof LifecycleState, string>

export interface LifecyclePorts {
  readonly repoRoot: string
  readonly version: string
  readonly config: LocalConfig
  readonly git: LifecycleGit
  readonly files: GitMetadataFiles
  readonly repository: RepositoryFiles
  /** Forgets what the hooks of agents saw of the installation: it changes on purpose. */
  readonly forgetGuard: () => Promise<void>
}

const readState = (keys: ReadonlyMap<string, string>): LifecycleState =>
  Object.fromEntries(
    Object.entries(STATE_KEYS).flatMap(([name, key]) => {
      const value = keys.get(key)
      return value === undefined ? [] : [[name, value]]
    }),
  )

const findHookStates = async ({ git, files }: LifecyclePorts, signal: AbortSignal) =>
  readHooks(files, await requirePlaces(git, signal))

/** The status of the installation. Throws outside a repository. */
export const readLifecycle = async (
  ports: LifecyclePorts,
  reading: Promise<ReadonlyMap<string, string>>,
  signal: AbortSignal,
): Promise<LifecycleStatus> => {
  const [keys, hooks, trackedNodeModulesCount] = await Promise.all([
    reading,
    findHookStates(ports, signal),
    ports.git.trackedModules(signal),
  ])
  return {
    repoRoot: ports.repoRoot,
    packageVersion: ports.version,
    lifecycleState: readState(keys),
    hookStatus: eachHook((name) => ({
      exists: hooks[name] !== 'missing',
      managedBlockPresent: hooks[name] === 'managed',
    })),
    trackedNodeModulesCount,
  }
}

const HARD_MODE = '.pumuki/hard-mode.json'
const HARD_MODE_BYTES = 1024 * 1024

const readHardMode = async (files: RepositoryFiles): Promise<RepoState['lifecycle']['hard_mode']> => {
  const bytes = await files.read(HARD_MODE, HARD_MODE_BYTES)
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes ?? []).toString('utf8'))
    if (!isRecord(value) || typeof value.enabled !== 'boolean') return undefined
    const profile = typeof value.profile === 'string' ? value.profile.trim() : ''
    return { enabled: value.enabled, profile: profile === '' ? null : profile, config_path: HARD_MODE }
  } catch {
    return undefined
  }
}

/** The same in the form of the evidence file. */
export const repoLifecycle = async (
  ports: LifecyclePorts,
  signal: AbortSignal,
): Promise<RepoState['lifecycle']> => {
  const [keys, hooks, hardMode] = await Promise.all([
    ports.config.read('warrant.', signal),
    findHookStates(ports, signal),
    readHardMode(ports.repository),
  ])
  return {
    installed: keys.get(STATE_KEYS.installed) === 'true',
    package_version: ports.version,
    lifecycle_version: keys.get(STATE_KEYS.version) ?? null,
    hooks: { pre_commit: hooks['pre-commit'], pre_push: hooks['pre-push'] },
    ...optional({ hard_mode: hardMode }),
  }
}

interface LifecycleIssue {
  readonly check: string
  readonly severity: 'error' | 'warning'
  readonly detail: string
  readonly fix: string
}

/** Problems of the installation. */
export const lifecycleIssues = (status: LifecycleStatus): readonly LifecycleIssue[] => {
  const { lifecycleState, hookStatus, trackedNodeModulesCount: modules } = status
  const installed = lifecycleState.installed === 'true'
  const managed = HOOK_NAMES.filter((name) => hookStatus[name].managedBlockPresent)
  const issues: LifecycleIssue[] = []
  if (modules > 0) {
    issues.push({
      check: 'node_modules',
      severity: 'error',
      detail: `git tracks ${modules} files in node_modules`,
      fix: 'Run `git rm -r --cached node_modules` and add the folder to .gitignore.',
    })
  }
  if (installed && managed.length < HOOK_NAMES.length) {
    const missing = HOOK_NAMES.filter((name) => !managed.includes(name))
    issues.push({
      check: 'hooks',
      severity: 'warning',
      detail: `Warrant is installed, but the hook ${missing.join(' and ')} that git starts does not run the gate`,
      fix: 'Run `warrant init` again: it adds the gate where this repository keeps its hooks.',
    })
  }
  if (!installed && managed.length > 0) {
    issues.push({
      check: 'hooks',
      severity: 'warning',
      detail: `the hook ${managed.join(' and ')} runs the gate, but this clone was not set up`,
      fix: 'Run `warrant init`, or take the hooks out with `warrant uninstall`.',
    })
  }
  return issues
}
