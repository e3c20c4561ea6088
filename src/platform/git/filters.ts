import { join, resolve } from 'node:path'
import { followLinks } from '../files/git-metadata.ts'
import { readRegularFile } from '../jail/async.ts'
import { askGit, type GitFolders, type GitPlace, type GitSetting, gitFaults } from './run.ts'

/**
 * To detect changes, `git status` runs the programs of `filter.<name>.clean` and similar settings. Those of the user
 * and the system are trusted; a filter from the repository's configuration would run a program of an untrusted author.
 */

const MAX_BYTES = 1024 * 1024
/** A configuration without these words has no filter and includes no other file. They cannot be written in escapes. */
const MAY_MATTER = /filter|include|worktree/i

/** A check without starting git: most repositories have one configuration file without such settings. */
const isPlain = async ({ own, common }: GitFolders): Promise<boolean> => {
  if (own !== common) return false
  const bytes = await readRegularFile(join(common, 'config'), MAX_BYTES).catch(() => undefined)
  return bytes !== undefined && !MAY_MATTER.test(bytes.toString('latin1'))
}

interface ConfigRecord {
  readonly scope: string
  readonly key: string
  readonly value: string
}

/** The output of `git config --show-scope -z`. A key without a value has no newline and means true. */
const parseRecords = (output: string): ConfigRecord[] => {
  const fields = output.split('\0')
  const records: ConfigRecord[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope = '', record = ''] = fields.slice(at, at + 2)
    const end = record.indexOf('\n')
    records.push({
      scope,
      key: end < 0 ? record : record.slice(0, end),
      value: end < 0 ? 'true' : record.slice(end + 1),
    })
  }
  return records
}

const isFromRepository = ({ scope }: ConfigRecord): boolean => scope === 'local' || scope === 'worktree'

/** Settings that restore the user's value for every filter that the repository sets. */
const overrideFilters = (records: readonly ConfigRecord[]): GitSetting[] => {
  const filters = records.filter(({ key }) => key.startsWith('filter.'))
  const fromUser = new Map(
    filters.filter((one) => !isFromRepository(one)).map(({ key, value }) => [key, value]),
  )
  const fallback = (key: string) => (key.endsWith('.required') ? 'false' : '')
  const fromRepository = new Set(filters.filter(isFromRepository).map(({ key }) => key))
  return [...fromRepository].map((key) => [key, fromUser.get(key) ?? fallback(key)])
}

/** In a linked worktree, git itself ignores the core.worktree that it shares with the others. */
const rejectForeignWorktree = async (
  records: readonly ConfigRecord[],
  { own, common }: GitFolders,
  top: string,
): Promise<void> => {
  const isUsed = ({ scope }: ConfigRecord) => scope === 'worktree' || (scope === 'local' && own === common)
  const record = records.filter((one) => one.key === 'core.worktree' && isUsed(one)).at(-1)
  if (record !== undefined && (await followLinks(resolve(own, record.value))) !== top)
    throw gitFaults.foreign_worktree(
      'core.worktree in the configuration of the repository names another folder',
    )
}

const NOTHING_FOUND = 1
const QUESTION = ['config', '--show-scope', '-z', '--get-regexp', '^(filter\\..*|core\\.worktree)$']

/** The same place with settings under which git runs no program that the repository chose. */
export const withoutFilters = async (
  place: GitPlace & { readonly folders: GitFolders },
  signal: AbortSignal,
): Promise<GitPlace> => {
  const { folders } = place
  if (await isPlain(folders)) return place
  const { code, text } = await askGit(place, QUESTION, { signal })
  if (code === NOTHING_FOUND) return place
  if (code !== 0) throw gitFaults.failed('git could not read the configuration of the repository')
  const records = parseRecords(text)
  await rejectForeignWorktree(records, folders, place.folder)
  return { ...place, settings: overrideFilters(records) }
}
