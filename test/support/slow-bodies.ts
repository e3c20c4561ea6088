import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { exchange, LOCAL, LOCAL_TEXT, rawRequest } from './raw-http.ts'

const PROGRAM = fileURLToPath(new URL('slow-bodies-process.mjs', import.meta.url))

interface SlowBodies {
  readonly port: number
  readonly count: number
  /** How much of its 4 MiB each one sends before it stops sending. */
  readonly bytes: number
  /** Opens another one in place of each that the server closes. */
  readonly renew: boolean
}

/** Opens requests whose bodies never end, and resolves once as many have been connected. */
export const sendSlowBodies = async ({ port, count, bytes, renew }: SlowBodies) => {
  const args = [port, count, bytes, Number(renew), LOCAL_TEXT].map(String)
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return { stop: () => child.kill('SIGKILL') }
}

/** Asks for `/health` again and again, each time on a new connection. */
export const askHealth = async (port: number, ms: number) => {
  const times: number[] = []
  let failed = 0
  const end = performance.now() + ms
  while (performance.now() < end) {
    const start = performance.now()
    const request = rawRequest('GET', '/health', [...LOCAL, ['Connection', 'close']])
    const status = await exchange(port, request, 5_000).then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === 200) times.push(performance.now() - start)
    else failed += 1
  }
  times.sort((a, b) => a - b)
  return {
    failed,
    answered: times.length,
    p99: times[Math.floor(times.length * 0.99)] ?? Number.POSITIVE_INFINITY,
  }
}
