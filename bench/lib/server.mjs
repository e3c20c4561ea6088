import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Stop } from './stop.mjs'

/** @typedef {import('./contestants.mjs').Contestant} Contestant */

/** @type {Set<Server>} */
const running = new Set()
let tempRoot = ''
let tempCount = 0

process.on('exit', () => {
  for (const server of running) server.child.kill('SIGKILL')
  if (tempRoot) rmSync(tempRoot, { recursive: true, force: true, maxRetries: 3 })
})
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

export function freshDir() {
  tempRoot ||= mkdtempSync(join(tmpdir(), 'warrant-bench-'))
  const dir = join(tempRoot, String(tempCount++))
  mkdirSync(dir)
  return dir
}

/** @param {string} name */
function homeDir(name) {
  const dir = join(tempRoot, `home-${name.replace(/\W+/g, '-')}`)
  mkdirSync(dir, { recursive: true })
  return dir
}

/** One server process, in an empty directory of its own. */
export class Server {
  /** @type {Stop | undefined} */
  failure
  #stopping = false
  #errors = ''
  /** @type {((error: Stop) => void)[]} */
  #listeners = []

  /** @param {Contestant} contestant */
  constructor({ name, command }) {
    this.name = name
    this.dir = freshDir()
    const [program = '', ...args] = command(this.dir)
    // One home per contestant lets a cache kept there serve later starts, as it would for a user; the caller's
    // settings (NODE_OPTIONS above all) stay out of the figures.
    const env = { PATH: process.env.PATH, HOME: homeDir(name), TMPDIR: tmpdir(), LANG: 'C.UTF-8' }
    this.child = spawn(program, args, { cwd: this.dir, env, stdio: 'pipe' })
    this.exited = new Promise((resolve) => this.child.once('close', resolve))
    this.child.stdout.setEncoding('utf8')
    this.child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#errors = (this.#errors + text).slice(-2000)
    })
    this.child.stdin.on('error', () => {})
    this.child.once('error', (error) => this.fail(`did not start: ${error.message}`))
    this.child.once('close', (code, signal) => {
      running.delete(this)
      if (!this.#stopping) this.fail(`ended early (${signal ?? code}) ${this.#lastError()}`.trimEnd())
    })
    running.add(this)
  }

  get pid() {
    if (this.child.pid === undefined) throw new Stop(`${this.name} did not start`)
    return this.child.pid
  }

  #lastError() {
    const lines = this.#errors.trim().split('\n')
    return lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? ''
  }

  /** @param {(error: Stop) => void} listener */
  onFailure(listener) {
    this.#listeners.push(listener)
    if (this.failure) listener(this.failure)
  }

  /** @param {string} reason */
  fail(reason) {
    if (this.failure) return
    this.failure = new Stop(`${this.name} ${reason}`)
    for (const listener of this.#listeners) listener(this.failure)
  }

  async stop() {
    this.#stopping = true
    this.child.stdin.end()
    for (const signal of /** @type {const} */ (['SIGTERM', 'SIGKILL'])) {
      await Promise.race([this.exited, sleep(2000, undefined, { ref: false })])
      if (!running.has(this)) break
      this.child.kill(signal)
    }
    await this.exited
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 3 })
  }
}
