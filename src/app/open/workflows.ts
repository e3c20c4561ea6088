import { systemClock } from '../../platform/system/clock.ts'
import { WorkerPool } from '../../platform/system/worker-pool.ts'
import type { RunWorkflow } from '../../project/workflow-jobs.ts'
import type { ProjectSetup } from './open-job-context.ts'

/** Time limit of a workflow. The limit of the call may end it earlier. */
const WORKFLOW_MS = 45_000

/** Few, because each thread holds a whole project in memory. */
const THREADS = 2

/** Path in dist/: every chunk lies one folder below it. */
const PROGRAM = new URL('../threads/workflow.js', import.meta.url)

export interface OpenWorkflows {
  readonly run: RunWorkflow
  readonly close: () => Promise<boolean>
}

/** Runs workflows in their own threads, so that they do not delay jobs that read files. */
export const openWorkflows = (setup: ProjectSetup): OpenWorkflows => {
  const threads = new WorkerPool({
    program: PROGRAM,
    setup,
    clock: systemClock,
    maxThreads: THREADS,
  })
  const run = (name: string, args: unknown, call: Parameters<RunWorkflow>[2]) =>
    threads.run(name, args, {
      ms: WORKFLOW_MS,
      signal: call.signal,
      progress: (done, total) => call.progress(done, total),
    })
  // The cast is safe: `WORKFLOWS` defines the result type of each workflow.
  return { run: run as RunWorkflow, close: () => threads.close() }
}
