import { execFile } from 'node:child_process'
import type { Clock, Freshness, Repository } from '../../kernel/ports.ts'
import { withoutFilters } from './filters.ts'
import { findRepositoryRoot } from './find-root.ts'
import { parseHeaders } from './parse.ts'
import { type GitPlace, gitOptions, SAFE_CONFIG, STATUS_ARGS } from './run.ts'

const STATUS = [...STATUS_ARGS, '--untracked-files=normal']
const MAX_BYTES = 16 * 1024 * 1024
const MAX_MS = 5_000

const readStatus = (text: string): Omit<Freshness, 'at'> => {
  const records = text.split('\0')
  const headers = parseHeaders(records)
  const head = headers.get('oid')
  const branch = headers.get('head')
  return {
    // Git prints "(initial)" for the head of a repository without commits and "(detached)" for a detached branch.
    ...(head !== undefined && head !== '(initial)' && { head }),
    ...(branch !== undefined && branch !== '(detached)' && { branch }),
    dirty: records.some((record) => record !== '' && !record.startsWith('#')),
  }
}

const askStatus = (place: GitPlace, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { ...gitOptions(place), maxBuffer: MAX_BYTES, timeout: MAX_MS, signal }
    execFile('git', [...SAFE_CONFIG, ...STATUS], options, (failure, stdout) =>
      failure === null ? resolve(stdout) : reject(failure),
    )
  })

const readFreshness = async (start: GitPlace, signal: AbortSignal): Promise<Omit<Freshness, 'at'>> => {
  const folder = await findRepositoryRoot(start.folder)
  if (folder === undefined) return {}
  const place = await withoutFilters({ ...start, folder }, signal)
  return readStatus(await askStatus(place, signal))
}

/** The state of the repository around a folder. No repository and no git are not errors: the fields are left out. */
export const gitFreshness = (folder: string, clock: Clock, environment: NodeJS.ProcessEnv): Repository => ({
  freshness: async (signal) => {
    const found = await readFreshness({ folder, environment }, signal).catch(() => ({}))
    return { ...found, at: new Date(clock.now()).toISOString() }
  },
})
