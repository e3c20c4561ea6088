import { setTimeout as sleep } from 'node:timers/promises'
import { MISSING } from './belief-model.ts'
import { BeliefServer, isUnsettled, type Outcome, type ServerPlan } from './belief-server.ts'
import { isWrite, randomWish, type Wish } from './calls.ts'
import type { Call } from './checker.ts'
import { type Random, seededRandom } from './random.ts'

const MAX_BURST = 3
const NODE_NOT_FOUND = 4004

export interface HistoryPlan {
  readonly seed: number
  readonly processes: number
  /** Calls of each process. */
  readonly calls: number
  readonly server: (process: number) => ServerPlan
  /** How often each process is killed in the middle of its calls, and how often it is stopped for a while. */
  readonly kills: (process: number) => number
  readonly pauses: (process: number) => number
}

export interface RecordedHistory {
  readonly calls: readonly Call[]
  /** Calls that were refused without effect, and are therefore not part of the history. */
  readonly refused: readonly string[]
  readonly kills: number
  readonly pauses: number
}

/** The members of an answer that the model knows. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  'node.create': ['node_id', 'belief', 'energy'],
  'node.mutate': ['node_id', 'belief', 'energy'],
  'node.query': ['node_id', 'belief', 'energy'],
  'governance.status': ['node_count', 'lineage_length'],
}

const resultOf = ({ op }: Wish, outcome: Outcome): unknown => {
  if (outcome.kind === 'refused' && outcome.code === NODE_NOT_FOUND) return MISSING
  if (outcome.kind !== 'told') return undefined
  const { value } = outcome
  return Object.fromEntries((MEMBERS[op] ?? []).map((name) => [name, value[name]]))
}

type Mishap = 'kill' | 'pause'

/** One client and the server at the other end of its pipe, which is replaced when it has been killed. */
class Client {
  readonly #process: number
  readonly #plan: HistoryPlan
  readonly #random: Random
  readonly #mishaps: ReadonlyMap<number, Mishap>
  readonly #known: { count: number }
  readonly calls: Call[] = []
  readonly refused: string[] = []
  readonly met = { kill: 0, pause: 0 }
  #server: BeliefServer

  constructor(process: number, plan: HistoryPlan, known: { count: number }) {
    this.#process = process
    this.#plan = plan
    this.#known = known
    this.#random = seededRandom(plan.seed * 1_000 + process)
    this.#server = new BeliefServer(plan.server(process))
    const mishaps: [number, Mishap][] = []
    const place = (mishap: Mishap) => mishaps.push([1 + this.#random(plan.calls - 1), mishap])
    for (let kill = 0; kill < plan.kills(process); kill += 1) place('kill')
    for (let pause = 0; pause < plan.pauses(process); pause += 1) place('pause')
    this.#mishaps = new Map(mishaps)
  }

  async run(): Promise<void> {
    const { calls } = this.#plan
    for (let made = 0; made < calls; ) {
      const burst = Math.min(calls - made, 1 + this.#random(MAX_BURST))
      const due = Array.from({ length: burst }, (_, at) => this.#mishaps.get(made + at))
      const asked = Array.from({ length: burst }, () => this.#ask())
      await this.#suffer(due.find((mishap) => mishap !== undefined))
      await Promise.all(asked)
      made += burst
      if (this.#server.hasEnded) this.#server = new BeliefServer(this.#plan.server(this.#process))
    }
    await this.#server.finish()
  }

  async #ask(): Promise<void> {
    const wish = randomWish(this.#random, this.#known.count)
    const invoked = performance.now()
    const outcome = await this.#server.call(wish.op, wish.args)
    const result = resultOf(wish, outcome)
    const isOpen = isUnsettled(outcome)
    if (result === undefined && !isOpen) {
      this.refused.push(JSON.stringify({ ...wish, ...outcome }))
      return
    }
    if (wish.op === 'node.create' && !isOpen) this.#known.count += 1
    const answered = isOpen ? null : outcome.at
    this.calls.push({ ...wish, process: this.#process, invoked, answered, result: isOpen ? null : result })
  }

  async #suffer(mishap: Mishap | undefined): Promise<void> {
    if (mishap === undefined) return
    // Sometimes before the server has read the question, sometimes after it has answered.
    await sleep(this.#random(12))
    this.met[mishap] += 1
    if (mishap === 'kill') return await this.#server.kill()
    this.#server.pause()
    await sleep(50 + this.#random(450))
    this.#server.resume()
  }
}

/** Runs processes on one store concurrently, kills or stops some of them, and records the history. */
export const recordHistory = async (plan: HistoryPlan): Promise<RecordedHistory> => {
  const known = { count: 0 }
  const clients = Array.from({ length: plan.processes }, (_, process) => new Client(process, plan, known))
  await Promise.all(clients.map((client) => client.run()))
  const count = (mishap: Mishap) => clients.reduce((sum, { met }) => sum + met[mishap], 0)
  return {
    calls: clients.flatMap(({ calls }) => calls),
    refused: clients.flatMap(({ refused }) => refused),
    kills: count('kill'),
    pauses: count('pause'),
  }
}

/** How many writes were acknowledged, and how many more may have happened. */
export const countWrites = (calls: readonly Call[]): { readonly sure: number; readonly open: number } => {
  const writes = calls.filter((call) => isWrite(call) && call.result !== MISSING)
  const sure = writes.filter(({ answered }) => answered !== null).length
  return { sure, open: writes.length - sure }
}
