import { resolve } from 'node:path'
import { systemClock } from '../platform/clock.ts'
import { Threads } from '../platform/threads.ts'
import type { RunJob } from '../project/jobs.ts'
import type { Config } from './config.ts'
import { openRoot } from './open-root.ts'
import type { ProjectSetup } from './project-thread.ts'

/** How long one question about files may take. */
const JOB_MS = 5_000

/** Beside the bundle that this is in, whichever chunk that is. */
const PROGRAM = new URL('../threads/project-thread.js', import.meta.url)

export interface OpenProject {
  readonly run: RunJob
  readonly close: () => Promise<boolean>
}

/** The files under the root, asked through threads: what hangs there does not hang here. */
export const openProject = (config: Config, root: string, held = openRoot(root)): OpenProject => {
  const { deny, denyHardlinks, oneFileSystem, extensions, stateDir } = config
  // Our own state holds keys; no caller gets to it through us.
  const state = resolve(root, stateDir)
  const own = state.startsWith(`${root}/`) ? [`/${state.slice(root.length + 1)}`] : []
  const setup: ProjectSetup = {
    root: held,
    deny: [...deny, ...own],
    denyHardlinks,
    oneFileSystem,
    endings: extensions,
  }
  const threads = new Threads({ program: PROGRAM, setup, clock: systemClock })
  // Each job's answer has the type that the table of jobs gives it.
  const run = (name: string, args: unknown, signal: AbortSignal) => threads.run(name, args, JOB_MS, signal)
  return { run: run as RunJob, close: () => threads.close() }
}
