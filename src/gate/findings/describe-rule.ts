import type { GateStage } from '../../evidence/stage.ts'
import { isAtLeast, stageSeverity } from '../policy.ts'
import type { CompiledRule } from '../rules/compiled-rule.ts'
import { pathUse } from '../rules/path-kinds.ts'

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

const LOWERED_USES = {
  tests: ['support'],
  documents: ['support', 'document'],
  development: ['support', 'document', 'development'],
} as const
const LOWERED = 'By its path the file is not deployed, so this does not block.'

/** Whether a finding of the rule is a WARN in a file, by what its path says that it is for. */
const isLoweredAt = ({ lowered, severity }: CompiledRule, path: string): boolean => {
  if (lowered === undefined || !isAtLeast(severity, 'ERROR')) return false
  const use = pathUse(path)
  return LOWERED_USES[lowered].some((one) => one === use)
}

/** The severity of a match of the rule in a file, and its message, which says where a path lowered it. */
export const weighMatch = (rule: CompiledRule, message: string, path: string, stage: GateStage) =>
  isLoweredAt(rule, path)
    ? { severity: 'WARN' as const, message: `${message} ${LOWERED}` }
    : { severity: stageSeverity(rule, stage), message }
