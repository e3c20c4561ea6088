import type { Digest } from '../../kernel/encoding/digest.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { packetFaults } from '../faults.ts'
import { parseReference, type Reference, writeReference } from '../format/reference.ts'

/** The lock of a project, at the top of its repository. */
export const LOCK_NAME = 'packets.lock'
const LOCK_VERSION = 1

/** A packet that a project relies on. */
export interface LockedPacket {
  readonly digest: Digest
  readonly version: string
  /** Model of its vectors. */
  readonly embedder: string
  /** Who signed it, as far as the policy could verify it when the entry was written. */
  readonly signers: readonly string[]
}

/** A packet that nothing should rest on any more. */
export interface Revocation {
  readonly reason: string
  readonly revoked_at: string
}

export interface PacketsLock {
  /** By reference: `oci://host/path:tag`. */
  readonly packets: ReadonlyMap<string, LockedPacket>
  readonly revoked: ReadonlyMap<Digest, Revocation>
}

export const EMPTY_LOCK: PacketsLock = { packets: new Map(), revoked: new Map() }

const DIGEST = /^sha256:[0-9a-f]{64}$/
const MAX_ENTRIES = 1000
const MAX_TEXT = 2000

const refuse = (why: string): never => {
  throw packetFaults.consumer_lock(`${LOCK_NAME} cannot be used: ${why}`)
}

/** The key of a packet in the lock. */
export const lockKey = ({ host, repository, tag = 'latest' }: Reference): string =>
  `oci://${writeReference({ host, repository, tag })}`

const text = (value: unknown, what: string): string =>
  typeof value === 'string' && value.length <= MAX_TEXT && value.isWellFormed()
    ? value
    : refuse(`${what} is not a text of at most ${MAX_TEXT} characters`)

const digestText = (value: unknown, what: string): Digest =>
  typeof value === 'string' && DIGEST.test(value) ? value : refuse(`${what} is not sha256: and 64 digits`)

/** The members of an object. One that is not known would be a rule that is not applied. */
const members = (value: unknown, what: string, known: readonly string[]): Record<string, unknown> => {
  if (!isRecord(value)) return refuse(`${what} is not an object`)
  const other = Object.keys(value).find((name) => !known.includes(name))
  if (other !== undefined) refuse(`${what} has an unknown member ${JSON.stringify(other.slice(0, 60))}`)
  return value
}

const entries = (value: unknown, what: string): readonly (readonly [string, unknown])[] => {
  const list = Object.entries(isRecord(value) ? value : refuse(`${what} is not an object`))
  return list.length <= MAX_ENTRIES ? list : refuse(`${what} has more than ${MAX_ENTRIES} entries`)
}

const isLockKey = (key: string): boolean => {
  try {
    const ref = parseReference(key)
    return ref.digest === undefined && lockKey(ref) === key
  } catch {
    return false
  }
}

const readEntry = (key: string, value: unknown): readonly [string, LockedPacket] => {
  const what = JSON.stringify(key.slice(0, 200))
  if (!isLockKey(key)) refuse(`${what} is not a reference of the form oci://host/path:tag`)
  const { digest, version, embedder, signers } = members(value, what, [
    'digest',
    'version',
    'embedder',
    'signers',
  ])
  return [
    key,
    {
      digest: digestText(digest, `digest of ${what}`),
      version: text(version, `version of ${what}`),
      embedder: text(embedder, `embedder of ${what}`),
      signers: Array.isArray(signers)
        ? signers.map((one) => text(one, `a signer of ${what}`))
        : refuse(`signers of ${what} is not a list`),
    },
  ]
}

const readRevocation = (key: string, value: unknown): readonly [Digest, Revocation] => {
  const { reason, revoked_at } = members(value, `revocation of ${key.slice(0, 80)}`, ['reason', 'revoked_at'])
  const digest = digestText(key, 'a member of revoked')
  return [
    digest,
    { reason: text(reason, `reason of ${digest}`), revoked_at: text(revoked_at, `revoked_at of ${digest}`) },
  ]
}

/** Reads a lock. It lies in a repository: anything unexpected is an error, so that nothing in it is passed over. */
export const parsePacketsLock = (content: string): PacketsLock => {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    return refuse('it is not JSON')
  }
  const whole = members(value, 'the file', ['lockfile_version', 'packets', 'revoked'])
  if (whole.lockfile_version !== LOCK_VERSION)
    refuse(`its lockfile_version is not ${LOCK_VERSION}; another version of Warrant may have written it`)
  return {
    packets: new Map(entries(whole.packets, 'packets').map(([key, one]) => readEntry(key, one))),
    revoked: new Map(entries(whole.revoked ?? {}, 'revoked').map(([key, one]) => readRevocation(key, one))),
  }
}

const sorted = <T>(map: ReadonlyMap<string, T>): Record<string, T> =>
  Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)))

/** The text of a lock: members in a fixed order, a line for each, so that a merge shows what changed. */
export const writePacketsLock = ({ packets, revoked }: PacketsLock): string => {
  const ordered = new Map(
    [...packets].map(([key, { digest, version, embedder, signers }]) => [
      key,
      { digest, embedder, signers: [...new Set(signers)].sort(), version },
    ]),
  )
  const value = {
    lockfile_version: LOCK_VERSION,
    packets: sorted(ordered),
    ...(revoked.size > 0 && { revoked: sorted(revoked) }),
  }
  return `${JSON.stringify(value, null, 2)}\n`
}

/** The entry that a reference stands for. A name without a tag stands for the only entry of its repository. */
export const findLocked = (
  { packets }: PacketsLock,
  ref: Reference,
): (LockedPacket & { readonly reference: string }) | undefined => {
  if (ref.digest !== undefined) return undefined
  const exact = lockKey(ref)
  const prefix = exact.slice(0, exact.lastIndexOf(':') + 1)
  const others = [...packets.keys()].filter((key) => key.startsWith(prefix))
  const isOpen = (ref.tag ?? 'latest') === 'latest'
  const reference = packets.has(exact) ? exact : isOpen && others.length === 1 ? others[0] : undefined
  const entry = reference === undefined ? undefined : packets.get(reference)
  return entry === undefined || reference === undefined ? undefined : { reference, ...entry }
}
