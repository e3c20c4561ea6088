import { lazyAsync } from '../../../kernel/async/once.ts'
import type { Digest } from '../../../kernel/encoding/digest.ts'
import type { PacketsLock, Revocation } from '../../../packets/lock/packets-lock.ts'
import { userStateFolder } from '../../../platform/files/user-state.ts'
import { findRepositoryRoot } from '../../../platform/git/find-root.ts'
import { readLockFile, revokedPackets, writeLockFile } from '../../../platform/packets/lock-file.ts'

/** The lock of the project around a folder, and the revocations that apply in it. Read anew for every call. */
export const openPacketLock = (root: string) => {
  const folder = lazyAsync(async () => (await findRepositoryRoot(root)) ?? root)
  const read = async (): Promise<PacketsLock | undefined> => readLockFile(await folder.get())
  const user = revokedPackets(() => userStateFolder(process.env))
  return {
    read,
    write: async (lock: PacketsLock) => writeLockFile(await folder.get(), lock),
    user,
    revocation: async (digest: Digest): Promise<Revocation | undefined> =>
      (await read())?.revoked.get(digest) ?? (await user.read()).get(digest),
  }
}
