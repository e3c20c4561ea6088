import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile } from '../jail/async.ts'
import { askGit, type GitPlace, type GitSetting, gitFaults } from './run.ts'

/**
 * To detect changes, `git status` runs the programs of `filter.<name>.clean` and similar settings. Those of the user
 * and the system are trusted; a filter from the repository's configuration would run a program of an untrusted author.
 */

const MAX_BYTES = 1024 * 1024
/** A configuration without these words has no filter and includes no other file. They cannot be written in escapes. */
const MAY_SET_FILTER = /filter|include|worktree/i

/** A check without starting git: most repositories have one configuration file without filters. */
const hasNoFilters = async (folder: string): Promise<boolean> => {
  const gitFolder = join(folder, '.git')
  const sharesConfig = access(join(gitFolder, 'commondir')).then(
    () => true,
    () => false,
  )
  const bytes = await readRegularFile(join(gitFolder, 'config'), MAX_BYTES).catch(() => undefined)
  return bytes !== undefined && !MAY_SET_FILTER.test(bytes.toString('latin1')) && !(await sharesConfig)
}

const REPOSITORY_SCOPES = ['local', 'worktree']
const NOTHING_FOUND = 1

/** Settings that restore the user's value for every filter that the repository sets. */
const overrideFilters = (output: string): GitSetting[] => {
  const fromRepository = new Set<string>()
  const fromUser = new Map<string, string>()
  const records = output.split('\0')
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [scope = '', record = ''] = records.slice(at, at + 2)
    const end = record.indexOf('\n')
    const key = end < 0 ? record : record.slice(0, end)
    if (REPOSITORY_SCOPES.includes(scope)) fromRepository.add(key)
    else fromUser.set(key, end < 0 ? 'true' : record.slice(end + 1))
  }
  const fallback = (key: string) => (key.endsWith('.required') ? 'false' : '')
  return [...fromRepository].map((key) => [key, fromUser.get(key) ?? fallback(key)])
}

/** The same place with settings under which git runs no program that the repository chose. */
export const withoutFilters = async (place: GitPlace, signal: AbortSignal): Promise<GitPlace> => {
  if (await hasNoFilters(place.folder)) return place
  const ask = ['config', '--show-scope', '-z', '--get-regexp', '^filter\\.']
  const { code, text } = await askGit(place, ask, { signal })
  if (code === NOTHING_FOUND) return place
  if (code !== 0) throw gitFaults.failed('git could not read the configuration of the repository')
  return { ...place, settings: overrideFilters(text) }
}
