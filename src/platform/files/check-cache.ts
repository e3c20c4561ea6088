import type { CheckCache } from '../../gate/checks/check.ts'
import { readOutput, writeOutput } from '../../gate/checks/output-json.ts'
import { blobCache } from './blob-cache.ts'

const MAX_BYTES = 128 * 1024 * 1024

/** Results of checks in a folder of this user. Without an entry the check is run again. */
export const checkCache = (folder: () => string): CheckCache => {
  const cache = blobCache(folder, MAX_BYTES)
  return {
    async read(key) {
      const bytes = await cache.read(key)
      return bytes && readOutput(Buffer.from(bytes).toString('utf8'))
    },
    write: (key, output) => cache.write(key, Buffer.from(writeOutput(output))),
  }
}
