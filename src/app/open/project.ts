import { realpathSync } from 'node:fs'
import nodePath, { type PlatformPath, resolve } from 'node:path'
import { Fault } from '../../kernel/fault.ts'
import { jailFaults } from '../../kernel/jail.ts'
import { optional } from '../../kernel/optional.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import type { RootHandle } from '../../platform/jail/handles.ts'
import { openRoot } from '../../platform/jail/handles.ts'
import { isLocalDisk } from '../../platform/jail/mounts.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { WorkerPool } from '../../platform/system/worker-pool.ts'
import { JOBS, type JobName, type RunJob } from '../../project/jobs.ts'
import type { RunWorkflow } from '../../project/workflow-jobs.ts'
import type { Config } from '../config/settings.ts'
import { createJobContext, type ProjectSetup } from './open-job-context.ts'
import { type OpenWorkflows, openWorkflows } from './workflows.ts'

/** Time limit of one job. */
const JOB_MS = 5_000

/** Jobs tried in this thread first. Beyond these limits the worker pool takes over. */
const QUICK_JOBS: ReadonlySet<JobName> = new Set(['read', 'source', 'list', 'structure', 'info'])
const QUICK_MS = 5
const QUICK_BYTES = 256 * 1024

/** Path in dist/: every chunk lies one folder below it. */
const PROGRAM = new URL('../threads/project.js', import.meta.url)

interface OpenProject {
  readonly run: RunJob
  readonly workflow: RunWorkflow
  readonly close: () => Promise<boolean>
}

/** Thrown when a job in this thread exceeds its time. */
class TooSlow extends Error {}

const isTooLarge = (thrown: unknown): boolean =>
  thrown instanceof TooSlow || (thrown instanceof Fault && thrown.code === jailFaults.file_too_large.code)

/** The deny patterns that hide a folder below each root it lies in. */
export const deniedBelow = (roots: readonly string[], folder: string, path: PlatformPath = nodePath) =>
  roots.flatMap((root) => {
    const way = path.relative(root, folder)
    return way !== '' && isPathInside(root, folder, path) ? [`/${way.split(path.sep).join('/')}`] : []
  })

/** The state folder holds signing keys: its path is denied to callers, and so is the path its symlinks lead to. */
const deniedState = (state: string, roots: readonly string[]): readonly string[] => {
  let real = state
  try {
    real = realpathSync(state)
  } catch {
    // It does not exist yet, so it has only one path.
  }
  return [state, real].flatMap((folder) => deniedBelow(roots, folder))
}

const projectSetup = (config: Config, root: string, held: ProjectSetup['root']): ProjectSetup => {
  const { deny, denyHardlinks, oneFileSystem, extensions, stateDir } = config
  const denied = deniedState(resolve(root, stateDir), [root, held.path])
  return { root: held, deny: [...deny, ...denied], denyHardlinks, oneFileSystem, endings: extensions }
}

/** Runs small jobs in this thread. Undefined when a job exceeds the limits. */
const quickRunner = (setup: ProjectSetup) => {
  const context = { ...createJobContext(setup), fileBytes: QUICK_BYTES, now: () => systemClock.now() }
  return (name: JobName, args: never): unknown => {
    const until = systemClock.elapsed() + QUICK_MS
    const checkDeadline = () => {
      if (systemClock.elapsed() > until) throw new TooSlow()
    }
    try {
      return JOBS[name]({ ...context, checkDeadline }, args)
    } catch (thrown) {
      if (isTooLarge(thrown)) return undefined
      throw thrown
    }
  }
}

/**
 * Runs project jobs in worker threads, because a hung file system blocks the thread that reads it. On a local disk,
 * which cannot hang, small jobs run in this thread.
 */
export const openProject = (
  config: Config,
  root: string,
  { held = openRoot(root), readings }: { held?: RootHandle | undefined; readings?: string | undefined } = {},
): OpenProject => {
  const setup = { ...projectSetup(config, root, held), ...optional({ readings }) }
  const threads = new WorkerPool({ program: PROGRAM, setup, clock: systemClock })
  const isLocal = isLocalDisk(held, systemClock)
  const runQuickly = quickRunner(setup)
  const run = async (name: JobName, args: unknown, call: { readonly signal: AbortSignal }) => {
    const result = QUICK_JOBS.has(name) && isLocal() ? runQuickly(name, args as never) : undefined
    return result ?? threads.run(name, args, { ms: JOB_MS, signal: call.signal })
  }
  let workflows: OpenWorkflows | undefined
  const workflow: RunWorkflow = (...request) => {
    workflows ??= openWorkflows(setup)
    return workflows.run(...request)
  }
  const close = async () => {
    const ended = await Promise.all([threads.close(), workflows?.close() ?? true])
    return ended.every((one) => one)
  }
  // The cast is safe: `JOBS` defines the result type of each job.
  return { run: run as RunJob, workflow, close }
}
