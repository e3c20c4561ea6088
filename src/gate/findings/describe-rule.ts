import type { CompiledRule } from '../rules/compiled-rule.ts'

/** What a finding says about its rule. */
export const describeRule = ({ id, code, aliases, why, fix, category, cwe }: CompiledRule) => ({
  ruleId: id,
  code,
  ...(aliases !== undefined && { aliases }),
  ...(why !== undefined && { why }),
  ...(fix !== undefined && { fix }),
  ...(category !== undefined && { category }),
  ...(cwe !== undefined && { cwe }),
  matchedBy: id.startsWith('heuristics.') ? 'Heuristic' : 'FileContent',
})
