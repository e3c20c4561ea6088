import { systemClock } from '../../platform/system/clock.ts'
import { WorkerPool } from '../../platform/system/worker-pool.ts'
import type { RunWorkflow } from '../../project/workflow-jobs.ts'
import type { ProjectSetup } from './job-context.ts'

/** A whole project takes longer than one file; what every call may take at most still comes first. */
const LONGEST_MS = 45_000

/** Each holds a whole project in memory. */
const MANY = 2

/** Beside the bundle that this is in, whichever chunk that is. */
const PROGRAM = new URL('../threads/workflow.js', import.meta.url)

export interface OpenWorkflows {
  readonly run: RunWorkflow
  readonly close: () => Promise<boolean>
}

/** Workflows in threads of their own: what they compute must not hold up the reading of files. */
export const openWorkflows = (setup: ProjectSetup): OpenWorkflows => {
  const threads = new WorkerPool({
    program: PROGRAM,
    setup,
    clock: systemClock,
    maxThreads: MANY,
  })
  const run = (name: string, args: unknown, call: Parameters<RunWorkflow>[2]) =>
    threads.run(name, args, {
      ms: LONGEST_MS,
      signal: call.signal,
      progress: (done, total) => call.progress(done, total),
    })
  // Each workflow's answer has the type that the table of workflows gives it.
  return { run: run as RunWorkflow, close: () => threads.close() }
}
