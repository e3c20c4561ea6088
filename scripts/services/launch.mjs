// @ts-check
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * @typedef {object} Session
 * @property {string} folder everything the services write is below it
 * @property {AbortSignal} signal
 * @property {Array<() => Promise<void>>} stops
 *
 * @typedef {object} Plan
 * @property {string} name
 * @property {(port: number) => [command: string, ...args: string[]]} command
 * @property {(port: number) => boolean | Promise<boolean>} ready
 * @property {NodeJS.Signals} stopSignal
 * @property {string} [cwd]
 * @property {number} [uid]
 * @property {number} [gid]
 */

/** The caller's REGISTRY_* and PG* variables would reconfigure the services. */
export const cleanEnv = { PATH: process.env.PATH ?? '', LC_ALL: 'C' }

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free loopback port')
  return address.port
}

/**
 * @param {Session} session
 * @param {Plan} plan
 * @returns {Promise<number>} the port it listens on
 */
export async function launch(session, plan) {
  const log = join(session.folder, `${plan.name}.log`)
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const outcome = await tryPort(session, plan, port, log)
    if (outcome === 'ready') return port
    const text = readFileSync(log, 'utf8')
    if (outcome.startsWith('exited') && /address already in use/i.test(text) && attempt < 5) continue
    throw new Error(`${plan.name} ${outcome}:\n${text.trim().split('\n').slice(-20).join('\n')}`)
  }
}

/**
 * @param {Session} session
 * @param {Plan} plan
 * @param {number} port
 * @param {string} log
 */
async function tryPort(session, plan, port, log) {
  session.signal.throwIfAborted()
  const [command, ...args] = plan.command(port)
  const { cwd, uid, gid } = plan
  const out = openSync(log, 'w')
  // Its own process group: a Ctrl-C in the terminal must not take it away from tests that still finish.
  const child = spawn(command, args, {
    env: cleanEnv,
    detached: true,
    stdio: ['ignore', out, out],
    ...(cwd !== undefined && { cwd }),
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  })
  closeSync(out)
  /** @type {string | undefined} */
  let ended
  /** @type {Promise<string>} */
  const end = new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not start (${error.message})`))
    child.once('exit', (code, signal) => resolve(`exited with ${code ?? signal}`))
  })
  const gone = end.then((reason) => {
    ended = reason
  })
  session.stops.push(async () => {
    if (ended !== undefined) return
    child.kill(plan.stopSignal)
    const force = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await gone
    clearTimeout(force)
  })
  if (child.pid !== undefined) writeFileSync(join(session.folder, `${plan.name}.pid`), `${child.pid}\n`)
  const deadline = performance.now() + 30_000
  while (performance.now() < deadline) {
    session.signal.throwIfAborted()
    if (ended !== undefined) return ended
    if (await plan.ready(port)) return 'ready'
    await Promise.race([gone, sleep(20)])
  }
  return 'was not ready after 30 s'
}

/**
 * Stops what is left when this process is killed in a way it cannot handle: the guard sees its input close.
 *
 * @param {string} folder
 */
export function startGuard(folder) {
  const script = `read -r line
    [ -d "$1" ] || exit 0
    for file in "$1"/*.pid; do read -r pid <"$file" && kill -QUIT "$pid"; done
    sleep 1
    rm -rf "$1"`
  const guard = spawn('/bin/sh', ['-c', script, 'services-guard', folder], {
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const gone = new Promise((resolve) => guard.once('error', resolve).once('exit', resolve))
  return async () => {
    guard.stdin.end()
    await gone
  }
}
