import type { Row } from './store.ts'

/** Entries of a log whose payload is missing. */
export interface Erasures {
  /** Erased, with an entry that records the erasure. */
  readonly recorded: readonly number[]
  /** Missing without such an entry: removed outside of Warrant. */
  readonly unexplained: readonly number[]
}

const erasedSeq = (payload: string): number | undefined => {
  try {
    return JSON.parse(payload).args.seq
  } catch {
    return undefined
  }
}

/** Separates recorded erasures from payloads that are missing without a record. */
export class ErasureTracker {
  readonly #gone: number[] = []
  readonly #named = new Set<number | undefined>()

  add({ seq, payload }: Row, operation: unknown): void {
    if (payload === null) this.#gone.push(seq)
    else if (operation === 'lineage.erase') this.#named.add(erasedSeq(payload))
  }

  result(): Erasures {
    return {
      recorded: this.#gone.filter((seq) => this.#named.has(seq)),
      unexplained: this.#gone.filter((seq) => !this.#named.has(seq)),
    }
  }
}
