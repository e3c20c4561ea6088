import { extensionOf } from '../../kernel/text/languages.ts'
import type { CompiledRule } from '../rules/compiled-rule.ts'
import { readsExtension } from '../rules/languages.ts'

type PathTest = (path: string) => boolean

/** Which paths rules apply to: other files are not read at all. */
export interface CoveredPaths {
  /** Whether a rule about syntax applies. */
  readonly bySyntax: PathTest
  /** Whether a rule applies that is not about every text. */
  readonly byKind: PathTest
  readonly byAny: PathTest
}

const coverage = (rules: readonly CompiledRule[]): PathTest => {
  const groups = new Map<CompiledRule['language'], Set<CompiledRule['covers']>>()
  for (const { language, covers } of rules)
    groups.set(language, (groups.get(language) ?? new Set()).add(covers))
  return (path) => {
    const extension = extensionOf(path)
    for (const [language, tests] of groups) {
      if (!readsExtension(language, extension)) continue
      for (const covers of tests) if (covers(path)) return true
    }
    return false
  }
}

export const coveredPaths = (rules: readonly CompiledRule[]): CoveredPaths => {
  const bySyntax = coverage(rules.filter(({ text }) => text === undefined))
  const byName = coverage(rules.filter((rule) => rule.text !== undefined && !rule.everyFile))
  const everywhere = coverage(rules.filter((rule) => rule.text !== undefined && rule.everyFile))
  const byKind: PathTest = (path) => bySyntax(path) || byName(path)
  return { bySyntax, byKind, byAny: (path) => everywhere(path) || byKind(path) }
}
