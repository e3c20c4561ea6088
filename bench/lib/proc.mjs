import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { Stop } from './stop.mjs'

let tickNs = 0

/** Called once before measuring; names the clock that the figures come from. */
export function openClock() {
  if (!existsSync('/proc/self/stat')) throw new Stop('the bench reads CPU time from /proc and needs Linux')
  tickNs = 1e9 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  return threadsNs(process.pid) > 0 ? 'schedstat' : 'ticks'
}

/**
 * On-CPU time of the live threads. A thread that has ended is not in it.
 *
 * @param {number} pid
 */
function threadsNs(pid) {
  let sum = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      sum += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // The thread ended between the listing and the read, or the kernel keeps no schedstat.
    }
  }
  return sum
}

/** @param {number} pid */
function tickTimes(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The command name may hold spaces, so fields are counted from its closing parenthesis: [0] is field 3.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).map(Number)
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = ticks
  return { ownNs: (user + system) * tickNs, childrenNs: (childUser + childSystem) * tickNs }
}

/**
 * CPU time of a process and of the children it has waited for. Ticks are rounded down but keep ended threads;
 * schedstat is exact but loses them. Neither overstates, so the larger one is the better reading.
 *
 * @param {number} pid
 */
export function cpuNs(pid) {
  const threads = threadsNs(pid)
  const { ownNs, childrenNs } = tickTimes(pid)
  return Math.max(threads, ownNs) + childrenNs
}

/** CPU time of all children that have ended and been waited for, and of theirs, in ticks. */
export function waitedNs() {
  return tickTimes(process.pid).childrenNs
}

/** @param {number} pid */
export function rssMib(pid) {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  if (!match) throw new Stop(`process ${pid} has no VmRSS`)
  return Number(match[1]) / 1024
}

/** @returns {string[]} two CPUs this process may use, the same one twice if there is only one */
function twoCpus() {
  const match = /^Cpus_allowed_list:\s+(.+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))
  const cpus = (match?.[1] ?? '0').split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number)
    return [from, Math.min(to, from + 1)]
  })
  const [first = 0, second = first] = new Set(cpus)
  return [String(first), String(second)]
}

/** @type {string[] | undefined} */
let seats

/**
 * Fixes where the main threads of the bench and of a server run; left alone, the kernel moves them between the
 * same CPU and different ones, and one program then measures twice as dear as itself. In sequence the two take
 * turns, so one CPU serves both and no waking of a sleeping CPU blurs the figure; otherwise each has its own.
 *
 * @param {number} pid
 * @param {boolean} apart
 */
export function seat(pid, apart) {
  seats ??= twoCpus()
  const [mine = '0', other = '0'] = seats
  for (const [target, cpu] of [
    [process.pid, mine],
    [pid, apart ? other : mine],
  ]) {
    try {
      execFileSync('taskset', ['-p', '-c', String(cpu), String(target)], { stdio: 'ignore' })
    } catch {
      throw new Stop('the bench fixes processes to a CPU and needs taskset (util-linux)')
    }
  }
}
