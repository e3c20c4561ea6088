import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { explainConfig, loadConfig } from './load-config.ts'
import { SETTINGS, type Setting } from './settings.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'warrant-config-'))
  folders.push(folder)
  return folder
}

const settingFor = (key: string): Setting => {
  const setting = SETTINGS.find((one) => one.key === key)
  if (setting === undefined) throw new Error(`no setting ${key}`)
  return setting
}

const asFile = (key: string, value: unknown) => {
  const [section = '', name] = key.split('.')
  return JSON.stringify(name === undefined ? { [key]: value } : { [section]: { [name]: value } })
}

/** The same value as a flag or a variable spells it. */
const asText = (value: unknown) => (Array.isArray(value) ? value.join(',') : String(value))

/** The ways a value can come in, strongest first. Each adds one value of one setting to what is loaded. */
interface Given {
  flags: Record<string, string>
  environment: Record<string, string>
  readonly cwd: string
}
type Source = 'flag' | 'variable' | 'named file' | 'found file'
const GIVE: Readonly<Record<Source, (given: Given, setting: Setting, value: unknown) => void>> = {
  flag: ({ flags }, { flag }, value) => {
    flags[flag] = asText(value)
  },
  variable: ({ environment }, { variable }, value) => {
    environment[variable] = asText(value)
  },
  'named file': ({ cwd, flags }, { key }, value) => {
    writeFileSync(join(cwd, 'named.json'), asFile(key, value))
    flags.config = 'named.json'
  },
  'found file': ({ cwd }, { key }, value) => {
    writeFileSync(join(cwd, 'warrant.json'), asFile(key, value))
  },
}
const SOURCES = Object.keys(GIVE) as readonly Source[]
const REPORTED = {
  flag: 'flag',
  variable: 'environment',
  'named file': 'file',
  'found file': 'file',
} as const

const load = (key: string, values: Partial<Record<Source, unknown>>, cwd = makeFolder()) => {
  const given: Given = { flags: {}, environment: {}, cwd }
  for (const source of SOURCES) {
    if (source in values) GIVE[source](given, settingFor(key), values[source])
  }
  return loadConfig(given.flags, given)
}

const faultOf = (work: () => unknown) => {
  try {
    work()
  } catch (thrown) {
    return thrown
  }
  return undefined
}

/** Two values that are valid from every source that is trusted. */
const SAMPLES: Readonly<Record<string, readonly [unknown, unknown]>> = {
  host: ['::1', 'localhost'],
  token: ['0123456789abcdef', 'fedcba9876543210'],
  readToken: ['0123456789abcdef', 'fedcba9876543210'],
  issuer: ['https://issuer.example', 'https://other.example'],
  store: ['memory', 'logs.db'],
  embedder: ['minilm', 'words'],
  embeddingUrl: ['http://127.0.0.1:1/v1', 'http://localhost:2/v1'],
}
const samples = ({ key, kind, choices, fallback }: Setting): readonly [unknown, unknown] => {
  const special = SAMPLES[key]
  if (special !== undefined) return special
  if (choices.length > 0) return [choices[choices.length - 1], choices[0]]
  switch (kind) {
    case 'switch':
      return [true, false]
    case 'number':
      return [Number(fallback) - 1, Number(fallback) - 2]
    case 'list':
      return [['one', 'two'], ['three']]
    case 'text':
      return ['one', 'two']
  }
}

/** Settings of a found file that are left out with a notice. */
const IGNORED = [
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
  'profile',
  'signingKey',
  'signer',
  'policyFrom',
  'openspec',
  'packetRoot',
  'embeddingUrl',
  'registry',
]

/** Settings that no found file may set, whatever their value. */
const NEVER_FOUND = [
  ...IGNORED,
  // A found file adds to the list.
  'protectedBranches',
  'token',
  'readToken',
  'issuer',
  'allowedHosts',
  'allowedOrigins',
  'registries',
  'revealTopology',
  'gitFolders',
]

