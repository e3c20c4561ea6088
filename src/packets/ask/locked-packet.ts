import type { Digest } from '../../kernel/encoding/digest.ts'
import type { Reference } from '../format/reference.ts'
import { findLocked, LOCK_NAME } from '../lock/packets-lock.ts'
import type { AnswerOrigin } from './answer-origin.ts'
import type { LookupPorts } from './lookup.ts'

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
