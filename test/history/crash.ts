import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { sqliteLogs } from '../../src/platform/log-stores/sqlite/log.ts'
import { BeliefServer, runWarrant, type ServerPlan } from './belief-server.ts'
import { type Random, seededRandom } from './random.ts'

const MAX_BURST = 4
const MAX_ROUNDS = 5
const PAGE = 1_000

export interface CrashPlan {
  readonly seed: number
  readonly server: ServerPlan
  /** Total number of servers that are killed. */
  readonly cycles: number
  /** Number of concurrent servers. */
  readonly writers: number
  /** How long to wait between two checkpoints, in milliseconds. */
  readonly checkpointMs: number
}

/** One server from its start until it is killed. Every write is identified by a unique energy. */
interface Life {
  readonly sent: number[]
  readonly acknowledged: { readonly id: number; readonly energy: number }[]
  /** Writes without an answer: they may have been in progress at the end. */
  lastBurst: number
}

export interface CrashReport {
  readonly lives: readonly Life[]
  /** Servers that were killed before they had answered anything. */
  readonly unborn: number
  readonly checkpoints: readonly string[]
  readonly entries: number
  /** Entries whose write was not acknowledged. */
  readonly unannounced: number
}

class Crasher {
  readonly #plan: CrashPlan
  readonly #random: Random
  readonly lives: Life[] = []
  readonly checkpoints: string[] = []
  #nextEnergy = 1
  #left: number

  constructor(plan: CrashPlan) {
    this.#plan = plan
    this.#random = seededRandom(plan.seed)
    this.#left = plan.cycles
  }

  async run(): Promise<void> {
    const writers = Array.from({ length: this.#plan.writers }, () => this.#killForever())
    const working = Promise.all(writers)
    await Promise.all([working, this.#takeCheckpoints(working)])
  }

  async #killForever(): Promise<void> {
    while (this.#left > 0) {
      this.#left -= 1
      await this.#live()
    }
  }

  async #live(): Promise<void> {
    const life: Life = { sent: [], acknowledged: [], lastBurst: 0 }
    this.lives.push(life)
    const server = new BeliefServer(this.#plan.server)
    // One in six is killed before its first answer: while it opens or recovers the store.
    const isUnborn = this.#random(6) === 0
    const rounds = isUnborn ? 0 : 1 + this.#random(MAX_ROUNDS)
    for (let round = 0; round < rounds; round += 1) await Promise.all(this.#burst(server, life))
    const last = this.#burst(server, life)
    await sleep(isUnborn ? 60 + this.#random(400) : this.#random(80) / 10)
    await server.kill()
    await Promise.all(last)
    expect(server.stderr.replaceAll(/^.*"snapshot skipped".*$/gm, '').trim()).toBe('')
  }

  #burst(server: BeliefServer, life: Life): Promise<void>[] {
    life.lastBurst = 1 + this.#random(MAX_BURST)
    return Array.from({ length: life.lastBurst }, async () => {
      const energy = this.#nextEnergy++
      life.sent.push(energy)
      const outcome = await server.call('node.create', { belief: 0.5, energy })
      if (outcome.kind === 'unknown') return
      expect(outcome).toMatchObject({ kind: 'answered', value: { energy } })
      if (outcome.kind === 'answered') life.acknowledged.push({ id: Number(outcome.value.node_id), energy })
    })
  }

  async #takeCheckpoints(working: Promise<unknown>): Promise<void> {
    let isDone = false
    const done = working.finally(() => {
      isDone = true
    })
    while (!isDone) {
      await Promise.race([done, sleep(this.#plan.checkpointMs)])
      const { code, value, stderr } = await runWarrant(this.#plan.server, ['log', 'checkpoint'])
      // The first server may not have come so far as to make the log.
      if (value?.error?.code === 'store.unknown') continue
      expect(code, stderr).toBe(0)
      const file = join(this.#plan.server.folder, `checkpoint-${this.checkpoints.length}`)
      await writeFile(file, value.note)
      this.checkpoints.push(file)
    }
  }
}

/** The energies in the log, in its order, read through a handle of its own. */
const readEnergies = async (file: string): Promise<readonly number[]> => {
  const store = sqliteLogs(file)
  try {
    const log = await store.find('default')
    const energies: number[] = []
    for (;;) {
      const rows = (await log?.read(energies.length, PAGE)) ?? []
      energies.push(...rows.map(({ payload }) => Number(JSON.parse(payload ?? '{}').args.energy)))
      if (rows.length < PAGE) return energies
    }
  } finally {
    await store.close()
  }
}

/** Every acknowledged write is at its sequence number; of the others a prefix may be present. */
const checkLife = ({ sent, acknowledged, lastBurst }: Life, places: ReadonlyMap<number, number>): number => {
  expect(acknowledged.map(({ energy }) => places.get(energy))).toEqual(acknowledged.map(({ id }) => id))
  const present = sent.filter((energy) => places.has(energy))
  expect(present).toEqual(sent.slice(0, present.length))
  const inOrder = present.map((energy) => places.get(energy) as number)
  expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b))
  expect(sent.length - acknowledged.length).toBeLessThanOrEqual(lastBurst)
  return present.length - acknowledged.length
}

/** Kills servers in the middle of their work many times and checks the log afterwards. No repair is run. */
export const surviveCrashes = async (plan: CrashPlan): Promise<CrashReport> => {
  const crasher = new Crasher(plan)
  await crasher.run()
  const { lives, checkpoints } = crasher
  expect(lives).toHaveLength(plan.cycles)

  const energies = await readEnergies(plan.server.store)
  const places = new Map(energies.map((energy, place) => [energy, place]))
  expect(places.size).toBe(energies.length)
  const unannounced = lives.reduce((sum, life) => sum + checkLife(life, places), 0)
  const acknowledged = lives.reduce((sum, life) => sum + life.acknowledged.length, 0)
  expect(energies).toHaveLength(acknowledged + unannounced)

  const size = energies.length
  const stats = await runWarrant(plan.server, ['log', 'graph', 'stats'])
  expect(stats.value).toMatchObject({
    lineage_length: size,
    node_count: size,
    quarantined: false,
    healthy: true,
  })
  const verified = await runWarrant(plan.server, ['log', 'verify'])
  expect(verified.code).toBe(0)
  expect(verified.value).toMatchObject({ chain: { outcome: 'intact', size }, execution: { outcome: 'same' } })
  for (const file of checkpoints) {
    const { value } = await runWarrant(plan.server, ['log', 'consistency', '--checkpoint', file])
    expect(value, file).toMatchObject({ outcome: 'consistent', newer: size })
  }
  const unborn = lives.filter((life) => life.acknowledged.length === 0).length
  return { lives, unborn, checkpoints, entries: size, unannounced }
}
