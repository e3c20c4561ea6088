import type * as z from 'zod'
import { readYaml, readYamlDocuments, YamlError } from '../../kernel/text/safe-yaml.ts'
import { findLanguage } from './languages.ts'
import { ChangeFile, type RuleFile, SyntaxRuleFile, TextRuleFile } from './rule.ts'
import { ruleFaults } from './rule-faults.ts'

/** Limits for rule files: they come from repositories, so they are untrusted input. */
export const RULE_LIMITS = { bytes: 64 * 1024, depth: 40, nodes: 5_000, aliases: 50, rules: 500 } as const

const FAULTS = { syntax: 'unreadable', limit: 'too_large', key: 'malformed' } as const

type Yaml = typeof import('yaml')
type Read<T> = (yaml: Yaml, text: string, limits: Parameters<typeof readYaml>[2]) => T

const readWith = async <T>(read: Read<T>, path: string, text: string): Promise<T> => {
  if (Buffer.byteLength(text) > RULE_LIMITS.bytes) {
    throw ruleFaults.too_large(`${path}: longer than ${RULE_LIMITS.bytes} bytes`)
  }
  const yaml = await import('yaml')
  try {
    return read(yaml, text, { ...RULE_LIMITS, rejectWarnings: true })
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause
    throw ruleFaults[FAULTS[cause.problem]](`${path}: ${cause.message}`, { cause })
  }
}

/** Parses one YAML document within the limits. Faults name the file. */
export const readRuleYaml = (path: string, text: string): Promise<unknown> => readWith(readYaml, path, text)

/** Parses the YAML documents of a file, divided by `---`, within the limits. Faults name the file. */
export const readRuleDocuments = (path: string, text: string): Promise<unknown[]> =>
  readWith(readYamlDocuments, path, text)

/** Reports the innermost issue: "invalid union" alone does not say what to correct. */
const firstIssue = (issues: readonly z.core.$ZodIssue[], above: readonly PropertyKey[] = []): string => {
  const [issue] = issues
  if (issue === undefined) return 'this is not a rule'
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union') {
    const branches = issue.errors.filter((branch) => branch.some(({ code }) => code !== 'invalid_type'))
    const deepest = branches.at(-1)
    if (deepest !== undefined) return firstIssue(deepest, path)
  }
  return `${path.length === 0 ? 'the document' : path.join('.')}: ${issue.message}`
}

/** Validates against a schema; a fault names the file and the member. */
export const parseAs = <T>(schema: z.ZodType<T>, path: string, value: unknown): T => {
  const result = schema.safeParse(value)
  if (!result.success) throw ruleFaults.malformed(`${path}: ${firstIssue(result.error.issues)}`)
  return result.data
}

const hasMember = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)

const checkLanguages = (path: string, { language, metadata }: SyntaxRuleFile): void => {
  for (const name of [language, ...(metadata?.languages ?? [])]) {
    if (findLanguage(name) === undefined)
      throw ruleFaults.malformed(`${path}: language: there is no grammar for ${name}`)
  }
}

type ParsedRule =
  | { readonly kind: 'content'; readonly file: RuleFile }
  | { readonly kind: 'change'; readonly file: ChangeFile }

const parseRule = (path: string, value: unknown): ParsedRule => {
  if (hasMember(value, 'changes')) return { kind: 'change', file: parseAs(ChangeFile, path, value) }
  if (hasMember(value, 'text')) return { kind: 'content', file: parseAs(TextRuleFile, path, value) }
  const file = parseAs(SyntaxRuleFile, path, value)
  checkLanguages(path, file)
  return { kind: 'content', file }
}

/** Parses the rules of one file: about syntax, about text or about changed files. */
export const parseRules = async (path: string, text: string): Promise<ParsedRule[]> =>
  (await readRuleDocuments(path, text)).map((value) => parseRule(path, value))
