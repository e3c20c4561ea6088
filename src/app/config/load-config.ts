import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isLoopback } from '../../http/guards.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { defineFaults, errorCode } from '../../kernel/fault.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { type Config, SETTINGS, type Setting } from './settings.ts'

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
const isIgnoredUntrusted = (key: string): boolean => IGNORED.has(key)

/** Lists to which a found file can add, and from which it can take nothing. */
const isAddedUntrusted = (key: string): boolean => key === 'protectedBranches'

const addUntrusted = (own: unknown, found: unknown): readonly unknown[] => [
  ...new Set([own, found].flatMap((list) => (Array.isArray(list) ? list : []))),
]

/** The notice about a value that was left out. */
const ignoredNotice = (file: string, key: string): string =>
  `${file}: ${key} is ignored, because the file was found in the current folder and not named; ${REMEDY}`

/** Why a valid value is refused from a found file; undefined when it is accepted. */
const rejectUntrusted = (cwd: string, key: string, value: unknown): string | undefined => {
  if (leavesFolder(cwd, key, value)) return `leads out of the current folder; ${REMEDY}`
  return EXPOSING[key]?.(value)
    ? `lets data out or requests in, so a warrant.json found in the current folder must not set it; ${REMEDY}`
    : undefined
}

/** A flag with the first value that is not blank, trimmed. */
export const firstSet = (flag: string, ...values: readonly (string | undefined)[]): Flags => {
  const value = values.find((one) => one !== undefined && one.trim() !== '')
  return value === undefined ? {} : { [flag]: value.trim() }
}

/** A port variable that does not begin with a number is ignored: existing clients rely on it. */
export const parsePort = (text: string | undefined): string | undefined => {
  const port = Number.parseInt(text ?? '', 10)
  return Number.isNaN(port) ? undefined : String(port)
}

export const configFaults = defineFaults('config', {
  value: { kind: 'invalid', fix: 'Correct the value; `warrant config --help` lists the settings.' },
  file: { kind: 'invalid', fix: 'Make the file a JSON object; `warrant config --help` lists the settings.' },
  variable: {
    kind: 'invalid',
    fix: 'Correct the name, or unset the variable; `warrant config --help` lists the settings.',
  },
  root: { kind: 'unavailable', fix: 'Name an existing folder with --root.' },
})

type Source = 'flag' | 'environment' | 'file' | 'default'
/** Parsed command line: flags without dashes, each with its text or `true`. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>

/** Defaults of one program, by dotted key. They override the common defaults. */
export type Preset = ReadonlyMap<string, unknown>

export interface LoadedConfig {
  readonly config: Config
  /** The values of `config` by dotted key. */
  readonly values: ReadonlyMap<string, unknown>
  readonly sources: ReadonlyMap<string, Source>
  /** Settings of a found file that were left out, one sentence each. */
  readonly notices: readonly string[]
}

interface Environment {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

const FILE = 'warrant.json'
/** Further allowed variables: the path of the file, and those of tests. */
const OTHER_VARIABLES = /^WARRANT_(CONFIG$|TEST_)/
const SWITCH: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false }

const readText = ({ kind }: Setting, text: string): unknown => {
  switch (kind) {
    case 'number':
      return /^-?\d+$/.test(text.trim()) ? Number(text) : text
    case 'switch':
      return SWITCH[text.trim().toLowerCase()] ?? text
    case 'list':
      return text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')
    case 'text':
      return text
  }
}

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
const MAX_BYTES = 1024 * 1024

/** A found file may come from an untrusted repository: O_NOFOLLOW refuses symlinks, O_NONBLOCK avoids waiting for a pipe. */
const readSettings = (path: string, named: boolean): string => {
  const descriptor = openSync(path, O_RDONLY | O_NONBLOCK | (named ? 0 : O_NOFOLLOW))
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile() || stats.size > MAX_BYTES) throw new Error('not a regular file, or too large')
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

const readFile = (path: string, required: boolean): Record<string, unknown> => {
  let text: string
  try {
    text = readSettings(path, required)
  } catch (cause) {
    if (!required && errorCode(cause) === 'ENOENT') return {}
    throw configFaults.file(`cannot read ${path}`, { cause })
  }
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch (cause) {
    throw configFaults.file(`${path} is not JSON`, { cause })
  }
  throw configFaults.file(`${path} is not a JSON object`)
}

const SECTION = 'limits'

