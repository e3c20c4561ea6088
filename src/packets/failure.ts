import { Fault } from '../kernel/fault.ts'

/** A tool's failure. The values of `error` are fixed by existing clients. */
export interface Failure {
  readonly ok: false
  readonly error: string
  readonly detail: string
  readonly hint?: string
  /** Whether the same call may succeed later. */
  readonly retryable?: boolean
  readonly digest?: string
}

/** The hint for requests that name no registry. */
export const NAME_REGISTRY =
  'Name a packet, and its registry with REGISTRY, --registry or registry; or give ref as oci://host/path.'

/** The hint for a reference that begins with a host and lacks its scheme; undefined for other references. */
export const schemeHint = (ref: string | undefined): string | undefined =>
  ref !== undefined && /^(?:localhost|[^/@]*[.:][^/@]*)\/./.test(ref) && !ref.includes('://')
    ? `If ${ref.split('/', 1)[0]} is the host of a registry, write the address with its scheme: oci://${ref}.`
    : undefined

export const fail = (error: string, detail: string, more: Partial<Failure> = {}): Failure => ({
  ok: false,
  error,
  detail,
  ...more,
})

/** Turns a fault into a failure. Anything else that was thrown is a bug and is thrown again. */
export const failWith = (error: string, thrown: unknown, more: Partial<Failure> = {}): Failure => {
  if (!(thrown instanceof Fault)) throw thrown
  return fail(error, thrown.message, { hint: thrown.fix, retryable: thrown.kind === 'unavailable', ...more })
}
