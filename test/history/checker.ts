import { createHash } from 'node:crypto'

/** One call as its caller saw it. All times are of one clock. */
export interface Call {
  readonly process: number
  readonly op: string
  readonly args: Readonly<Record<string, unknown>>
  readonly invoked: number
  /** Null when the outcome is unknown: the call took effect at any time since, or never. */
  readonly answered: number | null
  readonly result: unknown
}

/** A monotonic counter of the state, and how calls relate to it. */
export interface Tally<S> {
  of(state: S): number
  /** Whether an answered call incremented it. */
  grows(call: Call): boolean
  /** Its value when an answered call took effect, if the answer contains it. */
  seen(call: Call): number | undefined
}

/** Sequential specification of a single copy, with hints that prune the search. */
export interface Model<S> {
  readonly first: S
  /** Returns the identical object when nothing changes. Whether it does must follow from call and result. */
  apply(state: S, call: Call): { readonly state: S; readonly result: unknown }
  /** Different for different states. */
  keyOf(state: S): string
  /** The part of the state a call depends on, when its answer follows from that part alone. */
  partOf(state: S, call: Call): string | undefined
  /** The state of one part. */
  restrict(state: S, part: string): S
  readonly tallies: readonly Tally<S>[]
}

export type Verdict =
  | { readonly outcome: 'linearizable'; readonly order: readonly Call[] }
  /** No order explains the history; `best` is the longest one found, and none of `stuck` can come next. */
  | { readonly outcome: 'impossible'; readonly best: readonly Call[]; readonly stuck: readonly Call[] }
  | { readonly outcome: 'undecided'; readonly looked: number }

const MOST_LOOKS = 500_000
// A part whose own search exceeds this limit is left to the main search.
const PART_LOOKS = 1_000
class Undecided extends Error {}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** How often calls of unknown outcome may have incremented a counter before a call took effect. */
interface Allowance<S> {
  readonly tally: Tally<S>
  readonly byCall: ReadonlyMap<Call, number>
}

const allowanceOf = <S>(tally: Tally<S>, known: readonly Call[]): Allowance<S> => {
  const growers = known.filter((call) => tally.grows(call))
  const byCall = new Map<Call, number>()
  for (const call of known) {
    const seen = tally.seen(call)
    if (seen === undefined) continue
    const before = growers.filter(({ answered }) => (answered as number) < call.invoked)
    byCall.set(call, seen - before.length)
  }
  return { tally, byCall }
}

interface Step<S> {
  readonly call: Call
  readonly after: S
}

/**
 * Linearizability check by Wing and Gong with the cache of Lowe: pick any call that no unexplained call had to precede,
 * check whether a single copy would have given its answer, and continue from there; never visit the same set of
 * explained calls with the same state twice. Calls of unknown outcome make the search long, so parts and counters are
 * used to find early which of them cannot have taken effect.
 */
class Search<S> {
  readonly #model: Model<S>
  readonly #most: number
  /** Results of the searches of single parts; undefined in such a search itself. */
  readonly #parts: Map<string, boolean> | undefined
  /** Answered calls, by the time they were made. */
  readonly #known: readonly Call[]
  /** Calls of unknown outcome. They may stay unexplained, so they never block others. */
  readonly #open: readonly Call[]
  readonly #numbers: ReadonlyMap<Call, number>
  readonly #allowances: readonly Allowance<S>[]
  readonly #done = new Set<Call>()
  readonly #order: Call[] = []
  readonly #seen = new Set<string>()
  #first = 0
  #looked = 0
  #best: readonly Call[] = []
  #stuck: readonly Call[] = []

  constructor(model: Model<S>, history: readonly Call[], most: number, parts?: Map<string, boolean>) {
    const calls = history.toSorted((a, b) => a.invoked - b.invoked)
    this.#model = model
    this.#most = most
    this.#parts = parts
    this.#known = calls.filter(({ answered }) => answered !== null)
    this.#open = calls.filter(({ answered }) => answered === null)
    this.#numbers = new Map(calls.map((call, at) => [call, at]))
    const tallies = parts === undefined ? [] : model.tallies
    this.#allowances = tallies.map((tally) => allowanceOf(tally, this.#known))
  }

