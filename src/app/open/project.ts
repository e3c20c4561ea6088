import { realpathSync } from 'node:fs'
import nodePath, { type PlatformPath, resolve } from 'node:path'
import { Fault } from '../../kernel/fault.ts'
import { jailFaults } from '../../kernel/jail.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { isLocalDisk } from '../../platform/jail/mounts.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { WorkerPool } from '../../platform/system/worker-pool.ts'
import { JOBS, type JobName, type RunJob } from '../../project/jobs.ts'
import type { RunWorkflow } from '../../project/workflow-jobs.ts'
import type { Config } from '../config/settings.ts'
import { createJobContext, type ProjectSetup } from './job-context.ts'
import { openRoot } from './root.ts'
import { type OpenWorkflows, openWorkflows } from './workflows.ts'

/** How long one question about files may take. */
const JOB_MS = 5_000

/** What may be tried at once, and how much of it: a look that takes longer than handing it on is handed on. */
const QUICK: ReadonlySet<JobName> = new Set(['read', 'source', 'list', 'structure', 'info'])
const QUICK_MS = 5
const QUICK_BYTES = 256 * 1024

/** Beside the bundle that this is in, whichever chunk that is. */
const PROGRAM = new URL('../threads/project.js', import.meta.url)

export interface OpenProject {
  readonly run: RunJob
  readonly workflow: RunWorkflow
  readonly close: () => Promise<boolean>
}

/** Thrown by the watch of a quick look when it is not. */
class Slow extends Error {}

const isTooMuch = (thrown: unknown): boolean =>
  thrown instanceof Slow || (thrown instanceof Fault && thrown.code === jailFaults.file_too_large.code)

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

/** Does small jobs on the spot. Undefined: it is more than a quick look. */
const quickLook = (setup: ProjectSetup) => {
  const parts = { ...createJobContext(setup), fileBytes: QUICK_BYTES, now: () => systemClock.now() }
  return (name: JobName, args: never): unknown => {
    const until = systemClock.elapsed() + QUICK_MS
    const checkDeadline = () => {
      if (systemClock.elapsed() > until) throw new Slow()
    }
    try {
      return JOBS[name]({ ...parts, checkDeadline }, args)
    } catch (thrown) {
      if (isTooMuch(thrown)) return undefined
      throw thrown
    }
  }
}

/**
 * The files under the root. What hangs there must not hang here, so they are asked through threads; only where
 * nothing can hang, a quick look is taken from here.
 */
export const openProject = (config: Config, root: string, held = openRoot(root)): OpenProject => {
  const setup = projectSetup(config, root, held)
  const threads = new WorkerPool({ program: PROGRAM, setup, clock: systemClock })
  const calm = isLocalDisk(held, systemClock)
  const look = quickLook(setup)
  const run = async (name: JobName, args: unknown, call: { readonly signal: AbortSignal }) => {
    const seen = QUICK.has(name) && calm() ? look(name, args as never) : undefined
    return seen ?? threads.run(name, args, { ms: JOB_MS, signal: call.signal })
  }
  let workflows: OpenWorkflows | undefined
  const workflow: RunWorkflow = (...asked) => {
    workflows ??= openWorkflows(setup)
    return workflows.run(...asked)
  }
  const close = async () => {
    const ended = await Promise.all([threads.close(), workflows?.close() ?? true])
    return ended.every((one) => one)
  }
  // Each job's answer has the type that the table of jobs gives it.
  return { run: run as RunJob, workflow, close }
}
