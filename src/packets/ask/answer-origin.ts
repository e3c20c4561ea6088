import type { Digest } from '../../kernel/encoding/digest.ts'
import { escapeInvisible } from '../../kernel/text/escape-text.ts'
import type { Reference } from '../format/reference.ts'
import { findLocked, LOCK_NAME, type Revocation } from '../lock/packets-lock.ts'
import type { StaleAnswer } from '../resolutions.ts'
import type { LookupPorts } from './lookup.ts'

/** How the packet of an answer was found, and what is known against it. */
export interface AnswerOrigin extends Partial<StaleAnswer> {
  /** The entry of the project's lock that names the packet. */
  readonly locked?: { readonly file: string; readonly reference: string }
  readonly revoked?: Revocation
}

const MEMBERS = [
  'stale',
  'resolved_at',
  'age_seconds',
  'locked',
  'revoked',
] as const satisfies readonly (keyof AnswerOrigin)[]

export const pickOrigin = (answer: AnswerOrigin): AnswerOrigin =>
  Object.fromEntries(MEMBERS.flatMap((name) => (answer[name] === undefined ? [] : [[name, answer[name]]])))

export const revokedWarning = (what: string, { reason, revoked_at }: Revocation): string =>
  `${what} was revoked (${escapeInvisible(revoked_at)}): ${escapeInvisible(reason)}`

export const originWarnings = ({ revoked }: AnswerOrigin): readonly string[] =>
  revoked === undefined ? [] : [revokedWarning('this packet', revoked)]

interface LockedReference {
  /** Host, repository and digest. */
  readonly ref: Reference & { readonly digest: Digest }
  readonly origin: AnswerOrigin
}

/**
 * The packet that the lock of the project names for a reference. Lock and packet folder may both have come with the
 * repository, so the registry must have had this digest: it is asked once, unless this user fetched it before.
 */
export const findLockedPacket = async (
  { lock, guard, registry, resolutions }: LookupPorts,
  asked: Reference,
  signal: AbortSignal,
): Promise<LockedReference | undefined> => {
  const project = await lock?.()
  const entry = project && findLocked(project, asked)
  if (entry === undefined) return undefined
  const { host, repository } = asked
  const ref = { host, repository, digest: entry.digest }
  if ((await resolutions?.last(ref)) === undefined) {
    await guard.checkSource(ref, true)
    await registry.resolve(ref, signal)
    await resolutions?.keep(ref, entry.digest)
  }
  return { ref, origin: { locked: { file: LOCK_NAME, reference: entry.reference } } }
}