  run(state: S): Verdict {
    try {
      if (this.#explain(state)) return { outcome: 'linearizable', order: this.#order }
      return { outcome: 'impossible', best: this.#best, stuck: this.#stuck }
    } catch (thrown) {
      if (!(thrown instanceof Undecided)) throw thrown
      return { outcome: 'undecided', looked: this.#looked }
    }
  }

  /** Whether the remaining calls can follow `state`. Restores everything when they cannot. */
  #explain(state: S): boolean {
    const before = this.#first
    while (this.#done.has(this.#known[this.#first] as Call)) this.#first += 1
    if (this.#first === this.#known.length) return true
    const found = this.#isNew(state) && this.#tallies(state) && this.#explainNext(state)
    if (!found) this.#first = before
    return found
  }

  #explainNext(state: S): boolean {
    const candidates = this.#candidates()
    const steps: Step<S>[] = []
    for (const call of candidates) {
      const { state: after, result } = this.#model.apply(state, call)
      if (call.answered !== null && !same(result, call.result)) continue
      if (after !== state) steps.push({ call, after })
      // A call that changes nothing and fits now can be taken now: every later order also works with it here.
      else if (call.answered !== null) return this.#take({ call, after })
    }
    if (
      this.#rank(state, steps).some((step) => this.#holds(state, step.call, step.after) && this.#take(step))
    )
      return true
    this.#note(candidates)
    return false
  }

  #note(stuck: readonly Call[]): void {
    if (this.#order.length < this.#best.length) return
    this.#best = [...this.#order]
    this.#stuck = stuck
  }

  /** Calls that no other call needs come last; of those whose part is not read again, one stands for all. */
  #rank(state: S, steps: readonly Step<S>[]): readonly Step<S>[] {
    const { partOf } = this.#model
    const spare = steps.filter(({ call }) => call.answered === null && this.#holds(state, call, state))
    // A call whose part depends on its position may be needed by a later read of that part.
    const idle = spare
      .filter(({ call, after }) => partOf(state, call) === partOf(after, call))
      .filter(({ call }) => this.#left(this.#known, state, call, state).length === 0)
    const twins = idle.filter((one) => one !== idle.find(({ call }) => call.op === one.call.op))
    return [...steps.filter((one) => !spare.includes(one)), ...spare.filter((one) => !twins.includes(one))]
  }

  #take({ call, after }: Step<S>): boolean {
    this.#done.add(call)
    this.#order.push(call)
    if (this.#explain(after)) return true
    this.#order.pop()
    this.#done.delete(call)
    return false
  }

  /** Calls that can come next: those with the earliest answer first, calls of unknown outcome last. */
  #candidates(): readonly Call[] {
    const known: Call[] = []
    let bound = Number.POSITIVE_INFINITY
    for (let at = this.#first; at < this.#known.length; at += 1) {
      const call = this.#known[at] as Call
      if (call.invoked > bound) break
      if (this.#done.has(call)) continue
      known.push(call)
      bound = Math.min(bound, call.answered as number)
    }
    const fits = (call: Call) => call.invoked <= bound && !this.#done.has(call)
    const byAnswer = (a: Call, b: Call) => (a.answered as number) - (b.answered as number)
    return [...known.filter(fits).sort(byAnswer), ...this.#open.filter(fits)]
  }

  /** The other unexplained calls on the same part as `call`, if it has one. */
  #left(calls: readonly Call[], before: S, call: Call, after: S): readonly Call[] {
    const { partOf } = this.#model
    const part = partOf(before, call)
    return calls.filter((one) => one !== call && !this.#done.has(one) && partOf(after, one) === part)
  }

  /** Whether the remaining calls on the same part as `call` can follow `after`, ignoring all others. */
  #holds(before: S, call: Call, after: S): boolean {
    const { partOf, keyOf, restrict } = this.#model
    const part = partOf(before, call)
    if (part === undefined || this.#parts === undefined) return true
    const left = this.#left([...this.#known, ...this.#open], before, call, after)
    const only = restrict(after, part)
    const key = `${part};${left.map((one) => this.#numbers.get(one)).join()};${keyOf(only)}`
    const search = () => new Search(this.#model, left, PART_LOOKS).run(only).outcome !== 'impossible'
    const holds = this.#parts.get(key) ?? search()
    this.#parts.set(key, holds)
    return holds
  }

  /** Whether no remaining call has seen a smaller counter than the unknown calls taken so far give. */
  #tallies(state: S): boolean {
    return this.#allowances.every(({ tally, byCall }) => {
      let added = tally.of(state)
      for (const call of this.#done) if (call.answered !== null && tally.grows(call)) added -= 1
      for (const [call, allowed] of byCall) {
        if (added <= allowed || this.#done.has(call)) continue
        this.#note([call])
        return false
      }
      return true
    })
  }

  /** Caches the set of explained calls with the resulting state. */
  #isNew(state: S): boolean {
    this.#looked += 1
    if (this.#looked > this.#most) throw new Undecided()
    const marks: number[] = [this.#first]
    const open = this.#open.flatMap((call, at) => (this.#done.has(call) ? [at] : []))
    for (let at = this.#first, ahead = this.#done.size - this.#first - open.length; ahead > 0; at += 1) {
      if (!this.#done.has(this.#known[at] as Call)) continue
      marks.push(at)
      ahead -= 1
    }
    const text = `${marks.join()};${open.join()};${this.#model.keyOf(state)}`
    const key = createHash('sha256').update(text).digest('base64')
    if (this.#seen.has(key)) return false
    this.#seen.add(key)
    return true
  }
}

/** Whether some order of the calls, in which none comes before one that was answered earlier, explains them. */
export const checkHistory = <S>(
  model: Model<S>,
  history: readonly Call[],
  most: number = MOST_LOOKS,
): Verdict => new Search(model, history, most, new Map()).run(model.first)
