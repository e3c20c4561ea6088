import type { JsonObject } from '../../kernel/encoding/json.ts'
import type { EntryDraft } from '../../lineage/store.ts'
import type { Operation } from '../graph/operation.ts'
import type { GraphState } from './graph-state.ts'

export interface Committed {
  readonly seq: number
  readonly timestamp: string
  readonly result: JsonObject
}

export type GraphJob = {
  readonly resolve: (result: never) => void
  readonly reject: (thrown: unknown) => void
} & (
  | {
      readonly kind: 'write'
      readonly operation: Operation
      readonly format: (done: Committed) => unknown
    }
  | { readonly kind: 'read'; readonly query: (state: GraphState, size: number) => unknown }
)

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
  for (let index = 0; index < jobs.length; index += 1) {
    const job = jobs[index] as GraphJob
    if (errors.has(index)) job.reject(errors.get(index))
    else if (job.kind === 'read') job.resolve(results[index] as never)
    else job.resolve(job.format(results[index] as Committed) as never)
  }
}
