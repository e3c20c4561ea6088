import { workerData } from 'node:worker_threads'
import { sentenceJobs } from '../../platform/packets/sentence-model.ts'
import type { ThreadData } from '../../platform/system/thread-state.ts'
import { runWorkerLoop } from './worker-loop.ts'

/** Embeds texts in a thread: a build has thousands of them, and each takes many milliseconds. */

const { setup: folder, shared }: ThreadData<string> = workerData

runWorkerLoop(shared, sentenceJobs(folder))
