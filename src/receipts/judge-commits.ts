import type { PolicyDigests } from './statement.ts'
import { detailsOf, type VerifiedReceipt } from './verify-receipt.ts'

/** Whether the commits of a range were judged, as far as receipts show it. */

/** A commit, as the check needs it. */
export interface CheckedCommit {
  readonly id: string
  readonly tree: string
  readonly parents: readonly string[]
  /** When it was committed, in milliseconds since the epoch. */
  readonly committed: number
  /** The first line of its message. */
  readonly subject?: string
}

const RECEIPT_PROBLEMS = ['missing', 'foreign', 'failed', 'policy', 'expired'] as const
export type ReceiptProblem = (typeof RECEIPT_PROBLEMS)[number]

export type CommitResult =
  | { readonly commit: CheckedCommit; readonly receipts: readonly VerifiedReceipt[] }
  | { readonly commit: CheckedCommit; readonly problem: ReceiptProblem; readonly why: string }

export interface CommitEvidence {
  /** Verified receipts of a tree. */
  readonly receiptsOf: (tree: string) => Promise<readonly VerifiedReceipt[]>
  /** The policy files of a commit; undefined when it is not in this clone. */
  readonly policiesOf: (commit: string) => Promise<PolicyDigests | undefined>
  /** The tree of a commit outside of the range; undefined when it is not in this clone. */
  readonly treeOf: (commit: string) => Promise<string | undefined>
  /** Whether all commits of `ancestor` are in `commit`. */
  readonly isAncestor: (ancestor: string, commit: string) => Promise<boolean>
}

/** Of more commits that a history starts from, none counts as a merge base. */
const MAX_COMPARED = 20

/** Receipts of an amended commit lead from tree to tree; more steps than this are not followed. */
const MAX_STEPS = 100

/** Findings about receipts; what the commits contain was not what a run with no others blocked. */
const ABOUT_RECEIPTS = 'gate.receipt-'

interface Refusal {
  readonly problem: ReceiptProblem
  readonly why: string
}

const samePolicies = (one: PolicyDigests, other: PolicyDigests): boolean =>
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort())

/** Why a receipt does not show that a commit was allowed, whatever it was compared with. */
const refuseReceipt = (one: VerifiedReceipt, { committed }: CheckedCommit): Refusal | undefined => {
  const { receipt, trust, why = '' } = one
  if (receipt === undefined || trust !== 'trusted') return { problem: 'foreign', why }
  const {
    stage,
    kind,
    expires,
    reasons,
    policy_from: tried,
    relaxed_by: relaxed,
    partial,
  } = detailsOf(receipt)
  if (kind !== 'run' || stage === 'PRE_WRITE')
    return { problem: 'missing', why: 'the receipt of its tree is not of a commit, a push or CI' }
  if (receipt.predicate.verificationResult !== 'PASSED')
    return reasons.length > 0 && reasons.every((id) => id.startsWith(ABOUT_RECEIPTS))
      ? { problem: 'missing', why: 'the gate blocked it for the receipts of its commits alone' }
      : { problem: 'failed', why: 'the gate blocked it' }
  if (partial !== undefined) return { problem: 'missing', why: `its receipt is partial: ${partial}` }
  if (tried !== undefined)
    return { problem: 'policy', why: 'it was judged by the policy of the working tree alone' }
  if (relaxed !== undefined)
    return { problem: 'policy', why: `it was judged while ${relaxed.join(' and ')} relaxed the policy` }
  if (committed > Date.parse(expires)) return { problem: 'expired', why: `its receipt expired on ${expires}` }
  return undefined
}

/** The refusal that got furthest: what is left to repair. */
const worse = (refusals: readonly Refusal[]): Refusal =>
  refusals.toSorted(
    (a, b) => RECEIPT_PROBLEMS.indexOf(b.problem) - RECEIPT_PROBLEMS.indexOf(a.problem),
  )[0] ?? {
    problem: 'missing',
    why: 'no receipt names its tree',
  }

/** Judges the commits of a range, oldest first, each by the receipts of its tree. */
export class CommitJudge {
  readonly #evidence: CommitEvidence
  readonly #commits: ReadonlyMap<string, CheckedCommit>
  /** For each commit of the range, the commits outside of it that its history starts from. */
  readonly #starts = new Map<string, ReadonlySet<string>>()
  readonly #bases = new Map<ReadonlySet<string>, Promise<readonly string[]>>()

