import { parentPort, workerData } from 'node:worker_threads'
import { Fault, viewFault } from '../kernel/fault.ts'
import { jailFaults, type Watch } from '../kernel/jail.ts'
import { systemClock } from '../platform/clock.ts'
import type { ThreadData, ThreadJob, ThreadReply } from '../platform/threads.ts'
import { MAX_FILE } from '../project/desk.ts'
import { JOBS, type JobName } from '../project/jobs.ts'
import { layDesk, type ProjectSetup } from './project-desk.ts'

const { setup, cell } = workerData as ThreadData<ProjectSetup>
const parts = { ...layDesk(setup), fileBytes: MAX_FILE, now: () => systemClock.now() }

const watchFor = ({ id, ms }: ThreadJob): Watch => {
  const until = systemClock.elapsed() + ms
  return () => {
    if (systemClock.elapsed() > until || Atomics.load(cell, 0) === id) {
      throw jailFaults.timeout(`took longer than ${ms} ms`, { detail: { limit: ms } })
    }
  }
}

const work = (job: ThreadJob): ThreadReply => {
  const { id, name, args } = job
  try {
    return { id, value: JOBS[name as JobName]({ ...parts, watch: watchFor(job) }, args as never) }
  } catch (thrown) {
    if (thrown instanceof Fault) return { id, fault: viewFault(thrown) }
    return { id, bug: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }
  }
}

parentPort?.on('message', (job: ThreadJob) => parentPort?.postMessage(work(job)))
