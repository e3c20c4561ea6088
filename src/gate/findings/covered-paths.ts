import { extensionOf } from '../../kernel/text/languages.ts'
import type { CompiledRule } from '../ports.ts'
import { grammarFor } from '../rules/languages.ts'

/** Whether any rule applies to a path: other files are not read at all. */
export const coveredPaths = (rules: readonly CompiledRule[]): ((path: string) => boolean) => {
  const groups = new Map<CompiledRule['language'], Set<CompiledRule['covers']>>()
  for (const { language, covers } of rules)
    groups.set(language, (groups.get(language) ?? new Set()).add(covers))
  return (path) => {
    const extension = extensionOf(path)
    for (const [language, tests] of groups) {
      if (grammarFor(language, extension) === undefined) continue
      for (const covers of tests) if (covers(path)) return true
    }
    return false
  }
}
