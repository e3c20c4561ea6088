// Preload: every attempt to open the database fails, as with too many open files.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { openSync } = fs
fs.openSync = (path, ...rest) => {
  if (String(path).endsWith('lineage.db'))
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE', syscall: 'open' })
  return openSync(path, ...rest)
}
syncBuiltinESMExports()
