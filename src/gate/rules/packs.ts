import * as z from 'zod'
import { digestJson } from '../../kernel/encoding/hash.ts'
import { parseAs, parseRules, RULE_LIMITS } from './parse-rule.ts'
import { ChangeFile, RuleAlias, type RuleFile, SyntaxRuleFile, TextRuleFile } from './rule.ts'
import { ruleFaults } from './rule-faults.ts'

/** A set of rules with one version. The digest does not depend on the order of the files. */
export const Pack = z.strictObject({
  name: z.string(),
  version: z.string(),
  digest: z.string(),
  rules: z.array(z.union([SyntaxRuleFile, TextRuleFile])),
  changes: z.array(ChangeFile),
  /** Where only some rules of the pack were loaded: the platforms of all of them, in the default profile. */
  platforms: z.array(z.array(z.string())).optional(),
})
export interface Pack extends z.infer<typeof Pack> {}

/** The shipped rules: every pack, the aliases, and what the build computes from them. */
export const ShippedRules = z.strictObject({
  packs: z.array(Pack),
  aliases: z.array(RuleAlias),
  /** By rule and language: literals without which the rule cannot match. */
  literals: z.record(z.string(), z.record(z.string(), z.array(z.array(z.string())))),
})
export type ShippedRules = z.infer<typeof ShippedRules>

export interface RuleSource {
  readonly path: string
  readonly text: string
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : a.id > b.id ? 1 : 0

/** Reads the rule files of one folder into a pack, with the path of each rule. `*.test.yml` files are not rules. */
export const readPackFiles = async (
  name: string,
  version: string,
  sources: readonly RuleSource[],
): Promise<{ readonly pack: Pack; readonly paths: ReadonlyMap<string, string> }> => {
  const files = sources.filter(({ path }) => /\.ya?ml$/.test(path) && !/\.test\.ya?ml$/.test(path))
  const rules: RuleFile[] = []
  const changes: ChangeFile[] = []
  const pathById = new Map<string, string>()
  for (const { path, text } of files) {
    for (const { kind, file } of await parseRules(path, text)) {
      const other = pathById.get(file.id)
      if (other !== undefined) throw ruleFaults.duplicate(`${path}: ${file.id} is also in ${other}`)
      if (pathById.size >= RULE_LIMITS.rules)
        throw ruleFaults.too_large(`${name} has more than ${RULE_LIMITS.rules} rules`)
      pathById.set(file.id, path)
      if (kind === 'content') rules.push(file)
      else changes.push(file)
    }
  }
  const content = { rules: rules.sort(byId), changes: changes.sort(byId) }
  return { pack: { name, version, digest: digestJson(content), ...content }, paths: pathById }
}

export const readPack = async (...args: Parameters<typeof readPackFiles>): Promise<Pack> =>
  (await readPackFiles(...args)).pack

export const readAliases = (path: string, value: unknown): RuleAlias[] =>
  parseAs(z.array(RuleAlias).max(RULE_LIMITS.rules), path, value).sort(byId)
