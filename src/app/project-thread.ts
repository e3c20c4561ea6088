import { parentPort, workerData } from 'node:worker_threads'
import { Fault, viewFault } from '../kernel/fault.ts'
import { jailFaults, type Watch } from '../kernel/jail.ts'
import { systemClock } from '../platform/clock.ts'
import { openJail } from '../platform/jail.ts'
import type { RootHandle } from '../platform/jail-ground.ts'
import type { ThreadData, ThreadJob, ThreadReply } from '../platform/threads.ts'
import { anyGlob } from '../project/glob.ts'
import { JOBS, type JobName } from '../project/jobs.ts'
import { textRules } from '../project/rules.ts'

/** What a thread needs to know of the project; the descriptor in it belongs to the whole process. */
export interface ProjectSetup {
  readonly root: RootHandle
  readonly deny: readonly string[]
  readonly denyHardlinks: boolean
  readonly oneFileSystem: boolean
  readonly endings: readonly string[]
}

const { setup, cell } = workerData as ThreadData<ProjectSetup>
const { root, deny, denyHardlinks, oneFileSystem, endings } = setup
const hidden = anyGlob(deny)
const jail = openJail(root, {
  denyHardlinks,
  oneFileSystem,
  ...(deny.length > 0 && { denied: (path: string) => hidden(path.split('/')) }),
})
const rules = textRules(endings)

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
    const desk = { jail, rules, watch: watchFor(job), now: () => systemClock.now() }
    return { id, value: JOBS[name as JobName](desk, args as never) }
  } catch (thrown) {
    if (thrown instanceof Fault) return { id, fault: viewFault(thrown) }
    return { id, bug: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }
  }
}

parentPort?.on('message', (job: ThreadJob) => parentPort?.postMessage(work(job)))
