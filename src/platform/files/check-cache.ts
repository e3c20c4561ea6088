import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CheckCache } from '../../gate/checks/check.ts'
import { readOutput, writeOutput } from '../../gate/checks/output-json.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { readRegularFile } from '../jail/async.ts'
import { replaceFile, sweepDrafts } from './atomic-write.ts'

const MAX_ENTRY_BYTES = 16 * 1024 * 1024
const MAX_TOTAL_BYTES = 128 * 1024 * 1024

/** A file is the digest of its key and content, a line end, and the content. */
const seal = (key: string, content: string): string => digestBytes(`${key}\n${content}`)

/** Removes the entries that were written longest ago, until the rest fits. */
const trimFolder = async (folder: string): Promise<void> => {
  await sweepDrafts(folder)
  const names = await readdir(folder)
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }))
      return { path, size, mtimeMs }
    }),
  )
  let total = 0
  for (const { path, size } of files.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    total += size
    if (total > MAX_TOTAL_BYTES) await rm(path, { force: true })
  }
}

/**
 * Results of checks in a folder of this user. A damaged entry reads as none, and a failed write is ignored: the check
 * is run again.
 */
export const checkCache = (folder: () => string): CheckCache => {
  const pathOf = (key: string) => join(folder(), digestBytes(key).slice('sha256:'.length))
  return {
    async read(key) {
      try {
        const text = (await readRegularFile(pathOf(key), MAX_ENTRY_BYTES))?.toString('utf8') ?? ''
        const end = text.indexOf('\n')
        const content = text.slice(end + 1)
        return text.slice(0, end) === seal(key, content) ? readOutput(content) : undefined
      } catch {
        return undefined
      }
    },
    async write(key, output) {
      try {
        const content = writeOutput(output)
        if (Buffer.byteLength(content) > MAX_ENTRY_BYTES - 100) return
        await mkdir(folder(), { recursive: true, mode: 0o700 })
        await replaceFile(pathOf(key), `${seal(key, content)}\n${content}`, { durable: false, mode: 0o600 })
        await trimFolder(folder())
      } catch {}
    },
  }
}
