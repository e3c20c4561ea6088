import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isLoopback } from '../../http/guards.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'

/** The end of every refusal. A found `warrant.json` may have come with the repository, so it is not trusted. */
const REMEDY = 'name the file with --config, or set it by flag'

/** Settings whose value is a path, unless `isAddress` says otherwise. `store` is also checked as an address below. */
const PATHS = new Set(['root', 'stateDir', 'packetRoot', 'exportRoot', 'store'])
const DATABASE = /^postgres(ql)?:/

/** Values of these settings that name no file: the store in memory. */
const isAddress = (key: string, value: string): boolean => key === 'store' && value === 'memory'

/** The path without symlinks, as far as it exists. */
const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}

const leavesFolder = (cwd: string, key: string, value: unknown): boolean => {
  if (!PATHS.has(key) || typeof value !== 'string' || isAddress(key, value)) return false
  const folder = realPath(cwd)
  return !isPathInside(folder, realPath(resolve(folder, value)))
}

const isNonEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length > 0

/** Settings that send data to other machines or accept requests from them, and the values that do. */
const EXPOSING: Readonly<Record<string, (value: unknown) => boolean>> = {
  // The embedding server gets queries, documents and the key.
  embeddingUrl: (value) => !isLoopback(new URL(String(value)).hostname),
  store: (value) => DATABASE.test(String(value)),
  host: (value) => !isLoopback(String(value)),
  allowedHosts: isNonEmptyList,
  allowedOrigins: isNonEmptyList,
  // Would allow requests to private networks, and passwords without TLS.
  registries: isNonEmptyList,
  // Agents could learn the topology of the graph.
  revealTopology: (value) => value === true,
  // Would read the objects of other repositories.
  gitFolders: isNonEmptyList,
  // The author of the repository would know the token.
  token: () => true,
  readToken: () => true,
  // Clients without a token are redirected to the issuer to log in.
  issuer: () => true,
}

/**
 * Settings that a found file cannot set, because they weaken what the operator relies on: where state and decisions
 * are kept, which tools and files an agent gets, which program runs, by which rules a change is judged, and where text
 * is sent.
 */
const IGNORED = new Set([
  'stateDir',
  'store',
  'readOnly',
  'toolsets',
  'tools',
  'excludeTools',
  'toolAccess',
  'deny',
  'extensions',
  'clock',
  'check',
  'profile',
  'signingKey',
  'signer',
  'policyFrom',
  'openspec',
  'packetRoot',
  'embeddingUrl',
  'registry',
])

/** Whether a valid value of a found file is left out. */
export const isIgnoredUntrusted = (key: string): boolean => IGNORED.has(key)

/** Lists to which a found file can add, and from which it can take nothing. */
export const isAddedUntrusted = (key: string): boolean => key === 'protectedBranches'

export const addUntrusted = (own: unknown, found: unknown): readonly unknown[] => [
  ...new Set([own, found].flatMap((list) => (Array.isArray(list) ? list : []))),
]

/** The notice about a value that was left out. */
export const ignoredNotice = (file: string, key: string): string =>
  `${file}: ${key} is ignored, because the file was found in the current folder and not named; ${REMEDY}`

/** Why a valid value is refused from a found file; undefined when it is accepted. */
export const rejectUntrusted = (cwd: string, key: string, value: unknown): string | undefined => {
  if (leavesFolder(cwd, key, value)) return `leads out of the current folder; ${REMEDY}`
  return EXPOSING[key]?.(value)
    ? `lets data out or requests in, so a warrant.json found in the current folder must not set it; ${REMEDY}`
    : undefined
}
