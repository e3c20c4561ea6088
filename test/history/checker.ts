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

/** What a single copy, asked one call at a time, would answer. */
export interface Model<S> {
  readonly first: S
  /**
   * The very same state when nothing changes. Whether something does must follow from the call and its
   * result.
   */
  apply(state: S, call: Call): { readonly state: S; readonly result: unknown }
  /** Different for different states. */
  keyOf(state: S): string
  /** The part of the state that a call is about, when its answer follows from that alone. */
  partOf(state: S, call: Call): string | undefined
  /** The state as far as one part is concerned. */
  restrict(state: S, part: string): S
}

export type Verdict =
  | { readonly outcome: 'linearizable'; readonly order: readonly Call[] }
  /** No order explains it; `best` is the longest one found, and none of `stuck` can come next. */
  | { readonly outcome: 'impossible'; readonly best: readonly Call[]; readonly stuck: readonly Call[] }
  | { readonly outcome: 'undecided'; readonly looked: number }

const MOST_LOOKS = 500_000

class Undecided extends Error {}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/**
 * The search of Wing and Gong with the memory of Lowe: take any call that no other, unexplained one had to
 * precede, see whether a single copy would have answered it so, go on from there, and never look twice at the
 * same calls explained with the same state left behind. What is left must be explainable for each part of the
 * state alone, too: that finds out early which calls of unknown outcome have not happened.
 */
class Search<S> {
  readonly #model: Model<S>
  readonly #most: number
  readonly #parts: Map<string, boolean> | undefined
  /** Calls with an answer, by the time they were made. */
  readonly #known: readonly Call[]
  /** The others. They may be left unexplained, so they never hold anybody up. */
  readonly #open: readonly Call[]
  readonly #numbers: ReadonlyMap<Call, number>
  readonly #done = new Set<Call>()
  readonly #order: Call[] = []
  readonly #seen = new Set<string>()
  #first = 0
  #looked = 0
  #best: readonly Call[] = []
  #stuck: readonly Call[] = []

  /** With `parts`, a place to remember what was found out of the parts, these are looked at as well. */
  constructor(model: Model<S>, history: readonly Call[], most: number, parts?: Map<string, boolean>) {
    const calls = history.toSorted((a, b) => a.invoked - b.invoked)
    this.#model = model
    this.#most = most
    this.#parts = parts
    this.#known = calls.filter(({ answered }) => answered !== null)
    this.#open = calls.filter(({ answered }) => answered === null)
    this.#numbers = new Map(calls.map((call, at) => [call, at]))
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
    const found = this.#isNew(state) && this.#explainNext(state)
    if (!found) this.#first = before
    return found
  }

  #explainNext(state: S): boolean {
    const candidates = this.#candidates()
    const steps: { readonly call: Call; readonly after: S }[] = []
    for (const call of candidates) {
      const { state: after, result } = this.#model.apply(state, call)
      if (call.answered !== null && !same(result, call.result)) continue
      if (after !== state) steps.push({ call, after })
      // Whoever changes nothing and fits now need not wait: any order it fits later fits with it here.
      else if (call.answered !== null) return this.#take(call, state)
    }
    const isSpare = ({ call }: (typeof steps)[number]) =>
      call.answered === null && this.#partHolds(this.#model.partOf(state, call), call, state)
    const leads = ({ call, after }: (typeof steps)[number]) =>
      this.#partHolds(this.#model.partOf(state, call), call, after) && this.#take(call, after)
    if (steps.some((step) => !isSpare(step) && leads(step)) || steps.some((step) => isSpare(step) && leads(step))) return true
    if (this.#order.length >= this.#best.length) {
      this.#best = [...this.#order]
      this.#stuck = candidates
    }
    return false
  }

  #take(call: Call, after: S): boolean {
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

  /** Whether the calls left that are about `part` can follow on it, all others aside. */
  #partHolds(part: string | undefined, taken: Call, after: S): boolean {
    const { partOf, keyOf, restrict } = this.#model
    if (part === undefined || this.#parts === undefined) return true
    const isLeft = (call: Call) => call !== taken && !this.#done.has(call) && partOf(after, call) === part
    const left = [...this.#known.slice(this.#first).filter(isLeft), ...this.#open.filter(isLeft)]
    const only = restrict(after, part)
    const key = `${part};${left.map((call) => this.#numbers.get(call)).join()};${keyOf(only)}`
    const found =
      this.#parts.get(key) ?? new Search(this.#model, left, this.#most).run(only).outcome !== 'impossible'
    this.#parts.set(key, found)
    return found
  }

  /** Remembers what has been explained and what state that left. */
  #isNew(state: S): boolean {
    this.#looked += 1
    if (this.#looked > this.#most) throw new Undecided()
    const marks: (number | string)[] = [this.#first]
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
