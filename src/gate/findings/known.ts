import { pushTo } from '../../kernel/multimap.ts'
import { readChangedLines } from '../facts/changed-lines.ts'
import { isAtLeast } from '../policy.ts'
import type { ChangeSet } from '../ports.ts'
import type { FindingDraft } from './drafts.ts'
import { foldSpace } from './fingerprint.ts'

type IsChanged = (draft: FindingDraft) => boolean

const keyOf = ({ ruleId, file, identity = '' }: FindingDraft): string =>
  JSON.stringify([ruleId, file, foldSpace(identity)])

/** Findings that the base can have had: not those about the change itself, nor those that a comment suppresses. */
const isComparable = ({ identity, suppressed }: FindingDraft): boolean =>
  identity !== undefined && suppressed === undefined

const groupByKey = (drafts: readonly FindingDraft[]): Map<string, FindingDraft[]> => {
  const groups = new Map<string, FindingDraft[]>()
  for (const draft of drafts) if (isComparable(draft)) pushTo(groups, keyOf(draft), draft)
  return groups
}

/** Takes a finding of the base away for each finding that is the same; returns those that have none. */
const takeSame = (
  drafts: readonly FindingDraft[],
  before: FindingDraft[],
  isSame: (draft: FindingDraft, old: FindingDraft) => boolean,
): readonly FindingDraft[] =>
  drafts.filter((draft) => {
    const at = before.findIndex((old) => isAtLeast(old.severity, draft.severity) && isSame(draft, old))
    if (at >= 0) before.splice(at, 1)
    return at < 0
  })

const isWithinSame = (draft: FindingDraft, old: FindingDraft): boolean => draft.within === old.within

/**
 * Which of the findings with one rule, file and text are new. A finding of the base stands for one finding: on a line
 * that the change leaves alone, whatever the declaration around it is called now, or in the same declaration.
 */
const newInGroup = (
  drafts: readonly FindingDraft[],
  before: readonly FindingDraft[],
  isChanged: IsChanged,
): readonly FindingDraft[] => {
  const left = [...before]
  const untouched = drafts.filter((one) => !isChanged(one))
  const rest = takeSame(takeSame(untouched, left, isWithinSame), left, () => true)
  return takeSame([...rest, ...drafts.filter(isChanged)], left, isWithinSame)
}

/**
 * The findings that the base has: the same rule reports the same text, at the same severity or a higher one. `before`
 * are the findings of the base, under the present paths.
 */
export const findKnown = async (
  drafts: readonly FindingDraft[],
  before: readonly FindingDraft[],
  set: Pick<ChangeSet, 'changes' | 'links' | 'read' | 'readBefore'>,
  signal: AbortSignal,
): Promise<ReadonlySet<FindingDraft>> => {
  const old = groupByKey(before)
  const known = new Set<FindingDraft>()
  const unclear: { readonly group: readonly FindingDraft[]; readonly pool: readonly FindingDraft[] }[] = []
  for (const [key, group] of groupByKey(drafts)) {
    const pool = old.get(key)
    if (pool === undefined) continue
    // Most often each has its own; only otherwise do the changed lines tell which one is new.
    if (takeSame(group, [...pool], isWithinSame).length > 0) unclear.push({ group, pool })
    else for (const draft of group) known.add(draft)
  }
  if (unclear.length === 0) return known
  const files = unclear.flatMap(({ group }) => group.map(({ file }) => file))
  const isLineChanged = await readChangedLines(set, files, signal)
  const isChanged: IsChanged = ({ file, region }) => region === undefined || isLineChanged(file, region, 0)
  for (const { group, pool } of unclear) {
    const added = new Set(newInGroup(group, pool, isChanged))
    for (const draft of group) if (!added.has(draft)) known.add(draft)
  }
  return known
}
