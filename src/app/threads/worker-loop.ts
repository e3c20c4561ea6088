import { parentPort } from 'node:worker_threads'
import { Fault, viewFault } from '../../kernel/fault.ts'
import { type CheckDeadline, jailFaults } from '../../kernel/jail.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { createCollector } from '../../platform/system/native-gc.ts'
import { WorkTime } from '../../platform/system/own-time.ts'
import { type ThreadJob, type ThreadReply, ThreadState } from '../../platform/system/thread-state.ts'

/** What a job in a thread gets in addition to its arguments. */
interface WorkerContext {
  readonly checkDeadline: CheckDeadline
  readonly progress: (done: number, total: number) => void
  /** Frees syntax trees that are no longer used. */
  readonly freeNativeMemory: () => Promise<void>
}

/** Report progress every so many steps. */
const PROGRESS_STEPS = 50
const QUICK_MS = 20

const deadlineFor = ({ id, ms }: Pick<ThreadJob, 'id' | 'ms'>, state: ThreadState): CheckDeadline => {
  const time = new WorkTime(systemClock)
  let limit = ms
  return () => {
    state.markProgress()
    const wall = time.mark()
    const used = wall > limit ? time.used() : 0
    // Looks again when the rest of the time has passed.
    if (wall > limit) limit = wall + ms - used
    if (used > ms || state.isCancelled(id)) {
      throw jailFaults.timeout(`took longer than ${ms} ms`, { detail: { limit: ms } })
    }
  }
}

const send = (reply: ThreadReply): void => parentPort?.postMessage(reply)

/** Runs jobs one after the other. Replies with a value, a fault, or the stack of an unexpected error. */
export const runWorkerLoop = <A, N>(
  shared: Int32Array,
  run: (job: ThreadJob<A, N>, context: WorkerContext) => unknown,
): void => {
  const freeNativeMemory = createCollector()
  const state = new ThreadState(shared)
  state.markProgress()
  const work = async (job: ThreadJob<A, N>): Promise<ThreadReply> => {
    const { id } = job
    state.markProgress()
    const progress = (done: number, total: number) => {
      if (done % PROGRESS_STEPS === 0 || done === total) send({ id, done, total })
    }
    try {
      return {
        id,
        value: await run(job, { checkDeadline: deadlineFor(job, state), progress, freeNativeMemory }),
      }
    } catch (thrown) {
      if (thrown instanceof Fault) return { id, fault: viewFault(thrown) }
      return { id, bug: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }
    }
  }
  parentPort?.on('message', async (job: ThreadJob<A, N>) => {
    const started = systemClock.elapsed()
    send(await work(job))
    // A quick job cannot have parsed much, so it left little native memory behind.
    if (systemClock.elapsed() - started > QUICK_MS) await freeNativeMemory()
  })
}
