import { Fault } from '../kernel/fault.ts'

/** A tool's bad news. The words in `error` are fixed by the clients that read them. */
export interface Failure {
  readonly ok: false
  readonly error: string
  readonly detail: string
  /** What to do about it. */
  readonly hint?: string
  /** Whether the same call may go better later. */
  readonly retryable?: boolean
  readonly digest?: string
}

/** For callers whose words name no registry. */
export const NAME_REGISTRY =
  'Name a packet, and its registry with REGISTRY, --registry or registry; or give ref as oci://host/path.'

export const fail = (error: string, detail: string, more: Partial<Failure> = {}): Failure => ({
  ok: false,
  error,
  detail,
  ...more,
})

/** A fault as an answer. Anything else that was thrown is a bug, and stays thrown. */
export const failWith = (error: string, thrown: unknown, more: Partial<Failure> = {}): Failure => {
  if (!(thrown instanceof Fault)) throw thrown
  return fail(error, thrown.message, { hint: thrown.fix, retryable: thrown.kind === 'unavailable', ...more })
}
