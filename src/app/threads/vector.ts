import { workerData } from 'node:worker_threads'
import { vectorJobs } from '../../platform/packets/vector-threads.ts'
import { systemClock } from '../../platform/system/clock.ts'
import type { ThreadData } from '../../platform/system/worker-pool.ts'
import { serveJobs } from './worker-loop.ts'

/** Large indexes are searched here, so that nobody else waits for them. */

const { cell } = workerData as ThreadData<undefined>

serveJobs(cell, vectorJobs(systemClock))
