import type { GateStage } from '../../evidence/stage.ts'
import { optional } from '../../kernel/optional.ts'
import {
  type GatePolicy,
  HARD_MODE_FILE,
  isAtLeast,
  type PolicySources,
  resolvePolicy,
  SKILLS_FILE,
} from '../policy.ts'
import { type PolicyFiles, thresholdSources } from '../policy-files.ts'
import type { PolicyLine } from './explanation.ts'
import { jsonMemberLine } from './member-line.ts'

/** One version of the files that decide how a change is judged. */
export interface PolicyVersion {
  /** Undefined for the judged version. */
  readonly commit: string | undefined
  readonly files: PolicyFiles
}

export type PolicyVariables = Pick<PolicySources, 'hardMode' | 'hardProfile'>

const policyOf = ({ files }: PolicyVersion, stage: GateStage, variables: PolicyVariables): GatePolicy =>
  resolvePolicy(stage, { ...thresholdSources(files), ...variables })

const shortId = (commit: string): string => commit.slice(0, 12)

/** The place in a file: `file:line member`, with the commit whose version it is. */
export const lineInFile = (
  file: string,
  effect: string,
  place: {
    readonly line?: number | undefined
    readonly member?: string | undefined
    readonly commit?: string | undefined
  },
): PolicyLine => {
  const { line, member, commit } = place
  const at = commit === undefined ? '' : ` at ${shortId(commit)}`
  return {
    where: `${file}${line === undefined ? '' : `:${line}`}${member === undefined ? '' : ` ${member}`}${at}`,
    file,
    ...optional({ line, commit }),
    effect,
  }
}

/** What sets the threshold in a version: hard mode before `skills.policy.json` before the default. */
const thresholdPlace = (
  { files, commit }: PolicyVersion,
  { trace, resolved_stage: stage }: GatePolicy,
  variables: PolicyVariables,
  effect: string,
): PolicyLine => {
  switch (trace.source) {
    case 'hard-mode': {
      if (variables.hardMode?.trim())
        return { where: 'variable PUMUKI_HARD_MODE', effect: `hard mode: ${effect}` }
      const line = jsonMemberLine(files.get(HARD_MODE_FILE) ?? '', ['enabled'])
      return lineInFile(HARD_MODE_FILE, `hard mode: ${effect}`, { line, member: 'enabled', commit })
    }
    case 'skills.policy': {
      const path = ['stages', stage, 'blockOnOrAbove']
      const line = jsonMemberLine(files.get(SKILLS_FILE) ?? '', path)
      return lineInFile(SKILLS_FILE, effect, { line, member: path.join('.'), commit })
    }
    case 'default':
      return { where: `built-in default of ${stage}`, effect }
  }
}

/** The line that sets the threshold, and the lines of versions that say something else. */
export const thresholdLines = (
  policy: GatePolicy,
  versions: readonly PolicyVersion[],
  variables: PolicyVariables,
): PolicyLine[] => {
  const { stage, block_on_or_above: block } = policy
  const all = versions.map((version) => ({ version, own: policyOf(version, stage, variables) }))
  const deciding = all.find(({ own }) => own.block_on_or_above === block)
  if (deciding === undefined) return []
  const [present] = all
  const weaker =
    present !== undefined && !isAtLeast(block, present.own.block_on_or_above)
      ? `; the changed policy says ${present.own.block_on_or_above}, and the stricter version applies`
      : ''
  const effect = `${stage} blocks at ${block}${block === 'CRITICAL' ? '' : ' and above'}${weaker}`
  return [thresholdPlace(deciding.version, deciding.own, variables, effect)]
}
