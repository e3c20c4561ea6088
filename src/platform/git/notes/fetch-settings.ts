import { changeConfig } from '../config.ts'
import { parseConfig } from '../parse.ts'
import { findPlace, type GitStart } from '../place.ts'
import { askGit, type GitPlace, gitFaults } from '../run.ts'
import { isFetchSpec, isPlainRemote, notesFetchSpec } from './note-refs.ts'

const NOTHING_FOUND = 1

interface RemoteSetting {
  readonly remote: string
  readonly value: string
}

/** `remote.<name>.<key>` of the repository's own configuration. */
const readSettings = async (place: GitPlace, key: 'url' | 'fetch', signal: AbortSignal) => {
  const args = ['config', '--local', '-z', '--get-regexp', `^remote\\..*\\.${key}$`]
  const { code, text } = await askGit(place, args, { signal })
  if (code > NOTHING_FOUND) throw gitFaults.failed('git could not read the configuration of the repository')
  return parseConfig(text).flatMap(({ key: name, value }): RemoteSetting[] => {
    const remote = name.slice('remote.'.length, -key.length - 1)
    return value === undefined ? [] : [{ remote, value }]
  })
}

const locate = async (start: GitStart, signal: AbortSignal): Promise<GitPlace> => {
  const place = await findPlace(start, signal)
  if (place === undefined) throw gitFaults.repository('this folder is not in a git repository')
  return place
}

/** The remotes of the clone, and whether `git fetch` brings the notes of each. */
export const readNotesFetch = async (
  start: GitStart,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, boolean>> => {
  const place = await locate(start, signal)
  const present = await readSettings(place, 'fetch', signal)
  const remotes = (await readSettings(place, 'url', signal)).map(({ remote }) => remote)
  const isFetched = (remote: string): boolean =>
    present.some((one) => one.remote === remote && isFetchSpec(one.value))
  return new Map(remotes.map((remote) => [remote, isFetched(remote)]))
}

/**
 * Makes `git fetch` bring the notes of every remote. Returns the remotes that were changed. What `git push` sends stays
 * as it is: a `push` setting would replace what the user pushes.
 */
export const addNotesFetch = async (start: GitStart, signal: AbortSignal): Promise<readonly string[]> => {
  const place = await locate(start, signal)
  const missing = [...(await readNotesFetch(start, signal))].flatMap(([remote, isFetched]) =>
    isFetched || !isPlainRemote(remote) ? [] : [remote],
  )
  for (const remote of missing)
    await changeConfig(place, ['--add', `remote.${remote}.fetch`, notesFetchSpec(remote)], signal)
  return missing
}

/** Removes exactly what `addNotesFetch` added, also after a remote was renamed. Returns the remotes that were changed. */
export const removeNotesFetch = async (start: GitStart, signal: AbortSignal): Promise<readonly string[]> => {
  const place = await locate(start, signal)
  const ours = (await readSettings(place, 'fetch', signal)).filter(({ value }) => isFetchSpec(value))
  for (const { remote, value } of ours)
    await changeConfig(place, ['--fixed-value', '--unset-all', `remote.${remote}.fetch`, value], signal)
  return [...new Set(ours.map(({ remote }) => remote))]
}
