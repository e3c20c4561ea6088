import { isRecord } from '../../../kernel/encoding/json.ts'
import { type JsonRecord, listAt, member, objectAt, textAt } from './json-members.ts'
import { cleanText, MAX_HELP } from './result-text.ts'

const indexAt = (value: unknown, name: string): number | undefined => {
  const found = member(value, name)
  return typeof found === 'number' && Number.isInteger(found) && found >= 0 ? found : undefined
}

/** The rules of a run: those of the driver, and those of its extensions. */
export class SarifRules {
  readonly #components: readonly (readonly unknown[])[]
  readonly #byId = new Map<string, JsonRecord>()

  constructor(run: unknown) {
    const tool = objectAt(run, 'tool')
    this.#components = [member(tool, 'driver'), ...listAt(tool, 'extensions')].map((one) =>
      listAt(one, 'rules'),
    )
    for (const rule of this.#components.flat()) {
      const id = textAt(rule, 'id')
      if (isRecord(rule) && id !== undefined && !this.#byId.has(id)) this.#byId.set(id, rule)
    }
  }

  /** The rule of a result: by its index, or by its id. `CA1000/1` is a part of the rule `CA1000`. */
  find(result: JsonRecord): { readonly id: string | undefined; readonly rule: JsonRecord | undefined } {
    const reference = objectAt(result, 'rule')
    const id = textAt(result, 'ruleId') ?? textAt(reference, 'id')
    const extension = indexAt(objectAt(reference, 'toolComponent'), 'index')
    const rules = this.#components[extension === undefined ? 0 : extension + 1]
    const indexed = rules?.[indexAt(result, 'ruleIndex') ?? indexAt(reference, 'index') ?? -1]
    const rule = isRecord(indexed) ? indexed : this.#named(id)
    return { id: id ?? textAt(rule, 'id'), rule }
  }

  #named(id: string | undefined): JsonRecord | undefined {
    if (id === undefined) return undefined
    return this.#byId.get(id) ?? this.#byId.get(id.slice(0, Math.max(0, id.lastIndexOf('/'))))
  }
}

const SECURITY_LEVELS: readonly (readonly [from: number, level: string])[] = [
  [9, 'critical'],
  [7, 'high'],
  [4, 'medium'],
  [0.1, 'low'],
]

/** A rule about security has a number from 0 to 10 that says more than the level. */
const securityLevel = (rule: JsonRecord | undefined): string | undefined => {
  const given = member(objectAt(rule, 'properties'), 'security-severity')
  const score = typeof given === 'string' ? Number.parseFloat(given) : given
  if (typeof score !== 'number' || !(score <= 10)) return undefined
  return SECURITY_LEVELS.find(([from]) => score >= from)?.[1]
}

const LEVELS: readonly unknown[] = ['error', 'warning', 'note', 'none']

/** The level of a result: of its own or of its rule; a result that is no failure is a note. */
export const readLevel = (result: JsonRecord, rule: JsonRecord | undefined): string => {
  const kind = textAt(result, 'kind') ?? 'fail'
  if (kind !== 'fail') return 'note'
  const given = [member(result, 'level'), member(objectAt(rule, 'defaultConfiguration'), 'level')]
  const level = given.find((one): one is string => LEVELS.includes(one)) ?? 'warning'
  return level === 'none' ? 'none' : (securityLevel(rule) ?? level)
}

/** A tool writes `[text](1)` for a place that it lists elsewhere in the result. */
const withoutLinks = (text: string): string => text.replace(/\[([^\][]{0,500})\]\(\d{1,6}\)/g, '$1')

const MAX_TEXT = 8_192

/** The text of a message: its own, or the text of the rule that it names, with its arguments put in. */
export const readMessage = (message: unknown, rule: JsonRecord | undefined): string | undefined => {
  const named = objectAt(objectAt(rule, 'messageStrings'), textAt(message, 'id') ?? '')
  const text = textAt(message, 'text') ?? textAt(named, 'text') ?? textAt(message, 'markdown')
  if (text === undefined) return undefined
  const args = listAt(message, 'arguments')
  const filled = text.slice(0, MAX_TEXT).replace(/\{(\d{1,2})\}/g, (whole, index: string) => {
    const argument = args[Number(index)]
    return typeof argument === 'string' ? argument.slice(0, MAX_TEXT) : whole
  })
  return withoutLinks(filled)
}

/** What the rule says besides the message, and where to read about it. */
export const readHelp = (rule: JsonRecord | undefined, message: string): string | undefined => {
  const texts = ['shortDescription', 'fullDescription'].map((name) => textAt(objectAt(rule, name), 'text'))
  const said = texts
    .map((text) => cleanText(text ?? '', MAX_HELP))
    .find((text) => text !== '' && text !== message)
  const uri = textAt(rule, 'helpUri')
  const link = uri !== undefined && /^https?:\/\/\S+$/.test(uri) ? uri : undefined
  return cleanText([said, link].filter((part) => part !== undefined).join(' '), MAX_HELP) || undefined
}
