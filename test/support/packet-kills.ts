import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { packetStore } from '../../src/platform/packets/store.ts'
import { BINARY, cleanEnvironment, makeFolder } from './binary.ts'
import { EmbeddingServer } from './embedding-server.ts'
import { RegistryProxy } from './registry-proxy.ts'

const DOCS = fileURLToPath(new URL('../../docs/adr', import.meta.url))
const ASK = ['query', 'book:1.0.0', 'what is a dialect']

/** A process that says who it is as a lock would, and lives until it is killed. */
const OWNER = `const fs = require('fs')
  const stat = fs.readFileSync('/proc/self/stat', 'utf8')
  console.log(JSON.stringify({ id: 'dead', pid: process.pid, host: require('os').hostname(),
    start: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19],
    boot: fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    space: fs.readlinkSync('/proc/self/ns/pid') }))
  setInterval(() => {}, 1000)`

const LEFT = /(^|\/)\.draft-|(^|\/)\.[^/]*\.previous(\/|$)|\.lock\.(\d+|[^/]+\.tmp)$/

/** Every file below a folder with its bytes, drafts and locks aside: what a reader would take for whole. */
const visible = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    // A seal is of this very store and another one every time.
    .filter((path) => !LEFT.test(path) && !path.endsWith('/seal'))
  const pairs = files.map(async (path) => [path, await readFile(join(folder, path), 'base64')] as const)
  return new Map((await Promise.all(pairs)).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const leftovers = async (folder: string) =>
  (await readdir(folder, { recursive: true })).filter((path) => LEFT.test(path))

/** One process of the real program: `stop` is called with its kill and decides when. */
const start = (args: readonly string[], env: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, [BINARY, 'packet', ...args], {
    env: cleanEnvironment(env),
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (part) => (said += part))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, said }))
  return { kill: () => child.kill('SIGKILL'), ended }
}

type Env = Readonly<Record<string, string>>

const finish = async (args: readonly string[], env: Env): Promise<void> => {
  const { code, said } = await start(args, env).ended
  expect({ code, said }).toMatchObject({ code: 0 })
}

/** Kills a run when something new is seen in a folder, or a little later. Says whether that was in time. */
const killAtSight = async (folder: string, args: readonly string[], env: Env, ms: number) => {
  const look = async () => (await readdir(folder, { recursive: true }).catch(() => [])).join()
  const before = await look()
  const running = start(args, env)
  let over = false
  const ended = running.ended.finally(() => {
    over = true
  })
  while (!over && (await look()) === before) await sleep(1)
  await sleep(ms)
  running.kill()
  return (await ended).code === null
}

/** Kills a run at one of its requests, or in the midst of what follows it. */
const killAtCall = async (
  proxy: RegistryProxy,
  args: readonly string[],
  env: Env,
  call: number,
  ms: number,
) => {
  const running = start(args, env)
  proxy.take()
  proxy.onCall = (count) => {
    if (count === call) setTimeout(running.kill, ms)
  }
  const { code } = await running.ended
  proxy.onCall = () => {}
  return code === null
}

export class PacketKills {
  readonly #proxy: RegistryProxy
  /** Takes less time than the built-in model, which each process would load anew. */
  readonly #embedder: EmbeddingServer
  readonly #home: string
  readonly #env: Env
  /** What an undisturbed build gives. */
  #whole: ReadonlyMap<string, string> = new Map()

