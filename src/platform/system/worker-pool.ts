import { Worker } from 'node:worker_threads'
import { Fault, type FaultView } from '../../kernel/fault.ts'
import { jailFaults } from '../../kernel/jail.ts'
import type { Clock } from '../../kernel/ports.ts'

/** One job on its way to a thread, and what it answers with. Plain data: it is copied between threads. */
export interface ThreadJob {
  readonly id: number
  readonly name: string
  readonly args: unknown
  readonly ms: number
}

export type ThreadReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly fault: FaultView }
  | { readonly id: number; readonly bug: string }
  /** Not the end yet: how far it is. */
  | { readonly id: number; readonly done: number; readonly total: number }

type Progress = (done: number, total: number) => void

/** What a thread is started with. The cell holds the number of the job that nobody waits for any more. */
export interface ThreadData<T> {
  readonly setup: T
  readonly cancelFlag: Int32Array
}

interface Job extends ThreadJob {
  readonly answer: (value: unknown) => void
  readonly fail: (cause: unknown) => void
  readonly progress: Progress
  /** Calls off the end of its time, and lets go of the signal: many jobs may share one. */
  release: () => void
  thread: Thread | undefined
}

interface Thread {
  readonly worker: Worker
  readonly cell: Int32Array
  /** It is up; before that, waiting for it says nothing about the disk. */
  ready: boolean
  job: Job | undefined
}

interface ThreadOptions<T> {
  readonly program: URL
  readonly setup: T
  readonly clock: Clock
  /** Most threads at a time; jobs that compute gain nothing from more than there are processors. */
  readonly many?: number
}

/** Threads that are always welcome; more are started only while others are held up. */
const FEW = 2
const MANY = 16
/** How long a job waits for its turn before another thread is started for it. */
const PATIENCE_MS = 50
/** A thread ends its own job when the time is up; one that does not is stuck. */
const GRACE_MS = 100
/** How long threads get to end that may hang in a disk. */
const END_MS = 300
/** How long those get that have answered: they hang in nothing, but a busy machine takes its time with a large heap. */
const REST_MS = 10_000
const MAX_WAITING = 5_000
/** A runaway job ends its thread, not the server. */
const HEAP_MB = 512

const toFault = ({ kind, code, fix, message, detail }: FaultView): Fault =>
  new Fault({ kind, code, fix }, message, detail === undefined ? {} : { detail })

