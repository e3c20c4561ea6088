import type * as z from 'zod'
import { readYaml, YamlError } from '../../kernel/text/safe-yaml.ts'
import { findLanguage } from './languages.ts'
import { ChangeFile, RuleFile } from './rule.ts'
import { ruleFaults } from './rule-faults.ts'

/** Limits for rule files: they come from repositories, so they are untrusted input. */
export const RULE_LIMITS = { bytes: 64 * 1024, depth: 40, nodes: 5_000, aliases: 50, rules: 500 } as const

const FAULTS = { syntax: 'unreadable', limit: 'too_large', key: 'malformed' } as const

/** Parses one YAML document within the limits. Faults name the file. */
export const readRuleYaml = async (path: string, text: string): Promise<unknown> => {
  if (Buffer.byteLength(text) > RULE_LIMITS.bytes) {
    throw ruleFaults.too_large(`${path}: longer than ${RULE_LIMITS.bytes} bytes`)
  }
  const yaml = await import('yaml')
  try {
    return readYaml(yaml, text, { ...RULE_LIMITS, rejectWarnings: true })
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause
    throw ruleFaults[FAULTS[cause.problem]](`${path}: ${cause.message}`, { cause })
  }
}

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

const isChange = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'changes')

const checkLanguages = (path: string, { language, metadata }: RuleFile): void => {
  for (const name of [language, ...(metadata?.languages ?? [])]) {
    if (findLanguage(name) === undefined)
      throw ruleFaults.malformed(`${path}: language: there is no grammar for ${name}`)
  }
}

type ParsedRule =
  | { readonly kind: 'syntax'; readonly file: RuleFile }
  | { readonly kind: 'change'; readonly file: ChangeFile }

/** Parses one rule file, about syntax or about changed files. */
export const parseRule = async (path: string, text: string): Promise<ParsedRule> => {
  const value = await readRuleYaml(path, text)
  if (isChange(value)) return { kind: 'change', file: parseAs(ChangeFile, path, value) }
  const file = parseAs(RuleFile, path, value)
  checkLanguages(path, file)
  return { kind: 'syntax', file }
}
