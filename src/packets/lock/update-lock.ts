import { keepResolution } from '../resolutions.ts'
import { pullPacket } from '../transfer/pull.ts'
import { type LockPorts, type LockRow, type LockStep, readSigners } from './lock-ports.ts'
import type { LockedPacket } from './packets-lock.ts'

interface LockedRow {
  readonly row: LockRow
  /** The entry to write; undefined where the present one stays. */
  readonly entry?: LockedPacket
}

/**
 * Downloads what a reference names now, and makes its entry. A signer that the present entry names must sign the
 * packet, unless the caller accepts others.
 */
export const lockPacket = async (
  ports: LockPorts,
  step: LockStep,
  before: LockedPacket | undefined,
): Promise<LockedRow> => {
  const { reference, ref, signal, progress, acceptSigner } = step
  const pulled = await pullPacket(ports, { ref, signal, ...(progress && { progress }) })
  const { digest, folder, warnings } = pulled
  await keepResolution(ports.resolutions, ref, digest)
  const { version, embedder } = await ports.describe(folder)
  const head = { reference, digest, version, ...(warnings.length > 0 && { warnings }) }
  const revoked = await ports.revocation(digest)
  if (revoked !== undefined) return { row: { ...head, state: 'revoked', detail: revoked.reason } }
  const isSame = before?.digest === digest
  const verified = await readSigners(ports, ref, digest, signal)
  const lost = (before?.signers ?? []).filter((one) => !verified.includes(one))
  if (lost.length > 0 && !acceptSigner && !isSame) {
    const now = verified.length === 0 ? 'no signer that policy.yml names' : verified.join(', ')
    return {
      row: { ...head, state: 'signer_changed', detail: `the lock names ${lost.join(', ')}; now ${now}` },
    }
  }
  // A machine whose policy cannot verify a signer does not take it from the lock.
  const signers = isSame && !acceptSigner ? [...verified, ...lost] : verified
  const entry = { digest, version, embedder, signers }
  if (isSame) return { row: { ...head, state: 'unchanged' }, entry }
  const changed = before !== undefined && before.embedder !== embedder
  return {
    row: {
      ...head,
      state: 'locked',
      ...(before && { other: { digest: before.digest, version: before.version } }),
      ...(changed && { detail: `the embedder was ${before.embedder} and is ${embedder}` }),
    },
    entry,
  }
}
