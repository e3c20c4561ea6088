import type { ReceiptPlace } from '../../app/open/receipts/find-receipts.ts'
import { readRange, resolveDefaultBranch, stageScope } from '../../gate/facts/scope.ts'
import { EMPTY_TREE, type Scope } from '../../gate/ports.ts'
import { usageFaults } from '../command/command.ts'

/**
 * What a branch has and the default branch of `origin` has not: also what was pushed before, since CI asks for receipts
 * of it. For other branches and clones, what a push would send.
 */
const branchScope = async ({ git, signal }: ReceiptPlace): Promise<Scope> => {
  const [target, head] = await Promise.all([
    resolveDefaultBranch(git, 'origin', signal),
    git.resolve(['HEAD'], signal),
  ])
  const isBranch = target && head && !(await git.isAncestor(head.hash, target.hash, signal))
  return isBranch
    ? { kind: 'range', from: target.hash, to: head.hash }
    : stageScope('PRE_PUSH', { git, build: undefined }, signal)
}

/** The range that was named, or the commits of the branch. */
export const readScope = async (place: ReceiptPlace, text: string | undefined): Promise<Scope> => {
  if (text === undefined) return branchScope(place)
  const range = readRange(text)
  if (range === undefined)
    throw usageFaults.argument('the range must be two commits, such as origin/main..HEAD')
  return range
}

/** The commits of the scope, by id. Where the stage judges all files, those of all history. */
export const readEnds = async ({ git, signal }: ReceiptPlace, scope: Scope) => {
  const ends = scope.kind === 'range' ? scope : { from: EMPTY_TREE, to: 'HEAD' }
  const head = await git.resolve([ends.to], signal)
  if (head === undefined) throw usageFaults.argument(`there is no commit ${ends.to}`)
  const base = ends.from === EMPTY_TREE ? undefined : await git.resolve([ends.from], signal)
  if (base === undefined && ends.from !== EMPTY_TREE)
    throw usageFaults.argument(`there is no commit ${ends.from}`)
  return { base: base?.hash, head: head.hash }
}
