import { systemClock } from '../platform/system/clock.ts'

type Unit = 'files' | 'commits' | 'windows' | 'bytes'

export interface ProgressJob {
  /** Name of the job, one word. */
  readonly what: string
  readonly unit: Unit
  /** Print nothing. */
  readonly hidden: boolean
  /** Also print lines when stderr is not a terminal. */
  readonly lines?: boolean
}

export interface ProgressBar {
  /** A total of zero means that it is not known yet. */
  readonly show: (done: number, total: number) => void
  /** Removes the line. */
  readonly clear: () => void
}

const BAR = 20
const BAR_AFTER_MS = 500
const BAR_EVERY_MS = 100
const LINE_EVERY_MS = 3000

const SCALES = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
  ['B', 1],
] as const

const amount = (count: number, unit: Unit): string => {
  if (unit !== 'bytes') return String(Math.round(count))
  const [name, size] = SCALES.find(([, least]) => count >= least) ?? (['B', 1] as const)
  return `${(count / size).toFixed(size === 1 ? 0 : 1)} ${name}`
}

/** The time that an embedding still takes at the rate so far; nothing where it would be a guess, or is short. */
const timeLeft = (unit: Unit, done: number, total: number, ms: number): string => {
  const seconds = Math.ceil((ms * (total - done)) / (1000 * done))
  if (unit !== 'windows' || ms < 2000 || seconds < 10) return ''
  const minutes = Math.ceil(seconds / 60)
  return seconds < 90 ? `, ${seconds} s left` : `, ${minutes} min left`
}

/** Progress as text: `40%, 120 of 300 windows, 5/s, 36 s left`. */
const progressText = (unit: Unit, done: number, total: number, ms: number): string => {
  const name = unit === 'bytes' ? '' : ` ${unit}`
  const rate = `${amount((done * 1000) / Math.max(ms, 1), unit)}/s`
  if (total === 0) return `${amount(done, unit)}${name}, ${rate}`
  const percent = Math.floor((Math.min(done, total) * 100) / total)
  return `${percent}%, ${amount(done, unit)} of ${amount(total, unit)}${name}, ${rate}${timeLeft(unit, done, total, ms)}`
}

const barFor = (done: number, total: number): string => {
  if (total === 0) return ''
  const full = Math.floor((Math.min(done, total) * BAR) / total)
  return ` [${'#'.repeat(full)}${'.'.repeat(BAR - full)}]`
}

/**
 * Shows the progress of a long job: on a terminal one line that is redrawn, elsewhere a line every three seconds if
 * `lines` is set. Short jobs print nothing.
 */
export const startProgress = ({ what, unit, hidden, lines = false }: ProgressJob): ProgressBar => {
  const started = systemClock.elapsed()
  let next = hidden ? Number.POSITIVE_INFINITY : started + BAR_AFTER_MS
  let drawn = false
  const write = (done: number, total: number, now: number): void => {
    const text = progressText(unit, done, total, now - started)
    // Reading `process.stderr` opens the stream: a short run avoids that.
    const { stderr } = process
    if (stderr.isTTY === true) {
      next = now + BAR_EVERY_MS
      drawn = true
      stderr.write(`\r${what}${barFor(done, total)} ${text}\u001b[K`)
    } else if (!lines) {
      next = Number.POSITIVE_INFINITY
    } else if (now < started + LINE_EVERY_MS) {
      next = started + LINE_EVERY_MS
    } else {
      next = now + LINE_EVERY_MS
      stderr.write(`${what}: ${text}\n`)
    }
  }
  return {
    show: (done, total) => {
      const now = systemClock.elapsed()
      if (now >= next) write(done, total, now)
    },
    clear: () => {
      if (drawn) process.stderr.write('\r\u001b[K')
    },
  }
}

/** Runs a job with a progress line, and removes the line when the job ends or fails. */
export const withProgress = async <T>(
  job: ProgressJob,
  work: (show: ProgressBar['show']) => Promise<T>,
): Promise<T> => {
  const { show, clear } = startProgress(job)
  try {
    return await work(show)
  } finally {
    clear()
  }
}
