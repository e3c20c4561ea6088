import { createHash } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { packetFaults } from '../../packets/faults.ts'
import { safeName } from '../../packets/format/reference.ts'
import { readRegularFile } from '../jail/async.ts'
import { diskFault, replaceStoreFile } from './drafts.ts'
import { objectFiles, verifyStoredPacket } from './verify-stored.ts'

const SEAL_BYTES = 64

/**
 * What a file system knows of the files of a packet and nobody can bring along: their inodes, and when those last
 * changed. A copy, a checkout or a write through whatever name makes another stamp.
 */
const stampOf = async (folder: string): Promise<string> => {
  const hash = createHash('sha256')
  for (const { path } of await objectFiles(folder)) {
    const { dev, ino, size, ctimeNs } = await lstat(join(folder, path), { bigint: true })
    hash.update(JSON.stringify([path, ...[dev, ino, size, ctimeNs].map(String)]))
  }
  return hash.digest('hex')
}

/**
 * Whether stored packets are what their digest says. A store may have come with a repository, or with a backup: what
 * was not fetched by this process is held against its digest before it is believed, and sealed, so that the next
 * process need not do it again.
 */
export const verifiedStamps = (root: string) => {
  const sealFile = (digest: Digest) => join(root, 'index', safeName(digest), 'seal')
  const verdicts = new Map<Digest, Promise<readonly string[]>>()

  const judge = async (digest: Digest, folder: string): Promise<readonly string[]> => {
    const seal = await readRegularFile(sealFile(digest), SEAL_BYTES).catch(() => undefined)
    return seal?.toString('utf8') === (await stampOf(folder)) ? [] : verifyStoredPacket(folder, digest)
  }

  return {
    /** It was verified while it streamed. */
    arrived: (digest: Digest): void => void verdicts.set(digest, Promise.resolve([])),

    check: async (digest: Digest, folder: string): Promise<void> => {
      const verdict = verdicts.get(digest) ?? judge(digest, folder)
      verdicts.set(digest, verdict)
      const problem = await verdict.then(
        ([first]) => first,
        (cause: unknown) => {
          verdicts.delete(digest)
          throw diskFault(cause)
        },
      )
      if (problem === undefined) return
      // It may have been mended when it is asked for again.
      verdicts.delete(digest)
      throw packetFaults.mismatch(`the stored packet is not that of its digest: ${problem}`)
    },

    /** Once its index lies where it is kept: that is a link to a file of the packet, which a stamp shows. */
    seal: async (digest: Digest, folder: string): Promise<void> => {
      const stamp = await stampOf(folder)
      const kept = await readRegularFile(sealFile(digest), SEAL_BYTES).catch(() => undefined)
      if (kept?.toString('utf8') === stamp) return
      // Not durable: without its stamp a packet is verified again.
      await replaceStoreFile(sealFile(digest), Buffer.from(stamp), { durable: false })
    },
  }
}