const outOfMemory = (cause: Error): boolean =>
  (cause as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'

/**
 * Has jobs done in threads, one at a time each. A job that hangs in a system call or a regular expression costs a
 * thread, which is given up when the time is over; the others go on.
 */
export class WorkerPool<T> {
  readonly #options: ThreadOptions<T>
  readonly #alive = new Set<Thread>()
  readonly #idle: Thread[] = []
  readonly #waiting: Job[] = []
  readonly #lost = new Set<Worker>()
  #lastId = 0
  #growing = false

  constructor(options: ThreadOptions<T>) {
    this.#options = options
  }

  run(
    name: string,
    args: unknown,
    ms: number,
    signal: AbortSignal,
    progress: Progress = () => {},
  ): Promise<unknown> {
    if (signal.aborted) return Promise.reject(signal.reason)
    if (this.#waiting.length >= MAX_WAITING || this.#lost.size >= MANY) {
      return Promise.reject(jailFaults.busy('too many calls are waiting for the file system'))
    }
    return new Promise((answer, fail) => {
      this.#lastId += 1
      const job: Job = {
        id: this.#lastId,
        name,
        args,
        ms,
        answer,
        fail,
        progress,
        release: () => {},
        thread: undefined,
      }
      const abandon = () => this.#abandon(job, signal.reason)
      const stopTimer = this.#options.clock.after(ms + GRACE_MS, () => this.#late(job))
      job.release = () => {
        stopTimer()
        signal.removeEventListener('abort', abandon)
      }
      signal.addEventListener('abort', abandon, { once: true })
      this.#waiting.push(job)
      if (this.#idle.length === 0 && this.#alive.size < Math.min(FEW, this.#options.many ?? FEW))
        this.#start()
      this.#next()
    })
  }

  /** Ends all threads. False when one does not end: then the process cannot end by itself either. */
  async close(): Promise<boolean> {
    const alive = [...this.#alive]
    const at = (working: boolean) =>
      alive.filter(({ job }) => (job !== undefined) === working).map(({ worker }) => worker)
    const ended = [this.#end([...this.#lost, ...at(true)], END_MS), this.#end(at(false), REST_MS)]
    this.#alive.clear()
    return (await Promise.all(ended)).every((one) => one)
  }

  async #end(workers: readonly Worker[], ms: number): Promise<boolean> {
    if (workers.length === 0) return true
    let stopTimer = () => {}
    const late = new Promise<boolean>((resolve) => {
      stopTimer = this.#options.clock.after(ms, () => resolve(false))
    })
    const ended = Promise.all(workers.map((worker) => worker.terminate())).then(() => true)
    return Promise.race([ended, late]).finally(() => stopTimer())
  }

  #next(): void {
    for (let thread = this.#idle.pop(); thread !== undefined; thread = this.#idle.pop()) {
      const job = this.#waiting.shift()
      if (job === undefined) {
        this.#idle.push(thread)
        return
      }
      thread.job = job
      job.thread = thread
      const { id, name, args, ms } = job
      thread.worker.postMessage({ id, name, args, ms } satisfies ThreadJob)
    }
    if (this.#waiting.length > 0) this.#growLater()
  }

  /** Another thread, if those there are do not get free in a moment: quick jobs are not worth one. */
  #growLater(): void {
    if (this.#growing || this.#alive.size >= (this.#options.many ?? MANY)) return
    this.#growing = true
    this.#options.clock.after(PATIENCE_MS, () => {
      this.#growing = false
      const starting = [...this.#alive].some(({ ready }) => !ready)
      if (this.#waiting.length > 0 && this.#idle.length === 0 && !starting) this.#start()
      this.#next()
    })
  }

  #start(): void {
    const { program, setup } = this.#options
    const cancelFlag = new Int32Array(new SharedArrayBuffer(4))
    const workerData: ThreadData<T> = { setup, cancelFlag }
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB }
    const worker = new Worker(program, { workerData, resourceLimits, stdout: true })
    const thread: Thread = { worker, cell: cancelFlag, ready: false, job: undefined }
    this.#alive.add(thread)
    this.#idle.push(thread)
    worker.unref()
    worker.on('online', () => {
      thread.ready = true
    })
    worker.on('message', (reply: ThreadReply) => this.#answered(thread, reply))
    worker.on('error', (cause) => this.#ended(thread, cause))
    worker.on('exit', () => {
      this.#lost.delete(worker)
      this.#ended(thread, new Error('a thread ended'))
    })
  }

  #answered(thread: Thread, reply: ThreadReply): void {
    const { job } = thread
    if (job === undefined || job.id !== reply.id || !this.#alive.has(thread)) return
    if ('done' in reply) return job.progress(reply.done, reply.total)
    thread.job = undefined
    job.release()
    if ('value' in reply) job.answer(reply.value)
    else job.fail('fault' in reply ? toFault(reply.fault) : new Error(reply.bug))
    if (this.#waiting.length === 0 && this.#alive.size > FEW) return this.#remove(thread)
    this.#idle.push(thread)
    this.#next()
  }

  /** Nobody waits any more: a running job is told, a waiting one is dropped. */
  #abandon(job: Job, reason: unknown): void {
    job.fail(reason)
    if (job.thread !== undefined) {
      Atomics.store(job.thread.cell, 0, job.id)
      return
    }
    job.release()
    const at = this.#waiting.indexOf(job)
    if (at >= 0) this.#waiting.splice(at, 1)
  }

  #late(job: Job): void {
    const { thread } = job
    job.release()
    job.fail(jailFaults.timeout(`took longer than ${job.ms} ms`, { detail: { limit: job.ms } }))
    if (thread === undefined) return this.#abandon(job, undefined)
    // Somewhere between this thread and the disk nothing moves. Whether it ever ends is not up to us.
    this.#lost.add(thread.worker)
    this.#remove(thread)
    this.#next()
  }

  #remove(thread: Thread): void {
    this.#alive.delete(thread)
    void thread.worker.terminate()
  }

  #ended(thread: Thread, cause: Error): void {
    if (!this.#alive.delete(thread)) return
    const at = this.#idle.indexOf(thread)
    if (at >= 0) this.#idle.splice(at, 1)
    thread.job?.release()
    thread.job?.fail(outOfMemory(cause) ? jailFaults.too_many_entries('more than fits into memory') : cause)
    if (this.#waiting.length > 0 && this.#idle.length === 0) this.#start()
    this.#next()
  }
}
