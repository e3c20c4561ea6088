import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process, told well enough that a new one with an old number is not taken for it. */
export interface ProcessIdentity {
  readonly pid: number
  /** When the process started; empty where the system does not tell. */
  readonly start: string
  /** The machine, and the boot and the process numbering its `pid` belongs to. */
  readonly host: string
  readonly boot: string
  readonly space: string
}

const orNothing = (read: () => string): string => {
  try {
    return read().trim()
  } catch {
    return ''
  }
}

// The name in brackets may hold anything, so fields are counted from its end: the 20th after it is the start.
const startOf = (pid: number): string =>
  orNothing(() => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  })

export const currentProcess = (): ProcessIdentity => ({
  pid: process.pid,
  start: startOf(process.pid),
  host: hostname(),
  boot: orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
  space: orNothing(() => readlinkSync('/proc/self/ns/pid')),
})

/** As a file name can tell it: shortened where that leaves no doubt. */
export const shortIdentity = ({ host, boot, space, pid, start }: ProcessIdentity): ProcessIdentity => ({
  host: Buffer.from(host).toString('hex').slice(0, 16),
  boot: boot.replaceAll('-', '').slice(0, 12),
  space: space.replace(/\D/g, ''),
  pid,
  start,
})

/**
 * A process in the name of a file it makes: the name is there with the file, while what is written into it may never
 * come.
 */
export const encodeIdentity = (owner: ProcessIdentity): string => {
  const { host, boot, space, pid, start } = shortIdentity(owner)
  return [host, boot, space, pid, start].join('-')
}

/** The shortened owner in such a name. */
export const decodeIdentity = (sign: string): ProcessIdentity | undefined => {
  const [, host = '', boot = '', space = '', pid, start = ''] =
    /^([0-9a-f]*)-([0-9a-f]*)-(\d*)-(\d+)-(\d*)$/.exec(sign) ?? []
  return pid === undefined ? undefined : { host, boot, space, pid: Number(pid), start }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    // Somebody else's process: it exists, and we may not touch it.
    return (cause as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Whether a process is surely gone. In doubt it is not: another machine's is not ours to judge. After a restart all
 * are, whoever has their numbers now.
 */
export const isDead = (owner: ProcessIdentity, here: ProcessIdentity): boolean => {
  if (owner.host !== here.host) return false
  if (owner.boot !== here.boot) return true
  if (owner.space !== here.space) return false
  return !isRunning(owner.pid) || startOf(owner.pid) !== owner.start
}