describe.each(SETTINGS)('the setting $key', (setting) => {
  const { key, fallback, kind, secret } = setting
  const [first, second] = samples(setting)

  it('has its default when no source sets it', () => {
    const loaded = loadConfig({}, { environment: { [setting.variable]: '' }, cwd: makeFolder() })
    expect(loaded.values.get(key)).toEqual(fallback)
    expect(loaded.sources.get(key)).toBe('default')
  })

  it('takes the default of a program before the common one', () => {
    const loaded = loadConfig({}, { environment: {}, cwd: makeFolder() }, new Map([[key, first]]))
    expect(loaded.values.get(key)).toEqual(first)
    expect(loaded.sources.get(key)).toBe('default')
  })

  const trusted = SOURCES.filter((source) => source !== 'found file' || !NEVER_FOUND.includes(key))
  it.each(trusted)('is accepted from a %s', (source) => {
    const loaded = load(key, { [source]: first })
    expect(loaded.values.get(key)).toEqual(first)
    expect(loaded.sources.get(key)).toBe(REPORTED[source])
    const shown = explainConfig(loaded).find((row) => row.key === key)
    expect(shown?.value).toEqual(secret ? '********' : first)
  })

  const stronger = SOURCES.flatMap((winner, place) =>
    SOURCES.slice(place + 1).map((loser) => ({ winner, loser })),
  )
  it.each(stronger)('is taken from a $winner before a $loser', ({ winner, loser }) => {
    const loaded = load(key, { [winner]: first, [loser]: second })
    expect(loaded.values.get(key)).toEqual(first)
    expect(loaded.sources.get(key)).toBe(REPORTED[winner])
  })

  // Every text is a list of names. A variable that is set to nothing counts as unset.
  const byKind = { text: '', number: 'many', switch: 'perhaps', list: undefined }
  const wrongText = setting.choices.length > 0 ? 'none such' : byKind[kind]
  const wrong = { flag: wrongText, variable: wrongText || undefined, 'named file': {}, 'found file': {} }
  it.each(SOURCES.filter((source) => wrong[source] !== undefined))(
    'is refused from a %s when its type is wrong',
    (source) => {
      const name = { flag: `--${setting.flag}`, variable: setting.variable }[source as string]
      expect(faultOf(() => load(key, { [source]: wrong[source] }))).toMatchObject({
        code: 'config.value',
        message: expect.stringContaining(`${name ?? `${key} in warrant.json`}: expected`),
      })
    },
  )
})

describe('a setting that is misspelt', () => {
  it.each([
    ['variable', {}, { WARRANT_READONLY: '1' }, undefined, 'config.variable'],
    ['key of the found file', {}, {}, '{"readonly":true}', 'config.value'],
    ['key of a section', {}, {}, '{"limits":{"callms":1}}', 'config.value'],
    ['section', {}, {}, '{"limits":1}', 'config.value'],
  ] as const)('is refused as a %s', (_, flags, environment, text, code) => {
    const cwd = makeFolder()
    if (text !== undefined) writeFileSync(join(cwd, 'warrant.json'), text)
    expect(faultOf(() => loadConfig(flags, { environment, cwd }))).toMatchObject({ code })
  })
})

describe('the file of settings', () => {
  it.each(['{', '[]', '"text"', 'null'])('is refused when it holds %s', (text) => {
    const cwd = makeFolder()
    writeFileSync(join(cwd, 'warrant.json'), text)
    expect(faultOf(() => loadConfig({}, { environment: {}, cwd }))).toMatchObject({ code: 'config.file' })
  })

  it('may be absent when it is found, and not when it is named', () => {
    const cwd = makeFolder()
    const named = [
      () => loadConfig({ config: 'absent.json' }, { environment: {}, cwd }),
      () => loadConfig({}, { environment: { WARRANT_CONFIG: 'absent.json' }, cwd }),
    ]
    for (const work of named) expect(faultOf(work)).toMatchObject({ code: 'config.file' })
    expect(loadConfig({}, { environment: {}, cwd }).config.root).toBe('.')
  })

  it('is followed through a symlink when it is named, and not when it is found', () => {
    const cwd = makeFolder()
    writeFileSync(join(cwd, 'real.json'), '{"graph":"other"}')
    symlinkSync('real.json', join(cwd, 'warrant.json'))
    expect(faultOf(() => loadConfig({}, { environment: {}, cwd }))).toMatchObject({ code: 'config.file' })
    const named = loadConfig({ config: 'warrant.json' }, { environment: {}, cwd })
    expect(named.config.graph).toBe('other')
  })
})

