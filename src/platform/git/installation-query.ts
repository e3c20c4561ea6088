import { join, resolve } from 'node:path'
import type { LocalConfig } from '../../kernel/ports.ts'
import type { LifecycleGit, RepositoryPlaces } from '../../setup/git-hooks/ports.ts'
import { followLinks } from '../files/git-metadata.ts'
import { type ConfigRecord, parseConfig } from './parse.ts'
import { askGit, type GitPlace } from './run.ts'

const PREFIX = 'warrant.'
const HOOKS_PATH = 'core.hookspath'
const QUESTION = ['--show-scope', '--show-origin', '--get-regexp', `^(warrant\\..*|core\\.hookspath)$`]
const NOTHING_FOUND = 1

/** Settings of our own command line are no configuration. */
const isConfigured = ({ scope }: ConfigRecord): boolean => scope !== 'command'

/** The keys in the configuration file of the repository; undefined when one may come from another file. */
const findOwnKeys = (
  records: readonly ConfigRecord[],
  { folder, folders }: GitPlace,
): ReadonlyMap<string, string> | undefined => {
  const own = records.filter(({ scope, key }) => scope === 'local' && key !== HOOKS_PATH)
  const file = join(folders?.common ?? '', 'config')
  if (own.some(({ origin }) => resolve(folder, origin.replace(/^file:/, '')) !== file)) return undefined
  return new Map(own.map(({ key, value = 'true' }) => [key.slice(PREFIX.length).toLowerCase(), value]))
}

/** Git expands these beginnings of a path. */
const EXPANDED = /^(?:$|~|%)/

/** Undefined when git has to be asked. */
const findPlaces = async (
  records: readonly ConfigRecord[],
  { folder, folders }: GitPlace,
): Promise<RepositoryPlaces | undefined> => {
  const last = records.findLast(({ key }) => key === HOOKS_PATH)
  if (folders === undefined || (last !== undefined && EXPANDED.test(last.value ?? ''))) return undefined
  const hooks = last?.value === undefined ? join(folders.common, 'hooks') : resolve(folder, last.value)
  const places = [folder, await followLinks(folders.common), await followLinks(hooks)] as const
  const [top, common, target] = places
  return places.some((path) => path.includes('\n')) ? undefined : { top, common, hooks: target }
}

interface InstallationPorts {
  readonly config: LocalConfig
  readonly git: LifecycleGit
}

/** The same ports, which ask git once for the settings of the installation and the folder of the hooks. */
export const withOneQuery = ({ config, git }: InstallationPorts, place: GitPlace): InstallationPorts => {
  let asked: Promise<ConfigRecord[] | undefined> | undefined
  const ask = async (signal: AbortSignal) => {
    const { code, text } = await askGit(place, ['config', '-z', ...QUESTION], { signal })
    return code === 0 || code === NOTHING_FOUND ? parseConfig(text, 2).filter(isConfigured) : undefined
  }
  const query = (signal: AbortSignal) => {
    asked ??= ask(signal)
    return asked
  }
  return {
    config: {
      ...config,
      read: async (prefix, signal) => {
        const records = prefix === PREFIX ? await query(signal) : undefined
        return (records && findOwnKeys(records, place)) ?? config.read(prefix, signal)
      },
    },
    git: {
      ...git,
      places: async (signal) => {
        const records = await query(signal)
        return (records && (await findPlaces(records, place))) ?? git.places(signal)
      },
    },
  }
}
