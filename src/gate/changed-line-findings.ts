import type { GateStage } from '../evidence/stage.ts'
import { readChangedLines } from './facts/changed-lines.ts'
import type { FindingDraft } from './findings/collect.ts'
import { familiesOnUnchangedLines, filesJudgedByLine } from './findings/known.ts'
import type { ChangeSet } from './ports.ts'
import type { RuleSet } from './rules/assemble-rules.ts'

/** Whether findings count on changed lines only: while one works and before a commit, unless an option says otherwise. */
export const judgesByLine = (
  { stage, changedLines }: { readonly stage: GateStage; readonly changedLines?: boolean | undefined },
  { source }: ChangeSet,
): boolean =>
  source !== 'git:repository' &&
  (changedLines ?? ((stage === 'PRE_WRITE' || stage === 'PRE_COMMIT') && !source.startsWith('git:range')))

export const findUnchanged = async (
  set: ChangeSet,
  drafts: readonly FindingDraft[],
  { byId }: Pick<RuleSet, 'byId'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const files = filesJudgedByLine(drafts, byId)
  return familiesOnUnchangedLines(drafts, byId, await readChangedLines(set, files, signal))
}
