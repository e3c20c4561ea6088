import { workerData } from 'node:worker_threads'
import { systemClock } from '../platform/clock.ts'
import type { ThreadData } from '../platform/threads.ts'
import { MAX_FILE } from '../project/desk.ts'
import { JOBS, type JobName } from '../project/jobs.ts'
import { layDesk, type ProjectSetup } from './project-desk.ts'
import { serveJobs } from './thread-jobs.ts'

const { setup, cell } = workerData as ThreadData<ProjectSetup>
const parts = { ...layDesk(setup), fileBytes: MAX_FILE, now: () => systemClock.now() }

serveJobs(cell, ({ name, args }, { watch }) => JOBS[name as JobName]({ ...parts, watch }, args as never))
