import { join, sep } from 'node:path'
import { isPathInside } from '../../kernel/text/path-inside.ts'
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
  /** What this call did. */
  readonly did: 'written' | 'removed' | 'nothing'
}

const EXECUTABLE = 0o755

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

const rejectHusky = ({ hooks }: RepositoryPlaces): void => {
  if (hooks.endsWith(`${sep}.husky${sep}_`)) {
    throw hookFaults.husky('husky generates the hooks folder and overwrites it at every install')
  }
}

interface FoundHook {
  readonly hook: HookName
  /** With symlinks resolved: a hook may be a symlink to a file of the repository. */
  readonly path: string
  readonly old: Buffer | undefined
}

const findHooks = (files: GitMetadataFiles, { hooks }: RepositoryPlaces): Promise<FoundHook[]> =>
  Promise.all(
    HOOK_NAMES.map(async (hook) => {
      const path = await files.real(join(hooks, hook))
      return { hook, path, old: await files.read(path) }
    }),
  )

export const readHooks = async (
  files: GitMetadataFiles,
  places: RepositoryPlaces,
): Promise<Readonly<Record<HookName, HookState>>> => {
  const found = await findHooks(files, places)
  const states = new Map(found.map(({ hook, old }) => [hook, hookState(old)]))
  return eachHook((name) => states.get(name) ?? 'missing')
}

export const hooksStatus = async ({ git, files }: HookPorts, signal: AbortSignal): Promise<HookReport[]> => {
  const found = await findHooks(files, await requirePlaces(git, signal))
  return Promise.all(
    found.map(async ({ hook, path, old }) => ({
      hook,
      ...checkHook(old, hook, await files.executable(path)),
      did: 'nothing' as const,
    })),
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
    else if (left !== 'unchanged') await files.write(path, left, EXECUTABLE)
  }
  return plans.map(({ hook, old, left }) => ({
    hook,
    state: hookState(left === 'unchanged' ? old : left),
    did: left === 'unchanged' ? 'nothing' : 'removed',
  }))
}
