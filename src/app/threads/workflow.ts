import { workerData } from 'node:worker_threads'
import { syntaxTrees } from '../../platform/syntax/syntax-trees.ts'
import { systemClock } from '../../platform/system/clock.ts'
import type { ThreadData, ThreadJob } from '../../platform/system/thread-state.ts'
import { WORKFLOWS, type WorkflowName } from '../../project/workflow-jobs.ts'
import { VERSION } from '../config/version.ts'
import { readBuildDigest } from '../open/load-rules.ts'
import { createJobContext, type ProjectSetup } from '../open/open-job-context.ts'
import { runWorkerLoop } from './worker-loop.ts'

/** Runs workflows in a thread: they take seconds, and the native parser cannot be interrupted. */

const { setup, shared }: ThreadData<ProjectSetup> = workerData
const { jail } = createJobContext(setup)
const { readings } = setup
/** Opened by the first workflow that needs it. */
const openReadings =
  readings === undefined
    ? undefined
    : async () => {
        const { openReadingCache } = await import('../../platform/syntax/reading-cache.ts')
        return openReadingCache(readings, await readBuildDigest())
      }
const parts = { jail, parser: syntaxTrees, now: () => systemClock.now(), version: VERSION, openReadings }

runWorkerLoop(shared, ({ name, args }: ThreadJob<never, WorkflowName>, context) =>
  WORKFLOWS[name]({ ...parts, ...context }, args),
)
