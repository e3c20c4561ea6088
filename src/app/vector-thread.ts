import { workerData } from 'node:worker_threads'
import { systemClock } from '../platform/clock.ts'
import type { ThreadData } from '../platform/threads.ts'
import { vectorJobs } from '../platform/vector-threads.ts'
import { serveJobs } from './thread-jobs.ts'

/** Large indexes are searched here, so that nobody else waits for them. */

const { cell } = workerData as ThreadData<undefined>

serveJobs(cell, vectorJobs(systemClock))
