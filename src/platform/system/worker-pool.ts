import { Worker } from 'node:worker_threads'
import { errorCode } from '../../kernel/fault.ts'
import { jailFaults } from '../../kernel/jail.ts'
import type { Clock } from '../../kernel/ports.ts'
import { type ThreadData, type ThreadJob, type ThreadReply, ThreadState, toError } from './thread-state.ts'

/**
 * A pool of worker threads for jobs that may hang in a system call or a regular expression.
 *
 * Each thread runs one job at a time, and messages carry the id of the job, so late replies are recognized and ignored.
 * - Cancel: the pool rejects the caller at once and stores the job's id in the shared state of the thread. The job
 *   looks at it and at its deadline in `checkDeadline`, ends with a fault, and the thread takes the next job.
 * - Deadline: the thread counts the time that the job itself takes. The pool looks whether it makes progress, so that a
 *   busy machine is not taken for a hung disk. After LOOKS looks without progress, GRACE_MS past the deadline, the
 *   thread is stuck: the pool rejects the caller, terminates the thread and counts it as stuck until it has exited,
 *   which it cannot do inside a system call. At MAX_THREADS stuck threads new jobs are refused. A job in the queue
 *   waits as long as others end.
 * - Growth: MIN_THREADS are started on demand. Another one is started only when a job has waited GROW_AFTER_MS, and it
 *   ends when the queue is empty.
 */

type Progress = (done: number, total: number) => void

interface Job<V> {
  readonly request: ThreadJob
  readonly resolve: (value: V) => void
  readonly reject: (cause: unknown) => void
  readonly progress: Progress
  /** Cancels the timer and removes the listener from the signal, which many jobs may share. */
  release: () => void
  thread: Thread<V> | undefined
  /** The progress at the last look, and how many looks in a row saw the same. */
  seen: number
  misses: number
}

interface Thread<V> {
  readonly worker: Worker
  readonly state: ThreadState
  online: boolean
  job: Job<V> | undefined
}

interface RunOptions {
  readonly ms: number
  readonly signal: AbortSignal
  readonly progress?: Progress
}

interface ThreadOptions<T> {
  readonly program: URL
  readonly setup: T
  readonly clock: Clock
  /** For jobs that compute, which gain nothing from more threads than processors. */
  readonly maxThreads?: number
}

const MIN_THREADS = 2
const MAX_THREADS = 16
const GROW_AFTER_MS = 50
/** Time after its deadline in which a job has to end by itself. */
const GRACE_MS = 100
/** Several: after a stop of the whole process the first look comes too early. */
const LOOKS = 10
/** Time for threads to exit that made no progress since the last look; they may hang in a system call. */
const HUNG_EXIT_MS = 300
/** Time for other threads to exit: they do not hang, but freeing a large heap takes long on a busy machine. */
const EXIT_MS = 10_000
const MAX_QUEUED = 5_000
/** A job that needs more ends its thread, not the server. */
const HEAP_MB = 512

const removeItem = <I>(items: I[], item: I): void => {
  const at = items.indexOf(item)
  if (at >= 0) items.splice(at, 1)
}

/** `T`: what each thread is started with. `V`: what its jobs return. */
export class WorkerPool<T, V = unknown> {
  readonly #options: ThreadOptions<T>
  readonly #alive = new Set<Thread<V>>()
  readonly #idle: Thread<V>[] = []
  readonly #queue: Job<V>[] = []
  readonly #stuck = new Set<Worker>()
  #lastId = 0
  #ended = 0
  #growing = false

  constructor(options: ThreadOptions<T>) {
    this.#options = options
  }

