import { Fault } from '../../kernel/fault.ts'
import { pushTo } from '../../kernel/multimap.ts'
import {
  type ConfigEntry,
  readProperties,
  readVariables,
  readXmlSettings,
  readYamlSettings,
} from './configuration-files.ts'
import { isExampleOfVariables, isTestPath, isVariableFile } from './discovery-rules.ts'
import { folderOf, inOrder, nameOf, type Warning } from './source-files.ts'
import { isTemplatePath, plainTemplate } from './template-text.ts'

const SPRING_FILE = /^(application|bootstrap)(?:-([\w-]+))?\.(?:ya?ml|properties)$/
const MAX_FILL_ROUNDS = 8
const MAX_VALUE = 4_000

/** Relaxed binding of Spring: `order-topic`, `orderTopic` and `ORDER_TOPIC` are one key. */
const canonical = (key: string): string => key.toLowerCase().replace(/[-_]/g, '')

/** The folder whose code a configuration file applies to. */
const scopeOf = (file: string): string => {
  const at = file.search(/(^|\/)(src\/main\/resources|config)\//)
  if (at >= 0) return file.slice(0, at)
  return file.slice(0, Math.max(0, file.lastIndexOf('/')))
}

/** Settings that a configuration server hands out: to the service that the file is named after, or to all. */
const SERVED_FILE = /(?:^|\/)(?:shared|config-repo|config-repository)\/([\w-]+)\.(?:ya?ml|properties)$/

export const servedService = (file: string): string | undefined => SERVED_FILE.exec(file)?.[1]

const appliesTo = (configuration: string, file: string): boolean => {
  const served = servedService(configuration)
  if (served === 'application') return true
  if (served !== undefined)
    return file.split('/').some((step) => step === served || step.endsWith(`-${served}`))
  const scope = scopeOf(configuration)
  return scope === '' || file.startsWith(`${scope}/`)
}

export interface FilledText {
  readonly text: string
  /** The text before placeholders were filled in. */
  readonly origin?: string
  /** Whether no placeholder is left. */
  readonly complete: boolean
}

/** The settings of all configuration files of a project. */
export class Configuration {
  readonly settings: ConfigEntry[] = []
  readonly warnings: Warning[] = []
  /** Variables of `.env` files, by file. */
  readonly variables = new Map<string, ReadonlyMap<string, string>>()
  readonly #byKey = new Map<string, ConfigEntry[]>()

  add(file: string, text: string): void {
    const raw = this.#read(file, text)
    if (isVariableFile(file)) this.variables.set(file, new Map(raw.map(({ key, value }) => [key, value])))
    // The values of a machine are no part of the project: they only fill compose files.
    if (isVariableFile(file) && !isExampleOfVariables(file)) return
    const spring = SPRING_FILE.exec(nameOf(file))
    const profile = spring?.[2]
    for (const one of raw) {
      const setting: ConfigEntry = { file, ...(profile !== undefined && { profile }), ...one }
      this.settings.push(setting)
      if (spring !== null || servedService(file) !== undefined)
        pushTo(this.#byKey, canonical(setting.key), setting)
    }
  }

  /** A constant that no configuration file holds. */
  define(entry: ConfigEntry): void {
    pushTo(this.#byKey, canonical(entry.key), entry)
  }

  #read(file: string, text: string): Omit<ConfigEntry, 'file'>[] {
    try {
      if (isVariableFile(file)) return readVariables(text)
      if (file.endsWith('.properties')) return readProperties(text)
      if (file.endsWith('.xml')) return readXmlSettings(text)
      return isTemplatePath(file) && text.includes('{{')
        ? readYamlSettings(plainTemplate(text), 'template')
        : readYamlSettings(text)
    } catch (cause) {
      const reason = cause instanceof Fault ? cause.message : 'it is not well formed'
      this.warnings.push({
        code: 'configuration_unreadable',
        file,
        message: `the file was skipped: ${reason}`,
      })
      return []
    }
  }

  /** The value for a source file: settings of its module before those of the root, without a profile before with one. */
  find(key: string, file: string): ConfigEntry | undefined {
    const candidates = (this.#byKey.get(canonical(key)) ?? []).filter((one) => appliesTo(one.file, file))
    const rank = (one: ConfigEntry) =>
      scopeOf(one.file).length * 4 +
      (one.profile === undefined ? 2 : 0) +
      (nameOf(one.file).startsWith('application') ? 1 : 0)
    return candidates.reduce<ConfigEntry | undefined>(
      (best, one) => (best === undefined || rank(one) > rank(best) ? one : best),
      undefined,
    )
  }

  /** The only value of the keys that end with these names, for programs that read one file of settings into a struct. */
  valueEndingWith(names: readonly string[], file: string): string | undefined {
    const end = canonical(names.join('.'))
    const values = new Set<string>()
    for (const one of this.settings) {
      const key = canonical(one.key)
      if ((key === end || key.endsWith(`.${end}`)) && !isTestPath(one.file) && appliesTo(one.file, file))
        values.add(one.value)
    }
    const [only] = values
    return values.size === 1 ? only : undefined
  }

  /** The value of a variable in the `.env` files of a folder; the file of the machine before examples of it. */
  variableOf(name: string, folder: string): string | undefined {
    const own = [...this.variables.keys()].filter((file) => folderOf(file) === folder && !isTestPath(file))
    for (const file of own.sort((a, b) => a.length - b.length || inOrder(a, b))) {
      const value = this.variables.get(file)?.get(name)
      if (value !== undefined && value !== '') return value
    }
    return undefined
  }

  /** The items of a list, written as `a,b` or as `key[0]`, `key[1]`. */
  list(key: string, file: string): readonly string[] {
    const whole = this.find(key, file)
    if (whole !== undefined) return whole.value.split(',').map((one) => one.trim())
    const items: string[] = []
    for (
      let at = this.find(`${key}[0]`, file);
      at !== undefined;
      at = this.find(`${key}[${items.length}]`, file)
    )
      items.push(at.value)
    return items
  }

  /** Fills in placeholders. The number of rounds is bounded, because a value may refer to itself. */
  fill(text: string, file: string): FilledText {
    let filled = text
    for (let round = 0; round < MAX_FILL_ROUNDS && filled.includes('${'); round += 1) {
      const next = filled.replace(/\$\{([^${}]{1,200})\}/g, (whole, inside: string) => {
        const [, key = '', fallback] = /^([^:]*)(?::([\s\S]*))?$/.exec(inside) ?? []
        const value = this.find(key.trim(), file)?.value ?? fallback ?? whole
        return value.length > MAX_VALUE ? whole : value
      })
      if (next === filled || next.length > MAX_VALUE) break
      filled = next
    }
    return { text: filled, ...(filled !== text && { origin: text }), complete: !filled.includes('${') }
  }
}
