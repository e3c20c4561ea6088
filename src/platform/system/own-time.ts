import { readFileSync } from 'node:fs'
import type { Clock } from '../../kernel/ports.ts'

/** What the scheduler counted for a thread, in milliseconds. */
interface ScheduledTime {
  readonly running: number
  /** Ready to run, while other threads had the processors. */
  readonly waiting: number
}

/** Undefined where there is no such count: only Linux has one. `task` is the id of a thread or of a single-threaded process. */
export const scheduledTime = (task: number | 'thread-self'): ScheduledTime | undefined => {
  try {
    const [running, waiting] = readFileSync(`/proc/${task}/schedstat`, 'latin1').split(' ').map(Number)
    return running === undefined || waiting === undefined
      ? undefined
      : { running: running / 1e6, waiting: waiting / 1e6 }
  } catch {
    return undefined
  }
}

/** A longer pause between two marks, without running, counts as this long: the process may have been stopped. */
const LONGEST_PAUSE_MS = 1_000
const FIRST_LOOK_MS = 50

/**
 * The time that the work of this thread takes by itself. On a busy machine a thread waits for a processor most of the
 * time, and a stopped process does nothing at all: neither says anything about the work or the disk.
 */
export class WorkTime {
  readonly #clock: Clock
  readonly #start: number
  #last: number
  /** The counts at the first look and at the last one; undefined for a short job, which costs no look. */
  #first: ScheduledTime | undefined
  #latest: ScheduledTime | undefined
  #looked = false
  #stoppedMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#start = clock.elapsed()
    this.#last = this.#start
  }

  /** Marks progress. Returns the elapsed time, which is never less than `used`. */
  mark(): number {
    const now = this.#clock.elapsed()
    if (!this.#looked && now - this.#start > FIRST_LOOK_MS) {
      this.#looked = true
      this.#first = scheduledTime('thread-self')
      this.#latest = this.#first
    }
    if (now - this.#last > LONGEST_PAUSE_MS) {
      const count = scheduledTime('thread-self')
      const { running, waiting } = difference(count, this.#latest)
      this.#stoppedMs += Math.max(0, now - this.#last - running - waiting - LONGEST_PAUSE_MS)
      this.#latest = count
    }
    this.#last = now
    return now - this.#start
  }

  /** The elapsed time without waiting for a processor and without pauses of the whole process. */
  used(): number {
    const { running, waiting } = difference(scheduledTime('thread-self'), this.#first)
    return Math.max(running, this.#last - this.#start - waiting - this.#stoppedMs)
  }
}

const difference = (now: ScheduledTime | undefined, before: ScheduledTime | undefined): ScheduledTime =>
  now === undefined || before === undefined
    ? { running: 0, waiting: 0 }
    : { running: now.running - before.running, waiting: now.waiting - before.waiting }
