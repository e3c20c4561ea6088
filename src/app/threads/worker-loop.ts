import { parentPort } from 'node:worker_threads'
import { Fault, viewFault } from '../../kernel/fault.ts'
import { type CheckDeadline, jailFaults } from '../../kernel/jail.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { createCollector } from '../../platform/system/native-gc.ts'
import type { ThreadJob, ThreadReply } from '../../platform/system/worker-pool.ts'

/** What a job in a thread may use beside its arguments. */
export interface WorkerContext {
  readonly checkDeadline: CheckDeadline
  readonly progress: (done: number, total: number) => void
  /** Makes room when there is little; a promise when that takes a moment. */
  readonly freeNativeMemory: () => Promise<void> | undefined
}

/** At most one word about progress in so many steps. */
const STEP = 50
const QUICK_MS = 20

const watchFor = ({ id, ms }: ThreadJob, cell: Int32Array): CheckDeadline => {
  const until = systemClock.elapsed() + ms
  return () => {
    if (systemClock.elapsed() > until || Atomics.load(cell, 0) === id) {
      throw jailFaults.timeout(`took longer than ${ms} ms`, { detail: { limit: ms } })
    }
  }
}

const say = (reply: ThreadReply): void => parentPort?.postMessage(reply)

/** Answers every job that comes, one after the other: with a value, a fault, or the trace of a bug. */
export const runWorkerLoop = (
  cell: Int32Array,
  run: (job: ThreadJob, tools: WorkerContext) => unknown,
): void => {
  const freeNativeMemory = createCollector()
  const work = async (job: ThreadJob): Promise<ThreadReply> => {
    const { id } = job
    const progress = (done: number, total: number) => {
      if (done % STEP === 0 || done === total) say({ id, done, total })
    }
    try {
      return { id, value: await run(job, { checkDeadline: watchFor(job, cell), progress, freeNativeMemory }) }
    } catch (thrown) {
      if (thrown instanceof Fault) return { id, fault: viewFault(thrown) }
      return { id, bug: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }
    }
  }
  parentPort?.on('message', async (job: ThreadJob) => {
    const started = systemClock.elapsed()
    say(await work(job))
    // What was quick cannot have parsed much.
    if (systemClock.elapsed() - started > QUICK_MS) await freeNativeMemory()
  })
}
