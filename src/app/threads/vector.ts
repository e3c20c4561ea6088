import { workerData } from 'node:worker_threads'
import { vectorJobs } from '../../platform/packets/vectors/vector-jobs.ts'
import { systemClock } from '../../platform/system/clock.ts'
import type { ThreadData } from '../../platform/system/thread-state.ts'
import { runWorkerLoop } from './worker-loop.ts'

/** Searches large indexes in a thread, so that other calls do not wait for them. */

const { shared }: ThreadData<undefined> = workerData

runWorkerLoop(shared, vectorJobs(systemClock))
