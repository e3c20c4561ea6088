import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Temporary folders for what a read-only process downloads and computes. */
export const scratchFolders = () => {
  const made: string[] = []
  return {
    /** A new folder that no other user can read. */
    make: (): string => {
      const folder = mkdtempSync(join(tmpdir(), 'warrant-packets-'))
      made.push(folder)
      return folder
    },
    remove: async (): Promise<void> => {
      for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true })
    },
  }
}
