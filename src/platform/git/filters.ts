import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile } from '../jail/async.ts'
import { askGit, type GitPlace, type GitSetting, gitFaults } from './run.ts'

/**
 * To tell whether a file was changed, git runs the programs that `filter.<name>.clean` and its kin name. Those of
 * the user and the machine are meant; one that the repository configures would be somebody else's program.
 */

const MAX_BYTES = 1024 * 1024
/** Words without which a configuration names no filter, and no other place that could. They cannot be escaped. */
const SUSPECT = /filter|include|worktree/i

/** A look that starts no program: most repositories have one file of settings, and no filter in it. */
const isHarmless = async (folder: string): Promise<boolean> => {
  const place = join(folder, '.git')
  const shares = access(join(place, 'commondir')).then(
    () => true,
    () => false,
  )
  const bytes = await readRegularFile(join(place, 'config'), MAX_BYTES).catch(() => undefined)
  return bytes !== undefined && !SUSPECT.test(bytes.toString('latin1')) && !(await shares)
}

const OWN_SCOPES = ['local', 'worktree']
const NOTHING_FOUND = 1

/** What the repository set, as it would be without that. */
const undo = (said: string): GitSetting[] => {
  const own = new Set<string>()
  const users = new Map<string, string>()
  const records = said.split('\0')
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [scope = '', record = ''] = records.slice(at, at + 2)
    const end = record.indexOf('\n')
    const key = end < 0 ? record : record.slice(0, end)
    if (OWN_SCOPES.includes(scope)) own.add(key)
    else users.set(key, end < 0 ? 'true' : record.slice(end + 1))
  }
  const fallback = (key: string) => (key.endsWith('.required') ? 'false' : '')
  return [...own].map((key) => [key, users.get(key) ?? fallback(key)])
}

/** The same place, where git runs no program that the repository chose. */
export const withoutFilters = async (place: GitPlace, signal: AbortSignal): Promise<GitPlace> => {
  if (await isHarmless(place.folder)) return place
  const ask = ['config', '--show-scope', '-z', '--get-regexp', '^filter\\.']
  const { code, text } = await askGit(place, ask, { signal })
  if (code === NOTHING_FOUND) return place
  if (code !== 0) throw gitFaults.failed('the configuration of the repository cannot be read')
  return { ...place, settings: undo(text) }
}
