import type { JsonObject } from '../../kernel/encoding/json.ts'
import type { EntryDraft } from '../../lineage/store.ts'
import type { Operation } from '../graph/operation.ts'
import type { GraphState } from './graph-state.ts'

export interface Committed {
  readonly seq: number
  readonly timestamp: string
  readonly result: JsonObject
}

/** Resolves the promise of a job. */
type Settle = () => void

export type GraphJob = { readonly reject: (thrown: unknown) => void } & (
  | {
      readonly kind: 'write'
      readonly operation: Operation
      readonly settle: (done: Committed) => void
    }
  | { readonly kind: 'read'; readonly query: (state: GraphState, size: number) => Settle }
)

/** A batch that was executed on the local state and is not yet durable. */
export interface BatchPlan {
  readonly drafts: readonly EntryDraft[]
  readonly undo: readonly (() => void)[]
  /** For each job, by its index. Nothing for one that was refused. */
  readonly settles: readonly Settle[]
  /** Errors of the jobs that were refused, by index. */
  readonly errors: ReadonlyMap<number, unknown>
}

/** Resolves or rejects the promise of every job, in order. */
export const settleAll = (jobs: readonly GraphJob[], { settles, errors }: BatchPlan): void => {
  for (const [index, job] of jobs.entries()) {
    if (errors.has(index)) job.reject(errors.get(index))
    else settles[index]?.()
  }
}
