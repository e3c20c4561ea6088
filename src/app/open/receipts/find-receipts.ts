import { resolve } from 'node:path'
import {
  ignoreUnusable,
  POLICY_PATHS,
  policyDigests,
  readCommitKeys,
  readPolicyFile,
  readPolicyFiles,
} from '../../../gate/policy-files.ts'
import type { GitReader } from '../../../gate/ports.ts'
import { readReceipts } from '../../../platform/files/receipt-files.ts'
import { listWorktreeRoots, repositoryFiles } from '../../../platform/git/worktree.ts'
import { type CheckedCommit, CommitJudge, type CommitResult } from '../../../receipts/judge-commits.ts'
import { type ListedKey, parseKeys } from '../../../receipts/keys-file.ts'
import { KEYS_FILE } from '../../../receipts/keys-path.ts'
import { type PlaceLine, readPlaceProof, verifyPlace } from '../../../receipts/receipt-place.ts'
import type { PolicyDigests } from '../../../receipts/statement.ts'
import { detailsOf, type VerifiedReceipt, verifyReceipt } from '../../../receipts/verify-receipt.ts'
import type { Config } from '../../config/settings.ts'
import { openNotes } from './open-notes.ts'
import { readOwnKey } from './signing-key.ts'
import { hashOf } from './witness.ts'

/** A repository whose receipts are looked up. */
export interface ReceiptPlace {
  readonly root: string
  readonly config: Config
  readonly git: GitReader
  readonly signal: AbortSignal
}

/** The name of the notes that hold receipts. */
export const RECEIPT_NOTES = 'warrant'

/** The keys of the base; where it has none those of the last commit, and then those of the working tree. */
export const readTrustedKeys = async (
  { root, git, signal }: ReceiptPlace,
  base?: string,
): Promise<readonly ListedKey[]> =>
  parseKeys(
    (await readCommitKeys(git, base, signal)) ??
      (await readCommitKeys(git, 'HEAD', signal)) ??
      (await readPolicyFile(repositoryFiles(root), KEYS_FILE)),
  )

/** Finds receipts by tree: in the state folders of all working trees, and in the notes of this clone and its remotes. */
export class ReceiptFinder {
  readonly #place: ReceiptPlace
  readonly #listed: readonly ListedKey[]
  readonly #found = new Map<string, Promise<readonly VerifiedReceipt[]>>()
  readonly #notes: ReturnType<typeof openNotes>
  readonly #folders: Promise<readonly string[]>
  readonly #own = readOwnKey().catch(() => undefined)

