import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { makeFolder, sweep } from './support/binary.ts'
import { Sentinel, verdict } from './support/sentinel.ts'

afterAll(sweep)

const residentMiB = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

// Each file gives a syntax tree of 100 MB in native memory, which would be freed only at the end.
it('reads sources made of nothing but braces without keeping their trees', async ({ skip }) => {
  if (process.platform !== 'linux') return skip('memory is read from /proc')
  const root = join(await makeFolder(), 'project')
  mkdirSync(root)
  const text = `class A { void m() ${'{'.repeat(400_000)}${'}'.repeat(400_000)} }`
  for (let at = 0; at < 20; at += 1) writeFileSync(join(root, `A${at}.java`), text)
  const server = new Sentinel(root)
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, residentMiB(server.pid))
  }, 50)
  const id = server.call('discover_service_interconnections', { projectPath: '.' })
  await server.heard(1, 60_000)
  clearInterval(timer)
  expect(verdict(await server.answer(id))).toMatch(/^(success|-32000 timeout)$/)
  expect(most).toBeGreaterThan(100)
  expect(most).toBeLessThan(1_500)
  server.child.kill('SIGKILL')
}, 120_000)
