import { createHash } from 'node:crypto'

/** One call as its caller saw it. All times are of one clock. */
export interface Call {
  readonly process: number
  readonly op: string
  readonly args: Readonly<Record<string, unknown>>
  readonly invoked: number
  /** Null when nobody knows what became of it: it happened at any time since, or never. */
  readonly answered: number | null
  readonly result: unknown
}

/** A count that only grows, and what calls have to do with it. */
export interface Tally<S> {
  of(state: S): number
  /** Whether an answered call has added one. */
  grows(call: Call): boolean
  /** What the count was when an answered call was carried out, if its answer tells. */
  seen(call: Call): number | undefined
}

/** What a single copy, asked one call at a time, would answer; and what helps to find out sooner. */
export interface Model<S> {
  readonly first: S
  /** The very same state when nothing changes. Whether something does must follow from call and result. */
  apply(state: S, call: Call): { readonly state: S; readonly result: unknown }
  /** Different for different states. */
  keyOf(state: S): string
  /** The part of the state that a call is about, when its answer follows from that alone. */
  partOf(state: S, call: Call): string | undefined
  /** The state as far as one part is concerned. */
  restrict(state: S, part: string): S
  readonly tallies: readonly Tally<S>[]
}

export type Verdict =
  | { readonly outcome: 'linearizable'; readonly order: readonly Call[] }
  /** No order explains it; `best` is the longest one found, and none of `stuck` can come next. */
  | { readonly outcome: 'impossible'; readonly best: readonly Call[]; readonly stuck: readonly Call[] }
  | { readonly outcome: 'undecided'; readonly looked: number }

const MOST_LOOKS = 500_000
// A part that cannot be judged quickly is left to the search itself.
const PART_LOOKS = 1_000
class Undecided extends Error {}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** How often calls of unknown outcome may have added to a tally by the time a call was carried out. */
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
 * The search of Wing and Gong with the memory of Lowe: take any call that no other, unexplained one had to
 * precede, see whether a single copy would have answered it so, go on from there, and never look twice at the
 * same calls explained with the same state left behind. Calls of unknown outcome are what makes it long, so
 * parts and tallies tell as early as can be which of them have not happened.
 */
class Search<S> {
  readonly #model: Model<S>
  readonly #most: number
  /** What was found out of the parts; undefined while a part is itself what is searched. */
  readonly #parts: Map<string, boolean> | undefined
  /** Calls with an answer, by the time they were made. */
  readonly #known: readonly Call[]
  /** The others. They may be left unexplained, so they never hold anybody up. */
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

  /** Whether what is left can follow on `state`. Leaves everything as it was when it cannot. */
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
      // Whoever changes nothing and fits now need not wait: any order it fits later fits with it here.
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

  /** Calls that nothing needs come last; and of those about what nobody looks at again, one is as good as all. */
  #rank(state: S, steps: readonly Step<S>[]): readonly Step<S>[] {
    const { partOf } = this.#model
    const spare = steps.filter(({ call }) => call.answered === null && this.#holds(state, call, state))
    // A call whose part depends on when it comes may be needed where its part is looked at.
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

  /** Calls nothing unexplained had to precede: those with the earliest answer first, the unknown ones last. */
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

  /** The others of `calls` about the part that `call` is about, if it is about one, and not yet explained. */
  #left(calls: readonly Call[], before: S, call: Call, after: S): readonly Call[] {
    const { partOf } = this.#model
    const part = partOf(before, call)
    return calls.filter((one) => one !== call && !this.#done.has(one) && partOf(after, one) === part)
  }

  /** Whether the calls left about the part that `call` is about can follow on `after`, all others aside. */
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

  /** Whether calls of unknown outcome have not added more than some call to come will find. */
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

  /** Remembers what has been explained and what state that left. */
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
