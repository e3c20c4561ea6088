import { Fault } from '../../kernel/fault.ts'
import { pushTo } from '../../kernel/multimap.ts'
import { type ConfigEntry, readProperties, readXmlSettings, readYamlSettings } from './configuration-files.ts'
import { nameOf, type Warning } from './source-files.ts'

const SPRING = /^(application|bootstrap)(?:-([\w-]+))?\.(?:ya?ml|properties)$/
const MAX_FILL = 8
const MAX_VALUE = 4_000

/** Relaxed names: `order-topic`, `orderTopic` and `ORDER_TOPIC` are one. */
const canonical = (key: string): string => key.toLowerCase().replace(/[-_]/g, '')

/** The folder a configuration file speaks for. */
const scopeOf = (file: string): string => {
  const at = file.search(/(^|\/)(src\/main\/resources|config)\//)
  if (at >= 0) return file.slice(0, at)
  return file.slice(0, Math.max(0, file.lastIndexOf('/')))
}

const holdsFor = (scope: string, file: string): boolean => scope === '' || file.startsWith(`${scope}/`)

export interface Filled {
  readonly text: string
  /** What was written, when placeholders were filled in. */
  readonly origin?: string
  /** Whether nothing is left to fill in. */
  readonly complete: boolean
}

/** Everything the project's configuration files say. */
export class Configuration {
  readonly settings: ConfigEntry[] = []
  readonly warnings: Warning[] = []
  readonly #byKey = new Map<string, ConfigEntry[]>()

  add(file: string, text: string): void {
    const raw = this.#read(file, text)
    const [, , ofFile] = SPRING.exec(nameOf(file)) ?? []
    const spring = SPRING.test(nameOf(file))
    for (const one of raw) {
      const setting: ConfigEntry = { file, ...(ofFile !== undefined && { profile: ofFile }), ...one }
      this.settings.push(setting)
      if (spring) this.#remember(setting)
    }
  }

  #remember(setting: ConfigEntry): void {
    const key = canonical(setting.key)
    pushTo(this.#byKey, key, setting)
  }

  #read(file: string, text: string): Omit<ConfigEntry, 'file'>[] {
    try {
      if (file.endsWith('.properties')) return readProperties(text)
      return file.endsWith('.xml') ? readXmlSettings(text) : readYamlSettings(text)
    } catch (cause) {
      const why = cause instanceof Fault ? cause.message : 'it is not well formed'
      this.warnings.push({ code: 'configuration_unreadable', file, message: `the file is left out: ${why}` })
      return []
    }
  }

  /** The value a file of code would see: of its own module before the root's, without a profile before with one. */
  find(key: string, file: string): ConfigEntry | undefined {
    const candidates = (this.#byKey.get(canonical(key)) ?? []).filter((one) =>
      holdsFor(scopeOf(one.file), file),
    )
    const rank = (one: ConfigEntry) =>
      scopeOf(one.file).length * 4 +
      (one.profile === undefined ? 2 : 0) +
      (nameOf(one.file).startsWith('application') ? 1 : 0)
    return candidates.reduce<ConfigEntry | undefined>(
      (best, one) => (best === undefined || rank(one) > rank(best) ? one : best),
      undefined,
    )
  }

  /** Items of a list, however it is written. */
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

  /** Fills placeholders in, a bounded number of times: a value may name itself. */
  fill(text: string, file: string): Filled {
    let filled = text
    for (let round = 0; round < MAX_FILL && filled.includes('${'); round += 1) {
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
