import { execFile } from 'node:child_process'
import type { Clock, Freshness, Repository } from '../kernel/ports.ts'
import { parseHeaders } from './git-parse.ts'
import { gitOptions, SAFE } from './git-run.ts'

const STATUS = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal']
const MAX_BYTES = 16 * 1024 * 1024
const MAX_MS = 5_000

const readStatus = (text: string): Omit<Freshness, 'at'> => {
  const records = text.split('\0')
  const headers = parseHeaders(records)
  const head = headers.get('oid')
  const branch = headers.get('head')
  return {
    // A repository without a commit calls its head "(initial)", a detached one its branch "(detached)".
    ...(head !== undefined && head !== '(initial)' && { head }),
    ...(branch !== undefined && branch !== '(detached)' && { branch }),
    dirty: records.some((record) => record !== '' && !record.startsWith('#')),
  }
}

/** What git says of the folder. A folder that is no repository, or a machine without git, is no error. */
export const gitRepository = (root: string, clock: Clock, environment: NodeJS.ProcessEnv): Repository => ({
  freshness: (signal) =>
    new Promise((resolve) => {
      const options = {
        ...gitOptions({ folder: root, environment }),
        maxBuffer: MAX_BYTES,
        timeout: MAX_MS,
        signal,
      }
      execFile('git', [...SAFE, ...STATUS], options, (failure, stdout) => {
        const at = new Date(clock.now()).toISOString()
        resolve({ ...(failure === null ? readStatus(stdout) : {}), at })
      })
    }),
})
