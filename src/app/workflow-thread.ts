import { parentPort, workerData } from 'node:worker_threads'
import { Fault, viewFault } from '../kernel/fault.ts'
import { jailFaults, type Watch } from '../kernel/jail.ts'
import { systemClock } from '../platform/clock.ts'
import { openJail } from '../platform/jail.ts'
import { syntaxTrees } from '../platform/syntax-trees.ts'
import type { ThreadData, ThreadJob, ThreadReply } from '../platform/threads.ts'
import { anyGlob } from '../project/glob.ts'
import { WORKFLOWS, type WorkflowName } from '../project/workflow-jobs.ts'
import type { ProjectSetup } from './project-thread.ts'
import { VERSION } from './version.ts'

/** Workflows run here: they take seconds, and the parser is native code that cannot be interrupted. */

const { setup, cell } = workerData as ThreadData<ProjectSetup>
const { root, deny, denyHardlinks, oneFileSystem } = setup
const hidden = anyGlob(deny)
const jail = openJail(root, {
  denyHardlinks,
  oneFileSystem,
  ...(deny.length > 0 && { denied: (path: string) => hidden(path.split('/')) }),
})

const watchFor = ({ id, ms }: ThreadJob): Watch => {
  const until = systemClock.elapsed() + ms
  return () => {
    if (systemClock.elapsed() > until || Atomics.load(cell, 0) === id) {
      throw jailFaults.timeout(`took longer than ${ms} ms`, { detail: { limit: ms } })
    }
  }
}

const say = (reply: ThreadReply): void => parentPort?.postMessage(reply)

/** At most one word in so many files. */
const STEP = 50

const work = (job: ThreadJob): ThreadReply => {
  const { id, name, args } = job
  const progress = (done: number, total: number) => {
    if (done % STEP === 0 || done === total) say({ id, done, total })
  }
  try {
    const bench = {
      jail,
      parser: syntaxTrees,
      watch: watchFor(job),
      now: () => systemClock.now(),
      progress,
      version: VERSION,
    }
    return { id, value: WORKFLOWS[name as WorkflowName](bench, args as never) }
  } catch (thrown) {
    if (thrown instanceof Fault) return { id, fault: viewFault(thrown) }
    return { id, bug: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }
  }
}

parentPort?.on('message', (job: ThreadJob) => say(work(job)))