  constructor(place: ReceiptPlace, listed: readonly ListedKey[]) {
    this.#place = place
    this.#listed = listed
    const { root, config, signal } = place
    this.#notes = openNotes(place)
    const start = { folder: root, environment: process.env, gitFolders: config.gitFolders }
    this.#folders = listWorktreeRoots(start, signal).then((roots) => [
      ...new Set([root, ...roots].map((folder) => resolve(folder, config.stateDir))),
    ])
    this.#folders.catch(() => {})
  }

  async hasAny(): Promise<boolean> {
    const kept = (await this.#folders).map((folder) => repositoryFiles(folder).exists('receipts'))
    return (await Promise.all(kept)).includes(true) || this.#notes.has(RECEIPT_NOTES, this.#place.signal)
  }

  /** Reads the receipts of many trees at once, which costs as many processes as for one. */
  async load(trees: readonly string[]): Promise<void> {
    const wanted = [...new Set(trees)].filter((tree) => !this.#found.has(tree))
    if (wanted.length === 0) return
    const { signal } = this.#place
    const [notes, own, folders] = await Promise.all([
      this.#notes.read(RECEIPT_NOTES, wanted, signal),
      this.#own,
      this.#folders,
    ])
    for (const tree of wanted) {
      const kept = Promise.all(folders.map((folder) => readReceipts(folder, tree)))
      const noted = notes.notes.get(tree) ?? []
      const proofs = noted.flatMap((line) => readPlaceProof(line) ?? [])
      const verified = kept.then((lines) => {
        const found = [...new Set([...lines.flat(), ...noted])]
          .map((line) => verifyReceipt(line, { listed: this.#listed, own }))
          // A line that was put into the note of another tree says nothing about this one.
          .filter(({ receipt }) => receipt?.subject[0]?.digest.gitTree === tree)
          .map((one) => this.#withPlace(one, proofs))
        return Promise.all(found.map((one) => this.#confirm(one, tree)))
      })
      verified.catch(() => {})
      this.#found.set(tree, verified)
    }
  }

  /** The receipt with its place in its log, if one of the lines proves it. */
  #withPlace(one: VerifiedReceipt, proofs: readonly PlaceLine[]): VerifiedReceipt {
    const keys = this.#listed.map(({ key }) => key.text)
    const own = proofs.filter(({ receipt }) => receipt === one.digest)
    const [place] = own.flatMap((proof) => verifyPlace(one, proof, keys) ?? [])
    return place === undefined ? one : { ...one, place }
  }

  /** A receipt of a key that was revoked later is trusted if a witness shows that it is older. */
  async #confirm(one: VerifiedReceipt, tree: string): Promise<VerifiedReceipt> {
    const { place, revokedLater, why: _, ...rest } = one
    if (place === undefined || revokedLater === undefined) return one
    const keys = this.#listed.map(({ key }) => key.text)
    const context = { notes: this.#notes, keys, format: hashOf(tree), signal: this.#place.signal }
    const seen = { listed: this.#listed, before: Date.parse(revokedLater) }
    const { wasWitnessedBefore } = await import('./witnessed-before.ts')
    return (await wasWitnessedBefore(context, place, seen)) ? { ...rest, place, trust: 'trusted' } : one
  }

  async of(tree: string): Promise<readonly VerifiedReceipt[]> {
    await this.load([tree])
    return (await this.#found.get(tree)) ?? []
  }

  judge(commits: readonly CheckedCommit[], counts = (_: VerifiedReceipt) => true): CommitJudge {
    const { git, signal } = this.#place
    return new CommitJudge(commits, {
      receiptsOf: async (tree) => (await this.of(tree)).filter(counts),
      policiesOf: (commit) => policiesOf(this.#place, commit),
      treeOf: async (commit) => (await git.filesAt(commit, { files: [], folders: [] }, signal))?.tree,
      isAncestor: (ancestor, commit) => git.isAncestor(ancestor, commit, signal),
    })
  }
}

/** The developers, by the keys that `target` lists, whose receipts say that `head` passed. */
export const listDevelopers = async (
  place: ReceiptPlace,
  { head, target }: { readonly head?: string | undefined; readonly target?: string | undefined },
): Promise<ReadonlySet<string>> => {
  const { git, signal } = place
  const listed = await parseKeys(await readCommitKeys(git, target, signal))
  const { tree } = (head && (await git.filesAt(head, { files: [], folders: [] }, signal))) || {}
  const found = tree === undefined ? [] : await new ReceiptFinder(place, listed).of(tree)
  const passed = found.filter(
    ({ trust, role, receipt }) =>
      trust === 'trusted' &&
      role === 'developer' &&
      receipt?.predicate.verificationResult === 'PASSED' &&
      detailsOf(receipt).partial === undefined,
  )
  return new Set(passed.flatMap(({ owner }) => owner ?? []))
}

/** The policy files of a commit, as receipts name them. */
const policiesOf = async (
  { git, signal }: ReceiptPlace,
  commit: string,
): Promise<PolicyDigests | undefined> => {
  const files = await git.filesAt(commit, POLICY_PATHS, signal)
  return files && policyDigests(await readPolicyFiles(ignoreUnusable(files)))
}

/** Judges every commit that `head` has and `base` has not by its receipts. */
export const checkCommits = async (
  place: ReceiptPlace,
  { base, head }: { readonly base: string | undefined; readonly head: string },
  listed: readonly ListedKey[],
): Promise<readonly CommitResult[]> => {
  const { git, signal } = place
  const commits = await git.commits({ from: base === undefined ? [] : [base], to: [head] }, signal)
  const finder = new ReceiptFinder(place, listed)
  await finder.load(commits.map(({ tree }) => tree))
  const judge = finder.judge(commits)
  const results: CommitResult[] = []
  for (const commit of commits) results.push(await judge.judge(commit))
  return results
}