const FOLDERS = ['root', 'stateDir', 'packetRoot', 'exportRoot', 'store']
const ACCEPTED_FOLDERS = ['root', 'exportRoot']
const OUTSIDE = ['..', '../sibling', '/', '/etc', 'inner/../../sibling', 'link', 'link/below', 'link/new']
const REFUSED: readonly { readonly key: string; readonly value: unknown }[] = [
  ...FOLDERS.flatMap((key) => OUTSIDE.map((value) => ({ key, value }))),
  // Only the store knows `memory`: for any other key these are paths.
  ...['root', 'stateDir', 'packetRoot', 'exportRoot'].flatMap((key) => [
    { key, value: 'memory' },
    { key, value: 'oci:/../../sibling' },
    { key, value: 'postgres:/../../sibling' },
  ]),
  ...['root', 'stateDir', 'packetRoot', 'exportRoot'].flatMap((key) => [
    { key, value: 'oci://../../../sibling' },
    { key, value: 'postgres://../../../sibling' },
  ]),
  { key: 'store', value: 'postgres://host/database' },
  { key: 'store', value: 'postgresql://host/database' },
  { key: 'embeddingUrl', value: 'https://embeddings.example/v1' },
  { key: 'host', value: '0.0.0.0' },
  { key: 'host', value: 'example.org' },
  { key: 'revealTopology', value: true },
  { key: 'token', value: '0123456789abcdef' },
  { key: 'readToken', value: '0123456789abcdef' },
  { key: 'issuer', value: 'https://issuer.example' },
  ...['allowedHosts', 'allowedOrigins', 'registries'].map((key) => ({ key, value: ['host.example'] })),
  { key: 'registries', value: ['http://host.example'] },
]
const ACCEPTED: readonly { readonly key: string; readonly value: unknown }[] = [
  ...ACCEPTED_FOLDERS.flatMap((key) =>
    ['.', 'inner', 'inner/new', 'new', '..new'].map((value) => ({ key, value })),
  ),
  { key: 'host', value: 'localhost' },
  { key: 'allowedHosts', value: [] },
]

/** A folder with links that lead out of it, below a folder that the test may leave. */
const makeProject = () => {
  const parent = makeFolder()
  const cwd = join(parent, 'project')
  for (const name of ['project/inner', 'sibling/below']) mkdirSync(join(parent, name), { recursive: true })
  symlinkSync(join(parent, 'sibling'), join(cwd, 'link'))
  symlinkSync(join(parent, 'sibling'), join(cwd, 'memory'))
  return cwd
}

describe('a file of settings that was found and not named', () => {
  it.each(REFUSED)('may not set $key to $value; flag, variable and named file may', ({ key, value }) => {
    const fault = faultOf(() => load(key, { 'found file': value }, makeProject()))
    expect(fault).toMatchObject({ code: 'config.value' })
    for (const source of ['flag', 'variable', 'named file'] as const) {
      expect(load(key, { [source]: value }, makeProject()).values.get(key)).toEqual(value)
    }
  })

  it.each(ACCEPTED)('may set $key to $value', ({ key, value }) => {
    expect(load(key, { 'found file': value }, makeProject()).values.get(key)).toEqual(value)
  })

  it.each(IGNORED.map((key) => ({ key, value: samples(settingFor(key))[0] })))(
    'does not set $key to $value, and the notice names file and key',
    ({ key, value }) => {
      const loaded = load(key, { 'found file': value })
      expect(loaded.values.get(key)).toEqual(settingFor(key).fallback)
      expect(loaded.sources.get(key)).toBe('default')
      expect(loaded.notices).toEqual([expect.stringMatching(`^warrant.json: ${key} is ignored.*--config`)])
    },
  )

  it('adds protected branches and takes none away', () => {
    const found = { 'found file': ['release', 'none'] }
    const added = load('protectedBranches', found)
    expect(added.values.get('protectedBranches')).toEqual([
      'main',
      'master',
      'develop',
      'dev',
      'release',
      'none',
    ])
    const chosen = load('protectedBranches', { flag: ['none'] })
    expect(chosen.values.get('protectedBranches')).toEqual(['none'])
  })
})

describe('the embedder', () => {
  it('is refused as magic', () => {
    expect(faultOf(() => load('embedder', { flag: 'magic' }))).toMatchObject({
      code: 'config.value',
      message: expect.stringContaining('minilm, words, server'),
    })
  })
})
