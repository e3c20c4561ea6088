interface YamlOptions {
  readonly stringKeys: boolean
  readonly logLevel: 'error'
}

interface YamlDocument {
  readonly errors: readonly Error[]
  readonly warnings: readonly Error[]
  toJS(options: { readonly maxAliasCount: number }): unknown
}

/** The part of the package `yaml` that is used here. It is passed in: the kernel imports no packages. */
interface YamlLibrary {
  parseDocument(text: string, options: YamlOptions): YamlDocument
  parseAllDocuments(text: string, options: YamlOptions): readonly YamlDocument[]
}

const OPTIONS: YamlOptions = { stringKeys: true, logLevel: 'error' }

export interface YamlLimits {
  /** How often aliases may be used; a few bytes of aliases can expand to gigabytes. */
  readonly aliases: number
  readonly depth: number
  readonly nodes: number
  /** Treat warnings of the parser, such as unknown tags, as syntax errors. */
  readonly rejectWarnings?: boolean
}

export class YamlError extends Error {
  readonly problem: 'syntax' | 'limit' | 'key'

  constructor(problem: YamlError['problem'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}

/** Counts a value as often as aliases refer to it, so that a small file cannot stand for a large one. */
const checkSize = (value: unknown, limits: YamlLimits, depth: number, seen: { nodes: number }): void => {
  seen.nodes += 1
  if (seen.nodes > limits.nodes) throw new YamlError('limit', `more than ${limits.nodes} values`)
  if (depth > limits.depth) throw new YamlError('limit', `nested deeper than ${limits.depth}`)
  if (typeof value !== 'object' || value === null) return
  if (Object.hasOwn(value, '__proto__')) throw new YamlError('key', '__proto__ is not allowed as a key')
  for (const member of Object.values(value)) checkSize(member, limits, depth + 1, seen)
}

const firstLine = ({ message }: Error): string => message.split('\n')[0]?.replace(/:$/, '') ?? ''

const documentValue = (document: YamlDocument, limits: YamlLimits, seen: { nodes: number }): unknown => {
  const [problem] = limits.rejectWarnings ? [...document.errors, ...document.warnings] : document.errors
  if (problem !== undefined) throw new YamlError('syntax', firstLine(problem), { cause: problem })
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: limits.aliases })
  } catch (cause) {
    throw new YamlError('limit', cause instanceof Error ? firstLine(cause) : '', { cause })
  }
  checkSize(value, limits, 0, seen)
  return value
}

/** The value of one YAML document from an untrusted author, within limits. Throws a `YamlError`; never logs. */
export const readYaml = (yaml: YamlLibrary, text: string, limits: YamlLimits): unknown =>
  documentValue(yaml.parseDocument(text, OPTIONS), limits, { nodes: 0 })

/** As `readYaml`, for a text of several documents; the limits are for all of them together. */
export const readYamlDocuments = (yaml: YamlLibrary, text: string, limits: YamlLimits): unknown[] => {
  const seen = { nodes: 0 }
  const values = yaml.parseAllDocuments(text, OPTIONS).map((one) => documentValue(one, limits, seen))
  return values.length === 0 ? [null] : values
}
