import { basename, join } from 'node:path'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import {
  type HookManager,
  hookGenerator,
  huskyFolder,
  managerStartsGate,
  startsGate,
} from './hook-manager.ts'
import { checkHook, type ReportedState } from './hook-problem.ts'
import {
  eachHook,
  HOOK_NAMES,
  type HookName,
  type HookState,
  hookFaults,
  hookState,
  insertBlock,
  removeBlock,
} from './hook-script.ts'
import type { GitMetadataFiles, LifecycleGit, RepositoryPlaces } from './ports.ts'
import { repositoryFaults } from './repository-faults.ts'

interface HookPorts {
  readonly git: LifecycleGit
  readonly files: GitMetadataFiles
}

export interface InstallPorts extends HookPorts {
  /** Path of the running program. */
  readonly program: string
}

export interface HookReport {
  readonly hook: HookName
  readonly state: ReportedState
  /** Why the gate may not run; absent when it does. */
  readonly problem?: string
  /** The program that generates the hook from a file of the repository. */
  readonly manager?: HookManager
  /** What this call did. */
  readonly did: 'written' | 'removed' | 'nothing'
}

const EXECUTABLE = 0o755
const READABLE = 0o644

export const requirePlaces = async (git: LifecycleGit, signal: AbortSignal): Promise<RepositoryPlaces> => {
  const places = await git.places(signal)
  if (places === undefined)
    throw repositoryFaults.absent('this folder is not in the working tree of a git repository')
  return places
}

/** A hooks folder outside the repository is shared by all repositories of the user, so it is left alone. */
const requireInside = ({ top, common }: RepositoryPlaces, path: string): void => {
  if (!isPathInside(top, path) && !isPathInside(common, path)) {
    throw hookFaults.outside('the hooks folder lies outside this repository')
  }
}

/** Whether git starts generated hooks, which start those in the folder of husky. */
const isHuskyActive = ({ hooks }: RepositoryPlaces): boolean =>
  basename(hooks) === '_' && huskyFolder({ hooks }) !== undefined

const rejectHusky = (places: RepositoryPlaces): void => {
  if (isHuskyActive(places))
    throw hookFaults.husky('husky generates the hooks folder and overwrites it at every install')
}

const rejectGenerated = ({ hook, old }: FoundHook): void => {
  const manager = hookGenerator(old)
  if (manager !== undefined)
    throw hookFaults.generated(`${manager} generates the hook ${hook} and overwrites it at its next install`)
}

interface FoundHook {
  readonly hook: HookName
  /** With symlinks resolved: a hook may be a symlink to a file of the repository. */
  readonly path: string
  readonly old: Buffer | undefined
}

const findHooks = (files: GitMetadataFiles, places: RepositoryPlaces): Promise<FoundHook[]> =>
  Promise.all(
    HOOK_NAMES.map(async (hook) => {
      const path = await files.real(join(huskyFolder(places) ?? places.hooks, hook))
      return { hook, path, old: await files.read(path) }
    }),
  )

interface ManagedHook {
  readonly manager?: HookManager
  /** Whether the file of the manager starts the gate by a line that a person or `warrant init` wrote. */
  readonly starts?: boolean
}

const findManager = async (
  files: GitMetadataFiles,
  places: RepositoryPlaces,
  { hook, old }: FoundHook,
): Promise<ManagedHook> => {
  const isManaged = hookState(old) === 'managed'
  if (isHuskyActive(places))
    return { manager: 'husky', starts: !isManaged && startsGate(old?.toString('latin1') ?? '', hook) }
  const manager = hookGenerator(old)
  if (manager === undefined || isManaged) return {}
  return { manager, starts: await managerStartsGate(files, places, manager, hook) }
}

export const readHooks = async (
  files: GitMetadataFiles,
  places: RepositoryPlaces,
): Promise<Readonly<Record<HookName, HookState>>> => {
  const states = new Map<HookName, HookState>()
  for (const found of await findHooks(files, places)) {
    const { starts } = await findManager(files, places, found)
    states.set(found.hook, starts ? 'managed' : hookState(found.old))
  }
  return eachHook((name) => states.get(name) ?? 'missing')
}

export const hooksStatus = async ({ git, files }: HookPorts, signal: AbortSignal): Promise<HookReport[]> => {
  const places = await requirePlaces(git, signal)
  const found = await findHooks(files, places)
  return Promise.all(
    found.map(async (one) => {
      const { starts, ...managed } = await findManager(files, places, one)
      const { hook, path, old } = one
      // Husky passes its hooks to a shell.
      const check = checkHook(old, hook, isHuskyActive(places) || (await files.executable(path)))
      return {
        hook,
        ...(starts ? { state: 'managed' as const } : check),
        ...managed,
        did: 'nothing' as const,
      }
    }),
  )
}

/** Adds the managed block to both hooks. All checks run before the first write, so a fault changes nothing. */
export const installHooks = async (
  { git, files, program }: InstallPorts,
  signal: AbortSignal,
): Promise<HookReport[]> => {
  const places = await requirePlaces(git, signal)
  rejectHusky(places)
  const plans = (await findHooks(files, places)).map((found) => {
    requireInside(places, found.path)
    rejectGenerated(found)
    return { ...found, bytes: insertBlock(found.old, found.hook, program) }
  })
  for (const { path, bytes } of plans) await files.write(path, bytes, EXECUTABLE)
  return plans.map(({ hook, old, bytes }) => ({
    hook,
    state: 'managed',
    did: old?.equals(bytes) ? 'nothing' : 'written',
  }))
}

export const uninstallHooks = async (
  { git, files }: HookPorts,
  signal: AbortSignal,
): Promise<HookReport[]> => {
  const places = await requirePlaces(git, signal)
  const plans = (await findHooks(files, places)).map((found) => {
    const left = found.old === undefined ? 'unchanged' : removeBlock(found.old)
    if (left !== 'unchanged') requireInside(places, found.path)
    return { ...found, left }
  })
  for (const { path, left } of plans) {
    if (left === undefined) await files.remove(path)
    // A hook of husky needs no permission to be executed, and its mode is tracked.
    else if (left !== 'unchanged')
      await files.write(path, left, (await files.executable(path)) ? EXECUTABLE : READABLE)
  }
  return plans.map(({ hook, old, left }) => ({
    hook,
    state: hookState(left === 'unchanged' ? old : left),
    did: left === 'unchanged' ? 'nothing' : 'removed',
  }))
}
