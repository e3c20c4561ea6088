import type { LocalConfig } from '../../kernel/ports.ts'
import { escapeRegExp } from '../../kernel/text/escape-regexp.ts'
import { parseConfig } from './parse.ts'
import { findPlace, type GitStart } from './place.ts'
import { askGit, type GitPlace, gitFaults } from './run.ts'

const NOTHING_FOUND = 1
const NOTHING_TO_UNSET = 5
const LOCKED = 255
const ATTEMPTS = 20
const PAUSE_MS = 25

const CONFIG = ['config', '--local']

/** Tries again while another process holds the lock of the file; git itself gives up at once. */
export const changeConfig = async (
  place: GitPlace,
  args: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  for (let attempt = 0; ; attempt += 1) {
    const { code } = await askGit(place, [...CONFIG, ...args], { signal })
    if (code === 0 || code === NOTHING_TO_UNSET) return
    if (code !== LOCKED || attempt === ATTEMPTS) {
      throw gitFaults.failed(`git config exited with code ${code}`, {
        fix: 'Check that the repository and its configuration are writable.',
      })
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

/** Outside of a repository git itself fails. */
const locate = async (start: GitStart, signal: AbortSignal): Promise<GitPlace> =>
  (await findPlace(start, signal)) ?? start

/** The configuration of this repository alone, without that of the user and the system. */
export const gitConfig = (start: GitStart): LocalConfig => ({
  read: async (prefix, signal) => {
    const args = [...CONFIG, '-z', '--get-regexp', `^${escapeRegExp(prefix.toLowerCase())}`]
    const { code, text } = await askGit(await locate(start, signal), args, { signal })
    if (code === NOTHING_FOUND) return new Map()
    if (code !== 0) throw gitFaults.repository('git could not read the configuration of the repository')
    return new Map(
      parseConfig(text).map(({ key, value = 'true' }) => [key.slice(prefix.length).toLowerCase(), value]),
    )
  },
  // One after the other: all need the same lock.
  write: async (values, signal) => {
    const place = await locate(start, signal)
    for (const [key, value] of values) {
      await changeConfig(
        place,
        value === undefined ? ['--unset-all', key] : ['--replace-all', key, value],
        signal,
      )
    }
  },
})
