import { join } from 'node:path'
import { packetFaults } from '../../../packets/faults.ts'
import {
  LOCK_NAME,
  type PacketsLock,
  parsePacketsLock,
  writePacketsLock,
} from '../../../packets/lock/packets-lock.ts'
import { createRepositoryFile, replaceRepositoryFile } from '../../files/output-file.ts'
import { readRegularFile } from '../../jail/async.ts'

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
