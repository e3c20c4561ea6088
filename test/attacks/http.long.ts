import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { startHttp, sweep } from '../support/binary.ts'
import { askHealth, sendSlowBodies } from '../support/slow-bodies.ts'

afterAll(sweep)

const residentMiB = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

describe('Filling the HTTP server', () => {
  it('1,100 slow bodies, renewed for 40 s, leave healthy clients served', async () => {
    const server = await startHttp()
    const slow = await sendSlowBodies({ port: server.port, count: 1_100, bytes: 10, renew: true })
    const healthy = await askHealth(server.port, 40_000)
    slow.stop()
    process.stderr.write(`${JSON.stringify(healthy)}\n`)
    expect(healthy.failed).toBe(0)
    expect(healthy.p99).toBeLessThan(1_000)
  })

  it.each([false, true])(
    '400 unfinished bodies of 4 MB take no more than 64 MiB (renewed: %s)',
    async (renew) => {
      const server = await startHttp()
      await askHealth(server.port, 500)
      const before = residentMiB(server.pid)
      const slow = await sendSlowBodies({ port: server.port, count: 400, bytes: 4_000_000, renew })
      let most = 0
      for (let at = 0; at < 40; at += 1) {
        await sleep(250)
        most = Math.max(most, residentMiB(server.pid))
      }
      const healthy = await askHealth(server.port, 2_000)
      slow.stop()
      await sleep(5_000)
      const after = residentMiB(server.pid)

      process.stderr.write(`${JSON.stringify({ before, most, after, ...healthy })}\n`)
      expect(healthy.failed).toBe(0)
      expect(most - before).toBeLessThan(150)
      expect(after - before).toBeLessThan(150)
    },
  )
})