  run(name: string, args: unknown, { ms, signal, progress = () => {} }: RunOptions): Promise<V> {
    if (signal.aborted) return Promise.reject(signal.reason)
    if (this.#queue.length >= MAX_QUEUED || this.#stuck.size >= MAX_THREADS) {
      return Promise.reject(jailFaults.busy('too many calls wait for the file system'))
    }
    return new Promise((resolve, reject) => {
      this.#lastId += 1
      const request = { id: this.#lastId, name, args, ms }
      const state = { release: () => {}, thread: undefined, seen: -1, misses: 0 }
      const job: Job<V> = { request, resolve, reject, progress, ...state }
      const cancel = () => this.#cancel(job, signal.reason)
      const { clock, maxThreads = MIN_THREADS } = this.#options
      let stopTimer = () => {}
      const look = () => {
        if (this.#misses(job) >= LOOKS) this.#expire(job)
        else stopTimer = clock.after((ms + GRACE_MS) / LOOKS, look)
      }
      look()
      job.release = () => {
        stopTimer()
        signal.removeEventListener('abort', cancel)
      }
      signal.addEventListener('abort', cancel, { once: true })
      this.#queue.push(job)
      if (this.#idle.length === 0 && this.#alive.size < Math.min(MIN_THREADS, maxThreads)) this.#start()
      this.#dispatch()
    })
  }

  /** Looks after a job: the number of looks in a row that saw no progress. */
  #misses(job: Job<V>): number {
    const progress = job.thread === undefined ? this.#ended : job.thread.state.progress
    // A thread that is not ready yet says nothing about the disk.
    const isStarting = job.thread?.state.progress === 0
    job.misses = progress === job.seen && !isStarting ? job.misses + 1 : 0
    job.seen = progress
    return job.misses
  }

  /** Terminates all threads. False when one does not exit: then the process cannot exit by itself either. */
  async close(): Promise<boolean> {
    const alive = [...this.#alive]
    const isHung = ({ job, state }: Thread<V>) => job !== undefined && state.progress <= job.seen
    const workers = (hung: boolean) =>
      alive.filter((thread) => isHung(thread) === hung).map(({ worker }) => worker)
    const ended = [
      this.#terminate([...this.#stuck, ...workers(true)], HUNG_EXIT_MS),
      this.#terminate(workers(false), EXIT_MS),
    ]
    this.#alive.clear()
    // The timer of a job without a thread would keep the process running until the deadline.
    for (const job of [...alive.map(({ job }) => job), ...this.#queue]) job?.release()
    return (await Promise.all(ended)).every((exited) => exited)
  }

  async #terminate(workers: readonly Worker[], ms: number): Promise<boolean> {
    if (workers.length === 0) return true
    let stopTimer = () => {}
    const late = new Promise<boolean>((resolve) => {
      stopTimer = this.#options.clock.after(ms, () => resolve(false))
    })
    const ended = Promise.all(workers.map((worker) => worker.terminate())).then(() => true)
    return Promise.race([ended, late]).finally(() => stopTimer())
  }

  #dispatch(): void {
    for (let thread = this.#idle.at(-1); thread !== undefined; thread = this.#idle.at(-1)) {
      const job = this.#queue.shift()
      if (job === undefined) return
      this.#idle.pop()
      thread.job = job
      // The thread marks when it is ready, and when it starts a job.
      Object.assign(job, { thread, seen: (thread.state.progress || 1) + 1, misses: 0 })
      thread.worker.postMessage(job.request)
    }
    if (this.#queue.length > 0) this.#growLater()
  }

  /** Starts another thread if none becomes idle in GROW_AFTER_MS: short jobs are not worth one. */
  #growLater(): void {
    if (this.#growing || this.#alive.size >= (this.#options.maxThreads ?? MAX_THREADS)) return
    this.#growing = true
    this.#options.clock.after(GROW_AFTER_MS, () => {
      this.#growing = false
      const starting = [...this.#alive].some(({ online }) => !online)
      if (this.#queue.length > 0 && this.#idle.length === 0 && !starting) this.#start()
      this.#dispatch()
    })
  }

  #start(): void {
    const { program, setup } = this.#options
    const state = new ThreadState()
    const workerData: ThreadData<T> = { setup, shared: state.shared }
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB }
    const worker = new Worker(program, { workerData, resourceLimits, stdout: true })
    const thread: Thread<V> = { worker, state, online: false, job: undefined }
    this.#alive.add(thread)
    this.#idle.push(thread)
    worker.unref()
    worker.on('online', () => Object.assign(thread, { online: true }))
    worker.on('message', (reply: ThreadReply<V>) => this.#onReply(thread, reply))
    worker.on('error', (cause) => this.#onExit(thread, cause))
    worker.on('exit', () => {
      this.#stuck.delete(worker)
      this.#onExit(thread, new Error('a worker thread exited'))
    })
  }

  #onReply(thread: Thread<V>, reply: ThreadReply<V>): void {
    const { job } = thread
    if (job === undefined || job.request.id !== reply.id || !this.#alive.has(thread)) return
    if ('done' in reply) return job.progress(reply.done, reply.total)
    thread.job = undefined
    this.#ended += 1
    job.release()
    if ('value' in reply) job.resolve(reply.value)
    else job.reject(toError(reply))
    if (this.#queue.length === 0 && this.#alive.size > MIN_THREADS) return this.#remove(thread)
    this.#idle.push(thread)
    this.#dispatch()
  }

  /** Rejects the caller. A running job sees the flag; a queued one is dropped. */
  #cancel(job: Job<V>, reason: unknown): void {
    job.reject(reason)
    if (job.thread === undefined) {
      job.release()
      removeItem(this.#queue, job)
    } else job.thread.state.cancel(job.request.id)
  }

  #expire(job: Job<V>): void {
    const [thread, ms] = [job.thread, job.request.ms]
    job.release()
    job.reject(jailFaults.timeout(`took longer than ${ms} ms`, { detail: { limit: ms } }))
    if (thread === undefined) return this.#cancel(job, undefined)
    this.#stuck.add(thread.worker)
    this.#remove(thread)
    this.#dispatch()
  }

  #remove(thread: Thread<V>): void {
    this.#alive.delete(thread)
    void thread.worker.terminate()
  }

  #onExit(thread: Thread<V>, cause: Error): void {
    if (!this.#alive.delete(thread)) return
    removeItem(this.#idle, thread)
    thread.job?.release()
    thread.job?.reject(
      errorCode(cause) === 'ERR_WORKER_OUT_OF_MEMORY'
        ? jailFaults.too_many_entries('the result does not fit into memory')
        : cause,
    )
    if (this.#queue.length > 0 && this.#idle.length === 0) this.#start()
    this.#dispatch()
  }
}
