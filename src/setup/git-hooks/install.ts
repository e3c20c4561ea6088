import type { GateStatus } from '../../evidence/schema.ts'
import { defineFaults } from '../../kernel/fault.ts'
import type { Clock } from '../../kernel/ports.ts'
import { HOOK_NAMES } from './hook-script.ts'
import {
  type LifecyclePorts,
  type LifecycleStatus,
  lifecycleIssues,
  readLifecycle,
  STATE_KEYS,
} from './installation.ts'

export const lifecycleFaults = defineFaults('lifecycle', {
  blocked: { kind: 'refused', fix: 'Correct what `warrant doctor` reports, then run `warrant init`.' },
})

export interface InstallationPorts extends LifecyclePorts {
  /** Path of the running program. */
  readonly program: string
  readonly clock: Clock
  /** The state folder relative to the repository; undefined when it lies elsewhere. */
  readonly stateFolder: string | undefined
  /** Runs the gate unless there is evidence. The status, or undefined when the gate did not run. */
  readonly runFirstGate: (signal: AbortSignal) => Promise<GateStatus | undefined>
  /** Fetching of the notes that hold receipts. Both return the remotes whose settings changed. */
  readonly notes: {
    readonly add: (signal: AbortSignal) => Promise<readonly string[]>
    readonly remove: (signal: AbortSignal) => Promise<readonly string[]>
  }
  /** Removes a regular file by relative path, and folders that become empty. False when there is none. */
  readonly removeFile: (path: string) => Promise<boolean>
}

const PREFIX = 'warrant.'

const writeState = async (
  ports: LifecyclePorts,
  values: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<void> => {
  const settings = new Map(Object.entries(values).map(([key, value]) => [`${PREFIX}${key}`, value]))
  await ports.config.write(settings, signal)
  await ports.forgetGuard()
}

export const currentStatus = (ports: LifecyclePorts, signal: AbortSignal): Promise<LifecycleStatus> =>
  readLifecycle(ports, ports.config.read(PREFIX, signal), signal)

/** Files and folders of the state folder that are committed. */
const COMMITTED = ['rules/', 'checks.yml', 'keys.yml', 'acceptances.yml']

/** The lines that hide a state folder, given relative to the repository, and show what is committed of it. */
export const stateLines = (stateFolder: string): readonly string[] => {
  const pattern = Buffer.from(stateFolder.replace(/[\\*?[\]!# ]/g, '\\$&')).toString('latin1')
  return [`/${pattern}/*`, ...COMMITTED.map((name) => `!/${pattern}/${name}`)]
}

/** Those lines; none where the repository ignores the folder itself, or where it lies elsewhere. */
export const neededStateLines = async (
  ports: InstallationPorts,
  present: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const { stateFolder, git } = ports
  if (stateFolder === undefined) return []
  const [hidden = '', ...shown] = stateLines(stateFolder)
  if (!present.has(hidden) && (await git.ignores(`${stateFolder}/state`, signal))) return []
  return [hidden, ...shown]
}

/** Refuses a repository in which the gate would not work. */
export const rejectBroken = async (ports: InstallationPorts, signal: AbortSignal): Promise<void> => {
  const issue = lifecycleIssues(await currentStatus(ports, signal)).find(
    ({ severity }) => severity === 'error',
  )
  if (issue !== undefined) throw lifecycleFaults.blocked(issue.detail, { fix: issue.fix })
}

/** Records the installation in the git configuration. */
export const recordInstallation = async (ports: InstallationPorts, signal: AbortSignal): Promise<void> => {
  const since = (await ports.config.read(PREFIX, signal)).get(STATE_KEYS.installedAt)
  const values = {
    [STATE_KEYS.installed]: 'true',
    [STATE_KEYS.version]: ports.version,
    [STATE_KEYS.hooks]: HOOK_NAMES.join(','),
    // Committed hooks start it.
    program: ports.program,
    [STATE_KEYS.installedAt]: since ?? new Date(ports.clock.now()).toISOString(),
  }
  await writeState(ports, values, signal)
}

const forgetInstallation = (ports: LifecyclePorts, signal: AbortSignal): Promise<void> => {
  const keys = Object.values(STATE_KEYS).filter((key) => key !== STATE_KEYS.openSpecManagedArtifacts)
  return writeState(ports, Object.fromEntries([...keys, 'program'].map((key) => [key, undefined])), signal)
}

/** Paths that the installation created and may remove, relative to the repository. */
const managedPaths = (state: LifecycleStatus['lifecycleState']): readonly string[] =>
  (state.openSpecManagedArtifacts ?? '')
    .split(',')
    .map((path) => path.trim())
    // The list is untrusted: nothing outside openspec/ is removed because of it.
    .filter(
      (path) =>
        /^openspec\/[\p{L}\p{N}_.-]+(\/[\p{L}\p{N}_.-]+)*$/u.test(path) && !/(^|\/)\.+(\/|$)/.test(path),
    )

interface UninstallReport {
  readonly removed: readonly string[]
  /** Remotes whose receipts `git fetch` no longer brings. */
  readonly notes: readonly string[]
}

/** Removes the settings of the installation. The hooks and other entries were removed before. */
export const uninstall = async (
  ports: InstallationPorts,
  purge: boolean,
  signal: AbortSignal,
): Promise<UninstallReport> => {
  await forgetInstallation(ports, signal)
  const notes = await ports.notes.remove(signal)
  const { lifecycleState } = await currentStatus(ports, signal)
  const removed: string[] = []
  if (purge) {
    const candidates = ['.ai_evidence.json', ...managedPaths(lifecycleState)]
    const tracked = new Set(await ports.git.tracked(candidates, signal))
    for (const path of candidates) {
      if (!tracked.has(path) && (await ports.removeFile(path))) removed.push(path)
    }
  }
  await writeState(ports, { [STATE_KEYS.openSpecManagedArtifacts]: undefined }, signal)
  return { removed, notes }
}

/** Records created files, so that `uninstall --purge` can remove them. */
export const recordArtifacts = async (
  ports: LifecyclePorts,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  const known = managedPaths((await currentStatus(ports, signal)).lifecycleState)
  const all = [...new Set([...known, ...paths])].sort()
  await writeState(ports, { [STATE_KEYS.openSpecManagedArtifacts]: all.join(',') }, signal)
}
