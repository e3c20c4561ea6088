import { join } from 'node:path'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { packetFaults } from '../../packets/faults.ts'
import {
  LOCK_NAME,
  type PacketsLock,
  parsePacketsLock,
  type Revocation,
  writePacketsLock,
} from '../../packets/lock/packets-lock.ts'
import { createRepositoryFile, replaceRepositoryFile } from '../files/output-file.ts'
import { userRecord } from '../files/user-state.ts'
import { readRegularFile } from '../jail/async.ts'

const MAX_BYTES = 4 * 1024 * 1024

/** The lock of a project; undefined when it has none. */
export const readLockFile = async (root: string): Promise<PacketsLock | undefined> => {
  const bytes = await readRegularFile(join(root, LOCK_NAME), MAX_BYTES).catch(
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return 'absent' as const
      throw packetFaults.consumer_lock(`${LOCK_NAME} cannot be read (${cause.code})`, { cause })
    },
  )
  if (bytes === 'absent') return undefined
  if (bytes === undefined)
    throw packetFaults.consumer_lock(`${LOCK_NAME} is not a regular file, or is too large`)
  return parsePacketsLock(bytes.toString('utf8'))
}

export const writeLockFile = async (root: string, lock: PacketsLock): Promise<void> => {
  const text = writePacketsLock(lock)
  if (!(await createRepositoryFile(root, LOCK_NAME, text))) await replaceRepositoryFile(root, LOCK_NAME, text)
}

type Revocations = ReadonlyMap<Digest, Revocation>

const isRevocation = (value: unknown): value is Revocation =>
  isRecord(value) && typeof value.reason === 'string' && typeof value.revoked_at === 'string'

/** The packets that this user revoked, for every project on this machine. */
export const revokedPackets = (state: () => string) => {
  const record = userRecord(() => join(state(), 'packets', 'revoked.json'), MAX_BYTES)
  const read = async (): Promise<Revocations> => {
    const value = await record.read()
    const list = isRecord(value) && isRecord(value.revoked) ? Object.entries(value.revoked) : []
    return new Map(list.filter((pair): pair is [string, Revocation] => isRevocation(pair[1])))
  }
  /** False when it could not be kept. */
  const write = async (revoked: Revocations): Promise<boolean> => {
    await record.write({ revoked: Object.fromEntries([...revoked].sort(([a], [b]) => (a < b ? -1 : 1))) })
    const kept = await read()
    return kept.size === revoked.size && [...revoked.keys()].every((digest) => kept.has(digest))
  }
  return { read, write }
}
