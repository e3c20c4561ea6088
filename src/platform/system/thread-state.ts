import { Fault, type FaultView } from '../../kernel/fault.ts'

/** A job as it is sent to a thread: plain data, which is copied. */
export interface ThreadJob<A = unknown, N = string> {
  readonly id: number
  readonly name: N
  readonly args: A
  readonly ms: number
}

export type ThreadReply<V = unknown> =
  | { readonly id: number; readonly value: V }
  | { readonly id: number; readonly fault: FaultView }
  | { readonly id: number; readonly bug: string }
  /** Progress; the job goes on. */
  | { readonly id: number; readonly done: number; readonly total: number }

/** The error of a reply, as it was in the thread. */
export const toError = (reply: Extract<ThreadReply, { fault: FaultView } | { bug: string }>): Error => {
  if ('bug' in reply) return new Error(reply.bug)
  const { kind, code, fix, message, detail } = reply.fault
  return new Fault({ kind, code, fix }, message, detail === undefined ? {} : { detail })
}

/** What a thread is started with. `shared` is the memory of a `ThreadState`. */
export interface ThreadData<T> {
  readonly setup: T
  readonly shared: Int32Array
}

const CANCELLED = 0
const PROGRESS = 1
const MEMBERS = 2

/** What a worker thread and its pool share while a job runs, when neither can receive messages. */
export class ThreadState {
  readonly shared: Int32Array

  constructor(
    shared: Int32Array = new Int32Array(new SharedArrayBuffer(MEMBERS * Int32Array.BYTES_PER_ELEMENT)),
  ) {
    this.shared = shared
  }

  cancel(job: number): void {
    Atomics.store(this.shared, CANCELLED, job)
  }

  isCancelled(job: number): boolean {
    return Atomics.load(this.shared, CANCELLED) === job
  }

  /** Called by the thread when it is ready, when it starts a job, and again and again within a job. */
  markProgress(): void {
    Atomics.add(this.shared, PROGRESS, 1)
  }

  /** Changes with every mark; 0 before the thread is ready. */
  get progress(): number {
    return Atomics.load(this.shared, PROGRESS)
  }
}
