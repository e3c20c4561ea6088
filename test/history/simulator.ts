import { beliefModel, MISSING, type ModelGraph } from './belief-model.ts'
import { randomWish, type Wish } from './calls.ts'
import type { Call } from './checker.ts'
import { pickOne, type Random } from './random.ts'

/** A simulated store: it may read state when a call arrives, and answers later. */
export interface FakeStore {
  /** Called when the question arrives; what it returns is called when the answer is made. */
  ask(wish: Wish): () => unknown
}

const asCall = (wish: Wish): Call => ({ ...wish, process: 0, invoked: 0, answered: null, result: null })
const step = (state: ModelGraph, wish: Wish) => beliefModel.apply(state, asCall(wish))

/** One copy, one call at a time. */
export const honestStore = (): FakeStore => {
  let state = beliefModel.first
  return {
    ask: (wish) => () => {
      const done = step(state, wish)
      state = done.state
      return done.result
    },
  }
}

/** Stale reads, as from an asynchronous replica. */
export const staleStore = (): FakeStore => {
  const states = [beliefModel.first]
  return {
    ask: (wish) => () => {
      const newest = states.at(-1) as ModelGraph
      const done = step(newest, wish)
      if (done.state !== newest) states.push(done.state)
      if (done.state !== newest || done.result === MISSING) return done.result
      return step(states.at(-3) ?? newest, wish).result
    },
  }
}

/** Lost updates: a change is computed from the state at the request and overwrites later ones. */
export const losingStore = (): FakeStore => {
  let state = beliefModel.first
  return {
    ask: (wish) => {
      const base = state
      return () => {
        const done = step(wish.op === 'node.mutate' ? base : state, wish)
        const id = Number(wish.args.node_id)
        const changed = done.state.nodes[id]
        if (wish.op !== 'node.mutate') state = done.state
        else if (done.result !== MISSING && changed !== undefined) {
          state = { nodes: state.nodes.with(id, changed), entries: state.entries + 1 }
        }
        return done.result
      }
    },
  }
}

/** Two creations at the same time get the same id. */
export const twinStore = (): FakeStore => {
  let state = beliefModel.first
  return {
    ask: (wish) => {
      const next = state.nodes.length
      return () => {
        const done = step(state, wish)
        state = done.state
        return wish.op === 'node.create' ? { ...(done.result as object), node_id: next } : done.result
      }
    },
  }
}

/** Acknowledges changes at once, and carries them out later in another order. */
export const shufflingStore = (): FakeStore => {
  let state = beliefModel.first
  let pending: Wish[] = []
  const settle = () => {
    for (const wish of pending.toReversed()) state = step(state, wish).state
    pending = []
  }
  return {
    ask: (wish) => () => {
      if (wish.op !== 'node.mutate') {
        if (pending.length > 2 || wish.op === 'node.create') settle()
        const done = step(state, wish)
        state = done.state
        return done.result
      }
      const { result } = step(
        pending.reduce((now, one) => step(now, one).state, state),
        wish,
      )
      if (result !== MISSING) pending.push(wish)
      return result
    },
  }
}

interface Under {
  readonly wish: Wish
  readonly process: number
  readonly invoked: number
  readonly answer: () => unknown
  result?: { readonly value: unknown }
}

export interface Simulation {
  readonly store: FakeStore
  readonly clients: number
  readonly calls: number
  /** One in this many calls is never answered, whether it was carried out or not. */
  readonly killed: number
}

/** Clients that take turns at random: a question, some time later its effect, some time later its answer. */
export const simulate = (random: Random, { store, clients, calls, killed }: Simulation): readonly Call[] => {
  const history: Call[] = []
  const under = new Map<number, Under>()
  let left = calls
  let known = 0
  for (let now = 0; left > 0 || under.size > 0; now += 1) {
    const process = random(clients)
    const one = under.get(process)
    if (one === undefined) {
      if (left === 0) continue
      left -= 1
      const wish = randomWish(random, known)
      under.set(process, { wish, process, invoked: now, answer: store.ask(wish) })
      continue
    }
    const dies = killed > 0 && random(killed) === 0
    if (!dies && one.result === undefined) {
      one.result = { value: one.answer() }
      if (one.wish.op === 'node.create') known += 1
      continue
    }
    const { wish, invoked, result } = one
    const told = dies || result === undefined ? null : result.value
    history.push({ ...wish, process, invoked, answered: dies ? null : now, result: told })
    under.delete(process)
  }
  return history
}

/** The slow way, for a few calls: every order of every choice of the unknown ones. */
export const explainSlowly = (history: readonly Call[]): boolean => {
  const mayFollow = (call: Call, left: readonly Call[]) =>
    left.every((other) => other === call || other.answered === null || other.answered >= call.invoked)
  const search = (state: ModelGraph, left: readonly Call[]): boolean =>
    left.every(({ answered }) => answered === null) ||
    left.some((call) => {
      if (!mayFollow(call, left)) return false
      const done = beliefModel.apply(state, call)
      const fits = call.answered === null || JSON.stringify(done.result) === JSON.stringify(call.result)
      return (
        fits &&
        search(
          done.state,
          left.filter((other) => other !== call),
        )
      )
    })
  return search(beliefModel.first, history)
}

/** Replaces the result of some answered call by that of another one of the same kind. */
export const garbleResult = (random: Random, history: readonly Call[]): readonly Call[] => {
  const answered = history.filter((call) => call.answered !== null)
  if (answered.length === 0) return history
  const victim = pickOne(random, answered)
  const { result } = pickOne(
    random,
    answered.filter(({ op }) => op === victim.op),
  )
  return history.map((call) => (call === victim ? { ...call, result } : call))
}
