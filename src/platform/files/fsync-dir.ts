import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Makes the names in a folder as durable as the bytes behind them. Some platforms cannot, and need not. */
export const fsyncDir = async (path: string): Promise<void> => {
  const handle = await open(path, constants.O_RDONLY).catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}
