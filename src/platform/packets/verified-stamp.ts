import { createHash } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { packetFaults } from '../../packets/faults.ts'
import { safeName } from '../../packets/format/reference.ts'
import { confineAll } from '../../packets/format/safe-path.ts'
import { readRegularFile } from '../jail/async.ts'
import { diskFault, replaceStoreFile } from './drafts.ts'
import { objectFiles, verifyStoredPacket } from './verify-stored.ts'

const STAMP_BYTES = 64

/**
 * A stamp of the packet's files from inode numbers and ctimes, which cannot be forged by copying: a copy, a
 * checkout or any write changes it.
 */
const computeStamp = async (folder: string): Promise<string> => {
  const hash = createHash('sha256')
  const files = await objectFiles(folder)
  // A packet may have been stored before these checks existed.
  confineAll(files.map(({ path }) => path))
  for (const { path } of files) {
    const { dev, ino, size, ctimeNs } = await lstat(join(folder, path), { bigint: true })
    hash.update(JSON.stringify([path, ...[dev, ino, size, ctimeNs].map(String)]))
  }
  return hash.digest('hex')
}

/**
 * Verifies stored packets against their digest. A store may come from a repository or a backup: a packet that
 * this process did not download is hashed before use, and stamped, so that the next process need not repeat it.
 */
export const verifiedStamps = (root: string) => {
  const stampFile = (digest: Digest) => join(root, 'index', safeName(digest), 'seal')
  const verdicts = new Map<Digest, Promise<readonly string[]>>()

  const verify = async (digest: Digest, folder: string): Promise<readonly string[]> => {
    const stored = await readRegularFile(stampFile(digest), STAMP_BYTES).catch(() => undefined)
    return stored?.toString('utf8') === (await computeStamp(folder)) ? [] : verifyStoredPacket(folder, digest)
  }

  /** Call after the index was hard-linked: linking changes the ctime that the stamp covers. */
  const stamp = async (digest: Digest, folder: string): Promise<void> => {
    const computed = await computeStamp(folder)
    const kept = await readRegularFile(stampFile(digest), STAMP_BYTES).catch(() => undefined)
    if (kept?.toString('utf8') === computed) return
    // Not durable: without its stamp a packet is verified again.
    await replaceStoreFile(stampFile(digest), Buffer.from(computed), { durable: false })
  }

  return {
    /** It was verified while it was downloaded. */
    arrived: (digest: Digest): void => void verdicts.set(digest, Promise.resolve([])),

    check: async (digest: Digest, folder: string): Promise<void> => {
      const verdict = verdicts.get(digest) ?? verify(digest, folder)
      verdicts.set(digest, verdict)
      const problem = await verdict.then(
        ([first]) => first,
        (cause: unknown) => {
          verdicts.delete(digest)
          throw diskFault(cause)
        },
      )
      if (problem === undefined) return
      // It may be repaired before the next call.
      verdicts.delete(digest)
      throw packetFaults.mismatch(`the stored packet differs from its digest: ${problem}`)
    },

    /** Whether a stored packet is what its digest says. An intact one is stamped, so that the next check is quick. */
    isIntact: async (digest: Digest, folder: string): Promise<boolean> => {
      const problems = await verify(digest, folder).catch((cause: unknown) => {
        throw diskFault(cause)
      })
      // When the stamp cannot be written, the next check takes longer.
      if (problems.length === 0) await stamp(digest, folder).catch(() => {})
      return problems.length === 0
    },

    stamp,
  }
}
