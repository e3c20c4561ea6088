import type { Clock, Freshness, Repository } from '../../kernel/ports.ts'
import { parseHeaders } from './parse.ts'
import { findPlace, type GitStart } from './place.ts'
import { runGit, STATUS_ARGS } from './run.ts'

const STATUS = [...STATUS_ARGS, '--untracked-files=normal']
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

const readFreshness = async (start: GitStart, signal: AbortSignal): Promise<Omit<Freshness, 'at'>> => {
  const place = await findPlace(start, signal)
  const limited = AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)])
  return place === undefined ? {} : readStatus(await runGit(place, STATUS, { signal: limited }))
}

/** The state of the repository around a folder. No repository and no git are not errors: the fields are left out. */
export const gitFreshness = (
  folder: string,
  clock: Clock,
  environment: NodeJS.ProcessEnv,
  gitFolders: readonly string[] = [],
): Repository => ({
  freshness: async (signal) => {
    const found = await readFreshness({ folder, environment, gitFolders }, signal).catch(() => ({}))
    return { ...found, at: new Date(clock.now()).toISOString() }
  },
})
