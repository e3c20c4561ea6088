import type { JsonObject } from '../../kernel/encoding/json.ts'
import type { EntryDraft } from '../../lineage/entry.ts'
import type { Operation } from '../graph/operation.ts'
import type { GraphState } from './graph-state.ts'

export interface Committed {
  readonly seq: number
  readonly timestamp: string
  readonly result: JsonObject
}

export type GraphJob =
  | {
      readonly kind: 'write'
      readonly operation: Operation
      readonly format: (done: Committed) => unknown
      readonly resolve: (shown: never) => void
      readonly reject: (thrown: unknown) => void
    }
  | {
      readonly kind: 'read'
      readonly query: (state: GraphState, size: number) => unknown
      readonly resolve: (seen: never) => void
      readonly reject: (thrown: unknown) => void
    }

/** A batch that was executed on the local state and is not yet durable. */
export interface BatchPlan {
  readonly drafts: readonly EntryDraft[]
  readonly undo: readonly (() => void)[]
  /** Result of each job, by its index. */
  readonly results: readonly unknown[]
  /** Errors of the jobs that were refused, by index. */
  readonly errors: ReadonlyMap<number, unknown>
}

/** Resolves or rejects the promise of every job, in order. */
export const settleAll = (jobs: readonly GraphJob[], { results, errors }: BatchPlan): void => {
  for (let place = 0; place < jobs.length; place += 1) {
    const job = jobs[place] as GraphJob
    if (errors.has(place)) job.reject(errors.get(place))
    else if (job.kind === 'read') job.resolve(results[place] as never)
    else job.resolve(job.format(results[place] as Committed) as never)
  }
}
