import { workerData } from 'node:worker_threads'
import { systemClock } from '../../platform/system/clock.ts'
import type { ThreadData } from '../../platform/system/worker-pool.ts'
import { MAX_FILE } from '../../project/job-context.ts'
import { JOBS, type JobName } from '../../project/jobs.ts'
import { layDesk, type ProjectSetup } from '../open/job-context.ts'
import { serveJobs } from './worker-loop.ts'

const { setup, cell } = workerData as ThreadData<ProjectSetup>
const parts = { ...layDesk(setup), fileBytes: MAX_FILE, now: () => systemClock.now() }

serveJobs(cell, ({ name, args }, { watch }) => JOBS[name as JobName]({ ...parts, watch }, args as never))
