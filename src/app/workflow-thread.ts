import { workerData } from 'node:worker_threads'
import { systemClock } from '../platform/clock.ts'
import { syntaxTrees } from '../platform/syntax-trees.ts'
import type { ThreadData } from '../platform/threads.ts'
import { WORKFLOWS, type WorkflowName } from '../project/workflow-jobs.ts'
import { layDesk, type ProjectSetup } from './project-desk.ts'
import { serveJobs } from './thread-jobs.ts'
import { VERSION } from './version.ts'

/** Workflows run here: they take seconds, and the parser is native code that cannot be interrupted. */

const { setup, cell } = workerData as ThreadData<ProjectSetup>
const { jail } = layDesk(setup)
const parts = { jail, parser: syntaxTrees, now: () => systemClock.now(), version: VERSION }

serveJobs(cell, ({ name, args }, tools) =>
  WORKFLOWS[name as WorkflowName]({ ...parts, ...tools }, args as never),
)