  private constructor(proxy: RegistryProxy, embedder: EmbeddingServer, home: string) {
    this.#proxy = proxy
    this.#embedder = embedder
    this.#home = home
    this.#env = {
      REGISTRY: `${proxy.address}/kills-${process.pid}`,
      CPM_ROOT: join(home, 'cpm'),
      EMBEDDING_URL: embedder.url,
      EMBEDDING_MODEL: 'letters',
    }
  }

  static async open(host: string): Promise<PacketKills> {
    const [proxy, embedder] = [new RegistryProxy(host), new EmbeddingServer()]
    const kills = new PacketKills(await proxy.start(), await embedder.start(), await makeFolder())
    // With a packet folder every passage is embedded once.
    await mkdir(join(kills.#home, 'cpm'))
    await finish(kills.#build('whole'), kills.#env)
    kills.#whole = await visible(join(kills.#home, 'whole'))
    return kills
  }

  async close(): Promise<void> {
    await Promise.all([this.#proxy.stop(), this.#embedder.stop()])
  }

  #build(out: string): readonly string[] {
    return ['build', DOCS, '--name', 'book', '--version', '1.0.0', '--out', join(this.#home, out)]
  }

  /** A built packet is the whole of it or nothing, also where one is replaced. */
  async build(rounds: number): Promise<void> {
    const out = join(this.#home, 'killed')
    const args = this.#build('killed')
    await finish(args, this.#env)
    let killed = 0
    for (let round = 0; round < rounds; round++) {
      if (round % 2 === 0) await rm(out, { recursive: true, force: true })
      killed += Number(await killAtSight(out, args, this.#env, round % 8))
      const found = await visible(out)
      if (found.size > 0) expect(found).toEqual(this.#whole)
      // Where one is replaced there is always one, although its folder may be set aside at the moment.
      if (round % 2 === 1) await finish(['verify', join(out, 'book/1.0.0'), DOCS], this.#env)
      await finish(args, this.#env)
      expect(await visible(out)).toEqual(this.#whole)
      expect(await leftovers(out)).toEqual([])
    }
    expect(killed).toBeGreaterThan(rounds / 4)
  }

  /** A tag means a whole packet or nothing. */
  async publish(rounds: number): Promise<void> {
    const args = ['publish', join(this.#home, 'whole/book/1.0.0')]
    let killed = 0
    for (let round = 0; round < rounds; round++) {
      const place = {
        ...this.#env,
        REGISTRY: `${this.#env.REGISTRY}/${round}`,
        CPM_ROOT: join(this.#home, `read-${round}`),
      }
      killed += Number(await killAtCall(this.#proxy, args, place, 1 + ((round * 5) % 28), (round % 3) * 3))
      const { code, said } = await start(['pull', 'book:1.0.0'], place).ended
      if (code !== 0) expect(said).toContain('answered 404')
      await finish(args, place)
      await finish(['pull', 'book'], place)
    }
    expect(killed).toBeGreaterThan(rounds / 4)
  }

  /** Whatever is in the store is whole, and what the dead left is swept. */
  async pull(rounds: number): Promise<void> {
    await finish(['publish', join(this.#home, 'whole/book/1.0.0')], this.#env)
    const store = packetStore(join(this.#home, 'cpm'))
    const args = ['pull', 'book:1.0.0']
    let killed = 0
    for (let round = 0; round < rounds; round++) {
      await store.prune((await store.list()).map(({ digest }) => digest))
      killed += Number(await killAtCall(this.#proxy, args, this.#env, 1 + (round % 10), (round % 4) * 2))
      await this.#expectWhole()
      await finish(args, this.#env)
      expect(await this.#expectWhole()).toBe(1)
      expect(await leftovers(join(this.#home, 'cpm/cas'))).toEqual([])
    }
    expect(killed).toBeGreaterThan(rounds / 4)
  }

  async #expectWhole(): Promise<number> {
    const store = packetStore(join(this.#home, 'cpm'))
    const there = (await store.list()).map(({ digest }) => digest)
    const verdicts = await store.verify(there)
    expect(verdicts.filter(({ problems }) => problems.length > 0)).toEqual([])
    return there.length
  }

  /** The search index is complete or absent; no lock of a dead process blocks. */
  async index(rounds: number): Promise<void> {
    await finish(['publish', join(this.#home, 'whole/book/1.0.0')], this.#env)
    const place = join(this.#home, 'cpm/index')
    await finish(ASK, this.#env)
    const whole = await visible(place)
    let killed = 0
    for (let round = 0; round < rounds; round++) {
      await rm(place, { recursive: true })
      killed += Number(await killAtSight(place, ASK, this.#env, round % 8))
      for (const [path, bytes] of await visible(place)) expect(bytes).toBe(whole.get(path))
      await finish(ASK, this.#env)
      expect(await visible(place)).toEqual(whole)
    }
    expect(killed).toBeGreaterThan(rounds / 4)
  }

  /** Asks once, takes away what is made for searching, and says where that goes. */
  async #coldTable(): Promise<string> {
    const place = join(this.#home, 'cpm/index')
    await finish(['publish', join(this.#home, 'whole/book/1.0.0')], this.#env)
    await finish(ASK, this.#env)
    const table = [...(await visible(place)).keys()].find((path) => path.endsWith('.i8')) ?? ''
    await rm(join(place, table))
    return join(place, table)
  }

  /** Leaves a lock of a process that is dead, and asks again. Gives how long that took. */
  async takeOver(): Promise<number> {
    const table = await this.#coldTable()
    const child = spawn(process.execPath, ['-e', OWNER], { stdio: ['ignore', 'pipe', 'ignore'] })
    const [owner] = await once(child.stdout.setEncoding('utf8'), 'data')
    await writeFile(`${table}.lock.1`, String(owner).trim())
    const waiting = start(ASK, this.#env)
    const early = await Promise.race([waiting.ended.then(() => 'answered'), sleep(1500).then(() => 'waits')])
    expect(early).toBe('waits')
    child.kill('SIGKILL')
    const killed = performance.now()
    expect(await waiting.ended).toMatchObject({ code: 0 })
    expect(await leftovers(dirname(table))).toEqual([])
    return performance.now() - killed
  }

  /** What a machine that was switched off leaves: locks and drafts of numbers that others have now. */
  async restart(): Promise<void> {
    const table = await this.#coldTable()
    const child = spawn(process.execPath, ['-e', OWNER], { stdio: ['ignore', 'pipe', 'ignore'] })
    const [text] = await once(child.stdout.setEncoding('utf8'), 'data')
    const owner = JSON.parse(String(text))
    await writeFile(`${table}.lock.1`, JSON.stringify({ ...owner, boot: 'the one before' }))
    await writeFile(`${table}.lock.2`, JSON.stringify({ ...owner, start: '1' }))
    await writeFile(`${table}.lock.3`, '')
    await writeFile(table, 'cut off by the power')
    const { digest } = (await packetStore(join(this.#home, 'cpm')).list())[0] ?? { digest: '' }
    // Nobody listens here: what is cached is all there is.
    const alone = { ...this.#env, REGISTRY: '127.0.0.1:1/kills' }
    await finish(['query', `oci://127.0.0.1:1/kills/book@${digest}`, 'what is a dialect'], alone)
    child.kill('SIGKILL')
    expect(await leftovers(dirname(table))).toEqual([])
  }

  /** Asked by so many processes at once. Gives how often the table for searching was put into its place. */
  async crowd(size: number): Promise<number> {
    const table = await this.#coldTable()
    let made = 0
    const watcher = watch(dirname(table), (event, name) => {
      if (event === 'rename' && name === basename(table)) made += 1
    })
    await Promise.all(Array.from({ length: size }, () => finish(ASK, this.#env)))
    await sleep(50)
    watcher.close()
    return made
  }
}
