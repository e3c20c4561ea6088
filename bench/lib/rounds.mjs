import { cpuNs, seat } from './proc.mjs'
import { median, percentile } from './stats.mjs'
import { within } from './stop.mjs'

/** @typedef {(done: (error?: Error) => void) => void} Call */

/**
 * A B C, then A C B, then C A B, and so on: the start moves on each round and every second round runs backwards,
 * so that noise of the machine, the place in the round and the neighbour before fall on all alike. One pass
 * before the rounds is thrown away: it pays for cold files and uncompiled code.
 *
 * @template T
 * @template V
 * @param {T[]} contestants
 * @param {number} rounds
 * @param {(contestant: T) => Promise<V>} visit
 * @param {(contestant: T, values: V) => void} keep
 */
export async function interleave(contestants, rounds, visit, keep) {
  for (const contestant of contestants) await visit(contestant)
  for (let round = 0; round < rounds; round++) {
    const first = round % contestants.length
    const order = [...contestants.slice(first), ...contestants.slice(0, first)]
    for (const contestant of round % 2 ? order.reverse() : order) keep(contestant, await visit(contestant))
  }
}

/**
 * Keeps `width` calls open until `total` have been answered.
 *
 * @param {Call} call
 * @param {number} total
 * @param {number} width
 * @returns {Promise<Float64Array>} wall time of each call, in µs
 */
function drive(call, total, width) {
  const walls = new Float64Array(total)
  let sent = 0
  let answered = 0
  return new Promise((resolve, reject) => {
    const next = () => {
      sent++
      const began = performance.now()
      call((error) => {
        if (error) {
          sent = total
          reject(error)
          return
        }
        walls[answered++] = (performance.now() - began) * 1000
        if (sent < total) next()
        else if (answered === total) resolve(walls)
      })
    }
    while (sent < Math.min(width, total)) next()
  })
}

/**
 * @param {{ name: string, pid: number }} server
 * @param {Call} call
 * @param {{ total: number, width: number }} load
 */
export async function measure(server, call, { total, width }) {
  seat(server.pid, width > 1)
  const late = `${server.name} did not answer ${total} calls`
  await within(drive(call, Math.ceil(total / 10), width), 120, late)
  const cpuBefore = cpuNs(server.pid)
  const began = performance.now()
  const walls = await within(drive(call, total, width), 120, late)
  const seconds = (performance.now() - began) / 1000
  const cpu = (cpuNs(server.pid) - cpuBefore) / 1000 / total
  return { cpu, p50: median(walls), p99: percentile(walls, 0.99), rate: total / seconds }
}
