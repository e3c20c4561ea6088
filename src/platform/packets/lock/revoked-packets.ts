import { join } from 'node:path'
import type { Digest } from '../../../kernel/encoding/digest.ts'
import { isRecord } from '../../../kernel/encoding/json.ts'
import type { Revocation } from '../../../packets/lock/packets-lock.ts'
import { userRecord } from '../../files/user-state.ts'

const MAX_BYTES = 4 * 1024 * 1024

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
