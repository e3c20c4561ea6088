import { Fault } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import { compareVersions } from '../format/version.ts'
import { keepResolution } from '../resolutions.ts'
import { locatePacket, pullPacket } from '../transfer/pull.ts'
import { checkSigners, type LockPorts, type LockRow, type LockStep, readSigners } from './lock-ports.ts'
import type { LockedPacket } from './packets-lock.ts'

/** The packet of an entry, by digest. */
const pinnedStep = (step: LockStep, { digest }: LockedPacket): LockStep => {
  const { host, repository } = step.ref
  return { ...step, ref: { host, repository, digest } }
}

const revokedRow = async (
  ports: LockPorts,
  { reference }: LockStep,
  { digest, version }: LockedPacket,
): Promise<LockRow | undefined> => {
  const revoked = await ports.revocation(digest)
  return revoked && { reference, digest, version, state: 'revoked', detail: revoked.reason }
}

const changedSigners = (lost: readonly string[]): string => `no longer signed by ${lost.join(', ')}`

/** Stores exactly the packet of an entry. One that this user fetched before needs no network. */
export const syncPacket = async (
  ports: LockPorts,
  given: LockStep,
  entry: LockedPacket,
): Promise<{ readonly row: LockRow; readonly entry?: LockedPacket }> => {
  const revoked = await revokedRow(ports, given, entry)
  if (revoked !== undefined) return { row: revoked }
  const step = pinnedStep(given, entry)
  const { ref, signal, progress, acceptSigner } = step
  const { digest, version } = entry
  // A packet folder may have come with the repository: what lies in it counts once its registry had it.
  const isServed = (await ports.resolutions.last(ref)) !== undefined
  const found = isServed ? await ports.store.find(digest) : undefined
  const isWhole = found !== undefined && (await ports.isIntact?.(digest, found)) !== false
  const stored = isWhole ? found : undefined
  const folder = stored ?? (await pullPacket(ports, { ref, signal, ...optional({ progress }) })).folder
  if (!isServed) await ports.resolutions.keep(ref, digest)
  const head = { reference: step.reference, digest, version }
  const described = await ports.describe(folder)
  const wrong = (['version', 'embedder'] as const).find((name) => described[name] !== entry[name])
  if (wrong !== undefined) {
    const detail = `the lock says ${wrong} ${entry[wrong]}, the packet ${described[wrong]}`
    return { row: { ...head, state: 'mismatch', detail } }
  }
  const { lost, warnings, signers } = await checkSigners(ports, step, entry)
  const notes = warnings.length === 0 ? {} : { warnings }
  if (lost.length > 0 && !acceptSigner)
    return { row: { ...head, state: 'signer_changed', detail: changedSigners(lost), ...notes } }
  const row: LockRow = { ...head, state: stored === undefined ? 'pulled' : 'present', ...notes }
  return lost.length > 0 ? { row, entry: { ...entry, signers } } : { row }
}

/** What the tag of an entry names now; undefined when the registry has no such tag any more. */
const locateNow = async ({ registry, resolutions }: LockPorts, { ref, signal }: LockStep) => {
  const found = await locatePacket({ registry, ref, signal }).catch((thrown: unknown) => {
    if (thrown instanceof Fault && thrown.kind === 'missing') return undefined
    throw thrown
  })
  if (found === undefined) return undefined
  await keepResolution(resolutions, ref, found.digest)
  return { digest: found.digest, version: found.metadata?.packet.version ?? 'unknown' }
}

/** Compares an entry with its registry: moved tag, missing packet, other signer, revocation. Downloads nothing. */
export const checkLocked = async (
  ports: LockPorts,
  step: LockStep,
  entry: LockedPacket,
): Promise<LockRow> => {
  const revoked = await revokedRow(ports, step, entry)
  if (revoked !== undefined) return revoked
  const { digest, version } = entry
  const head = { reference: step.reference, digest, version }
  await ports.guard.checkSource(step.ref, false)
  const now = await locateNow(ports, step)
  if (now === undefined) return { ...head, state: 'missing', detail: 'the registry has no such tag' }
  if (now.digest !== digest) return { ...head, state: 'moved', other: now }
  const { lost, warnings } = await checkSigners(ports, pinnedStep(step, entry), entry)
  const notes = warnings.length === 0 ? {} : { warnings }
  return lost.length > 0
    ? { ...head, state: 'signer_changed', detail: changedSigners(lost), ...notes }
    : { ...head, state: 'unchanged', ...notes }
}

/** An entry beside what its registry has. */
interface OutdatedRow extends Pick<LockRow, 'reference' | 'digest' | 'version'> {
  readonly now: { readonly digest: string; readonly version: string } | null
  /** The newest version among the tags; null when none is newer. */
  readonly newest: string | null
}

export const findOutdated = async (
  ports: LockPorts,
  step: LockStep,
  { digest, version }: LockedPacket,
): Promise<OutdatedRow> => {
  await ports.guard.checkSource(step.ref, false)
  const now = await locateNow(ports, step)
  const tags = await ports.registry.tags(step.ref, step.signal).catch((thrown: unknown) => {
    if (thrown instanceof Fault && thrown.kind === 'missing') return []
    throw thrown
  })
  const [newest] = tags.filter((tag) => /\d/.test(tag)).sort((a, b) => compareVersions(b, a))
  const isNewer = newest !== undefined && compareVersions(newest, version) > 0
  return {
    reference: step.reference,
    digest,
    version,
    now: now ?? null,
    newest: isNewer ? newest : null,
  }
}

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
  const pulled = await pullPacket(ports, { ref, signal, ...optional({ progress }) })
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
