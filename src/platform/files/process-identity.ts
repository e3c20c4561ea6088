import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { errorCode } from '../../kernel/fault.ts'

/** Identifies a process even after its pid was reused. */
export interface ProcessIdentity {
  readonly pid: number
  /** Start time in clock ticks since boot; empty without /proc. */
  readonly start: string
  readonly host: string
  readonly boot: string
  /** The pid namespace. */
  readonly space: string
}

const orEmpty = (read: () => string): string => {
  try {
    return read().trim()
  } catch {
    return ''
  }
}

// The command name in parentheses may hold anything, so fields are counted after it.
const readStat = (pid: number, field: number): string =>
  orEmpty(() => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[field] ?? ''
  })

const readStartTime = (pid: number): string => readStat(pid, 19)

/** The parent of a process; empty without /proc. */
export const parentProcess = (pid: number): string => readStat(pid, 1)

export const currentProcess = (): ProcessIdentity => ({
  pid: process.pid,
  start: readStartTime(process.pid),
  host: hostname(),
  boot: orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
  space: orEmpty(() => readlinkSync('/proc/self/ns/pid')),
})

/** The identity as a file name encodes it: shortened, and comparable only with another short one. */
export const shortIdentity = ({ host, boot, space, pid, start }: ProcessIdentity): ProcessIdentity => ({
  host: Buffer.from(host).toString('hex').slice(0, 16),
  boot: boot.replaceAll('-', '').slice(0, 12),
  space: space.replace(/\D/g, ''),
  pid,
  start,
})

/** For file names: unlike the content, the name exists from the moment the file is created. */
export const encodeIdentity = (identity: ProcessIdentity): string => {
  const { host, boot, space, pid, start } = shortIdentity(identity)
  return [host, boot, space, pid, start].join('-')
}

/** The short identity; undefined when the text encodes none. */
export const decodeIdentity = (encoded: string): ProcessIdentity | undefined => {
  const [, host = '', boot = '', space = '', pid, start = ''] =
    /^([0-9a-f]*)-([0-9a-f]*)-(\d*)-(\d+)-(\d*)$/.exec(encoded) ?? []
  return pid === undefined ? undefined : { host, boot, space, pid: Number(pid), start }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    // A process of another user exists and may not be signalled.
    return errorCode(cause) === 'EPERM'
  }
}

/**
 * True only when the process is certainly dead. Processes of another machine or pid namespace cannot be checked and
 * count as alive; those of an earlier boot are dead even if their pid is in use again.
 */
export const isDead = (other: ProcessIdentity, here: ProcessIdentity): boolean => {
  if (other.host !== here.host) return false
  if (other.boot !== here.boot) return true
  if (other.space !== here.space) return false
  return !isRunning(other.pid) || readStartTime(other.pid) !== other.start
}