/** The settings of the file by dotted key. An unknown key is an error. */
const flatten = (object: Record<string, unknown>): Map<string, unknown> => {
  const { [SECTION]: section = {}, ...rest } = object
  if (!isRecord(section)) throw configFaults.value(`${SECTION} in ${FILE}: expected an object`)
  const inner = Object.entries(section).map(([key, value]) => [`${SECTION}.${key}`, value] as const)
  const flat = new Map<string, unknown>([...Object.entries(rest), ...inner])
  const unknown = [...flat.keys()].find((key) => !SETTINGS.some((setting) => setting.key === key))
  if (unknown !== undefined) throw configFaults.value(`${unknown} in ${FILE} is not a setting`)
  return flat
}

const nest = (values: ReadonlyMap<string, unknown>): Config => {
  const limits: Record<string, unknown> = {}
  const config: Record<string, unknown> = { [SECTION]: limits }
  for (const [key, value] of values) {
    if (key.startsWith(`${SECTION}.`)) limits[key.slice(SECTION.length + 1)] = value
    else config[key] = value
  }
  return config as Config
}

// Ignoring a misspelt WARRANT_READ_ONLY would be a security hole, not a typo.
const rejectUnknownVariables = (environment: Environment['environment']): void => {
  const unknown = Object.keys(environment)
    .filter((name) => name.startsWith('WARRANT_') && !OTHER_VARIABLES.test(name))
    .sort()
    .find((name) => !SETTINGS.some(({ variable }) => variable === name))
  if (unknown !== undefined) throw configFaults.variable(`${unknown} is not a setting`)
}

const sourceName = ({ flag, variable, key }: Setting, source: Source): string => {
  if (source === 'flag') return `--${flag}`
  return source === 'environment' ? variable : `${key} in ${FILE}`
}

interface Sources {
  readonly flags: Flags
  readonly environment: Environment['environment']
  readonly file: ReadonlyMap<string, unknown>
  readonly preset: Preset
}

const pick = (setting: Setting, { flags, environment, file, preset }: Sources): [Source, unknown] => {
  const flag = flags[setting.flag]
  if (flag !== undefined) return ['flag', typeof flag === 'boolean' ? flag : readText(setting, flag)]
  const variable = environment[setting.variable]
  if (variable !== undefined && variable !== '') return ['environment', readText(setting, variable)]
  if (file.has(setting.key)) return ['file', file.get(setting.key)]
  return ['default', preset.has(setting.key) ? preset.get(setting.key) : setting.fallback]
}

/** For servers: writing state would otherwise create the folder of a mistyped root. */
export const requireRoot = ({ root }: Pick<Config, 'root'>): void => {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw configFaults.root('the root is not an existing folder')
}

/** Precedence: flag, environment, file, default. Each value records its source. */
export const loadConfig = (
  flags: Flags,
  { environment, cwd }: Environment,
  preset: Preset = new Map(),
): LoadedConfig => {
  rejectUnknownVariables(environment)
  const named = typeof flags.config === 'string' ? flags.config : environment.WARRANT_CONFIG
  const file = flatten(readFile(resolve(cwd, named ?? FILE), named !== undefined))
  const values = new Map<string, unknown>()
  const sources = new Map<string, Source>()
  const notices: string[] = []
  for (const setting of SETTINGS) {
    const { key } = setting
    let [source, value] = pick(setting, { flags, environment, file, preset })
    const found = source === 'file' && named === undefined
    const problem =
      source === 'default'
        ? undefined
        : (setting.refuse(value) ?? (found ? rejectUntrusted(cwd, key, value) : undefined))
    if (problem !== undefined) throw configFaults.value(`${sourceName(setting, source)}: ${problem}`)
    if (found && isIgnoredUntrusted(key)) {
      notices.push(ignoredNotice(FILE, key))
      ;[source, value] = pick(setting, { flags, environment, file: new Map(), preset })
    }
    if (found && isAddedUntrusted(key)) {
      const [, own] = pick(setting, { flags, environment, file: new Map(), preset })
      value = addUntrusted(own, value)
    }
    values.set(key, value)
    sources.set(key, source)
  }
  return { config: nest(values), values, sources, notices }
}

interface Effective extends Pick<Setting, 'key' | 'flag' | 'variable'> {
  readonly value: unknown
  readonly source: Source
}

/** The effective value and source of every setting. The values of secrets are masked. */
export const explainConfig = ({ values, sources }: LoadedConfig): readonly Effective[] =>
  SETTINGS.map(({ key, flag, variable, secret }) => {
    const value = values.get(key)
    return {
      key,
      flag: `--${flag}`,
      variable,
      value: secret && value !== undefined ? '********' : (value ?? null),
      source: sources.get(key) ?? 'default',
    }
  })
