import { workerData } from 'node:worker_threads'
import { systemClock } from '../../platform/system/clock.ts'
import type { ThreadData, ThreadJob } from '../../platform/system/thread-state.ts'
import { MAX_FILE } from '../../project/job-context.ts'
import { JOBS, type JobName } from '../../project/jobs.ts'
import { createJobContext, type ProjectSetup } from '../open/open-job-context.ts'
import { runWorkerLoop } from './worker-loop.ts'

const { setup, shared }: ThreadData<ProjectSetup> = workerData
const parts = { ...createJobContext(setup), fileBytes: MAX_FILE, now: () => systemClock.now() }

runWorkerLoop(shared, ({ name, args }: ThreadJob<never, JobName>, { checkDeadline }) =>
  JOBS[name]({ ...parts, checkDeadline }, args),
)
