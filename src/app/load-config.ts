import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineFaults } from '../kernel/fault.ts'
import { isRecord } from '../kernel/json.ts'
import { Config, type Setting, settings } from './config.ts'

export const configFaults = defineFaults('config', {
  value: { kind: 'invalid', fix: 'Correct the value named; `warrant config` shows what is in force.' },
  file: { kind: 'invalid', fix: 'Make the file a JSON object with the keys `warrant config` lists.' },
  variable: { kind: 'invalid', fix: 'Correct the name or unset it; `warrant config` lists the variables.' },
})

export type Source = 'flag' | 'environment' | 'file' | 'default'
/** What parsing the command line gave: the flag, without its dashes, to its text or `true`. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>

export interface Loaded {
  readonly config: Config
  readonly sources: ReadonlyMap<string, Source>
}

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

const FILE = 'warrant.json'
/** Names a variable may have beside the settings': the file itself, and what tests hand each other. */
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

const readFile = (path: string, required: boolean): Record<string, unknown> => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    if (!required && (cause as NodeJS.ErrnoException).code === 'ENOENT') return {}
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

const put = (target: Record<string, unknown>, key: string, value: unknown): void => {
  const [head = '', ...rest] = key.split('.')
  if (rest.length === 0) target[head] = value
  else {
    const inner = isRecord(target[head]) ? { ...target[head] } : {}
    put(inner, rest.join('.'), value)
    target[head] = inner
  }
}

const get = (object: unknown, key: string): unknown =>
  key.split('.').reduce((value: unknown, part) => (isRecord(value) ? value[part] : undefined), object)

// A misspelt WARRANT_READ_ONLY that is passed over in silence would be a hole, not a typo.
const refuseStrangers = (environment: Surroundings['environment'], known: readonly Setting[]): void => {
  const variables = new Set(known.map(({ variable }) => variable))
  const stranger = Object.keys(environment)
    .filter((name) => name.startsWith('WARRANT_') && !variables.has(name) && !OTHER_VARIABLES.test(name))
    .sort()[0]
  if (stranger !== undefined) throw configFaults.variable(`${stranger} is not a setting`)
}

const sourceName = (setting: Setting, source: Source | undefined): string => {
  if (source === 'flag') return `--${setting.flag}`
  return source === 'environment' ? setting.variable : `${setting.key} in ${FILE}`
}

/** Flag before environment before file before default, each value remembering where it came from. */
export const loadConfig = (flags: Flags, { environment, cwd }: Surroundings): Loaded => {
  const all = settings()
  refuseStrangers(environment, all)
  const named = typeof flags.config === 'string' ? flags.config : environment.WARRANT_CONFIG
  const merged = readFile(resolve(cwd, named ?? FILE), named !== undefined)
  const sources = new Map<string, Source>()
  for (const setting of all) {
    const flag = flags[setting.flag]
    const variable = environment[setting.variable]
    if (flag !== undefined) {
      put(merged, setting.key, typeof flag === 'boolean' ? flag : readText(setting, flag))
      sources.set(setting.key, 'flag')
    } else if (variable !== undefined && variable !== '') {
      put(merged, setting.key, readText(setting, variable))
      sources.set(setting.key, 'environment')
    } else {
      sources.set(setting.key, get(merged, setting.key) === undefined ? 'default' : 'file')
    }
  }
  const parsed = Config.safeParse(merged)
  if (parsed.success) return { config: parsed.data, sources }
  const [issue] = parsed.error.issues
  const key = issue?.path.filter((part) => typeof part === 'string').join('.') ?? ''
  const setting = all.find((one) => one.key === key)
  const where = setting === undefined ? FILE : sourceName(setting, sources.get(key))
  throw configFaults.value(`${where}: ${issue?.message ?? 'not valid'}`)
}

export interface Effective extends Pick<Setting, 'key' | 'flag' | 'variable'> {
  readonly value: unknown
  readonly source: Source
}

/** What is in force and why. Secrets show that they are set, never what they are. */
export const explainConfig = ({ config, sources }: Loaded): readonly Effective[] =>
  settings().map(({ key, flag, variable, secret }) => {
    const value = get(config, key)
    return {
      key,
      flag: `--${flag}`,
      variable,
      value: secret && value !== undefined ? '********' : (value ?? null),
      source: sources.get(key) ?? 'default',
    }
  })
