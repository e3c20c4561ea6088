import { ReceiptFinder, type ReceiptPlace, readTrustedKeys } from '../../app/open/receipts/find-receipts.ts'
import { withLoggedReceipts } from '../../app/open/receipts/log-receipts.ts'
import { readOwnKey } from '../../app/open/receipts/signing-key.ts'
import { openRepositoryForCommand } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import { readRange, resolveDefaultBranch, stageScope } from '../../gate/facts/scope.ts'
import { EMPTY_TREE, type Scope } from '../../gate/ports.ts'
import { receiptFaults } from '../../receipts/faults.ts'
import { type VerifiedReceipt, verifyReceipt } from '../../receipts/verify-receipt.ts'
import { type Invocation, usageFaults } from '../command/command.ts'

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

export const openPlace = async (invocation: Invocation): Promise<ReceiptPlace> => {
  const { config } = loadSettings(invocation)
  const { root, git, signal } = await openRepositoryForCommand(config)
  return { root, config, git, signal }
}

export const DIGEST = /^sha256:[0-9a-f]{64}$/

export const knownKeys = async (place: ReceiptPlace) => {
  const [listed, own] = await Promise.all([readTrustedKeys(place), readOwnKey().catch(() => undefined)])
  return { listed, own }
}

/** The receipts that an argument names: a digest, a commit, a tree; without one, those of the last commit. */
export const findNamed = async (place: ReceiptPlace, name = 'HEAD'): Promise<readonly VerifiedReceipt[]> => {
  const { root, config, git, signal } = place
  const keys = await knownKeys(place)
  if (DIGEST.test(name)) {
    const line = await withLoggedReceipts(config, root, async (receipts) => {
      for await (const one of receipts) if (one.digest === name) return one.envelope
      return undefined
    })
    if (line === undefined) throw receiptFaults.unknown(`the log of this machine has no receipt ${name}`)
    return [verifyReceipt(line, keys)]
  }
  const finder = new ReceiptFinder(place, keys.listed)
  const commit = await git.resolve([name], signal)
  const tree = commit ? (await git.filesAt(commit.hash, { files: [], folders: [] }, signal))?.tree : name
  const found = /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(tree ?? '') ? await finder.of(tree ?? '') : []
  if (found.length === 0)
    throw receiptFaults.unknown(`no receipt names ${commit ? `the tree of ${name}` : name}`)
  return found
}
