import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Fsyncs a folder, so that new and renamed entries survive a crash. Ignores errors: Windows opens no folders. */
export const fsyncDir = async (path: string): Promise<void> => {
  const handle = await open(path, constants.O_RDONLY).catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}