  constructor(commits: readonly CheckedCommit[], evidence: CommitEvidence) {
    this.#evidence = evidence
    this.#commits = new Map(commits.map((one) => [one.id, one]))
    for (const { id, parents } of commits) {
      const all = parents.map((one) => this.#starts.get(one) ?? new Set([one]))
      this.#starts.set(id, all.length === 1 && all[0] ? all[0] : new Set(all.flatMap((one) => [...one])))
    }
  }

  /** Of the commits that a history starts from, those that no other one contains: its merge bases with the target. */
  async #mergeBases(starts: ReadonlySet<string>): Promise<readonly string[]> {
    const newest: string[] = []
    for (const one of starts.size > MAX_COMPARED ? [] : starts) {
      const others = [...starts].filter((other) => other !== one)
      const older = await Promise.all(others.map((other) => this.#evidence.isAncestor(one, other)))
      if (!older.includes(true)) newest.push(one)
    }
    return newest
  }

  async #treesOf(commits: Iterable<string>): Promise<ReadonlySet<string | undefined>> {
    const trees = new Set<string | undefined>()
    for (const id of commits) trees.add(this.#commits.get(id)?.tree ?? (await this.#evidence.treeOf(id)))
    return trees
  }

  /**
   * The commits that receipts may lead back to: the merge bases, and those of the range before this one that have all
   * of these. In a merge others may be behind the target, and what has come since would be gone without a verdict.
   */
  async #commitsBefore(
    { parents }: CheckedCommit,
    starts: ReadonlySet<string>,
  ): Promise<ReadonlySet<string>> {
    const asked = this.#bases.get(starts) ?? this.#mergeBases(starts)
    this.#bases.set(starts, asked)
    const bases = await asked
    const inside = new Set(parents)
    for (const id of inside) for (const one of this.#commits.get(id)?.parents ?? []) inside.add(one)
    const isUpToDate = (id: string) => bases.every((base) => this.#starts.get(id)?.has(base) ?? false)
    return new Set([...bases, ...[...inside].filter((id) => this.#commits.has(id) && isUpToDate(id))])
  }

  /** The policy files must be those that the receipt names, so that a laxer policy does not count. */
  async #refusePolicy(one: VerifiedReceipt, commit: CheckedCommit): Promise<Refusal | undefined> {
    const policies = one.receipt && detailsOf(one.receipt).policies
    const present = await this.#evidence.policiesOf(commit.id)
    if (policies === undefined || present === undefined || samePolicies(policies.head, present))
      return undefined
    return { problem: 'policy', why: 'it was judged by other policy files than it has' }
  }

  /**
   * Follows receipts backwards from the tree of the commit to a tree that was there before it. Each step was judged, so
   * all that the commit changed was. A receipt about no change leads nowhere; one about all files needs no other.
   */
  async judge(commit: CheckedCommit): Promise<CommitResult> {
    const starts = this.#starts.get(commit.id) ?? new Set()
    const before = await this.#commitsBefore(commit, starts)
    const trees = await this.#treesOf(before)
    // A merge is judged against one of its parents.
    const parents = await this.#treesOf(commit.parents.filter((id) => this.#commits.has(id)))
    const refusals: Refusal[] = []
    const from = new Map<string, readonly VerifiedReceipt[]>([[commit.tree, []]])
    for (const [tree, path] of from) {
      if (path.length >= MAX_STEPS || from.size > MAX_STEPS) break
      // An empty commit changes nothing; the root commit has nothing before it.
      if (trees.has(tree) || (path.length > 0 && parents.has(tree))) return { commit, receipts: path }
      for (const one of await this.#evidence.receiptsOf(tree)) {
        const refusal = refuseReceipt(one, commit) ?? (await this.#refusePolicy(one, commit))
        if (refusal !== undefined) {
          if (tree === commit.tree) refusals.push(refusal)
          continue
        }
        const details = one.receipt && detailsOf(one.receipt)
        const { scope, base } = details ?? {}
        const isOfAll = scope === 'git:repository' && (base === commit.id || before.has(base ?? ''))
        if (isOfAll || (base === undefined && starts.size === 0)) return { commit, receipts: [...path, one] }
        if (details?.base_tree !== undefined && !from.has(details.base_tree))
          from.set(details.base_tree, [...path, one])
      }
    }
    if (refusals.length === 0 && from.size > 1)
      return { commit, problem: 'missing', why: 'its receipts do not cover the whole change' }
    return { commit, ...worse(refusals) }
  }
}
