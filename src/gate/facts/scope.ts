import type { GateStage } from '../../evidence/stage.ts'
import { gateFaults } from '../faults.ts'
import { EMPTY_TREE, type GitReader, type NamedCommit, type Scope } from '../ports.ts'

/** The scopes that commands and tools accept by name. */
export const SCOPES = ['staged', 'worktree', 'repository'] as const

/** Parses `A..B` or `A...B`: the commits of B since it branched off A. */
export const readRange = (text: string): Scope | undefined => {
  const [, from, to] = /^(.+?)\.{2,3}([^.].*)$/.exec(text) ?? []
  return from === undefined || to === undefined ? undefined : { kind: 'range', from, to }
}

/** What a build server says about the commits of a build, as object ids. */
export type BuildCommits =
  /** `fork`: the head is a branch of another repository. */
  | { readonly kind: 'merge'; readonly base: string; readonly head: string; readonly fork: boolean }
  | {
      readonly kind: 'push'
      /** Where the branch was before; undefined for a new branch. */
      readonly before: string | undefined
      readonly head: string
      readonly branch: string | undefined
      readonly defaultBranch: string | undefined
    }
  /** The name of the branch that the build will be merged into, and no ids. */
  | { readonly kind: 'target'; readonly branch: string; readonly fork: boolean }

/** One line that git passes to the hook pre-push. */
export interface PushedRef {
  readonly localRef: string
  /** Undefined for a ref that the push deletes. */
  readonly localId: string | undefined
  readonly remoteRef: string
  /** Undefined for a ref that the remote does not have. */
  readonly remoteId: string | undefined
}

const HEAD = 'HEAD'
const ORIGIN = 'origin'
const USUAL_BRANCHES = ['HEAD', 'main', 'master', 'develop']

const remoteBranch = (remote: string, branch: string): string => `refs/remotes/${remote}/${branch}`

/** The refs of the default branch of a remote, in the order they are tried. Full names, so that no tag is taken. */
const defaultBranches = (remote: string): string[] =>
  USUAL_BRANCHES.map((branch) => remoteBranch(remote, branch))

/** The default branch of a remote, as this clone knows it. */
export const resolveDefaultBranch = (git: GitReader, remote: string, signal: AbortSignal) =>
  git.resolve(defaultBranches(remote), signal)

const shortName = (name: string): string => name.replace(/^refs\/(heads|remotes)\//, '')

/** Commits are named by id, because a ref can move; reports show the names. */
const rangeScope = (from: NamedCommit, to: NamedCommit): Scope & { readonly kind: 'range' } => ({
  kind: 'range',
  from: from.hash,
  to: to.hash,
  label: `${shortName(from.name)}..${shortName(to.name)}`,
})

/** The base of a range that covers every file of a commit. */
const EMPTY_BASE: NamedCommit = { name: EMPTY_TREE, hash: EMPTY_TREE }

/**
 * The commits of a push, without its refs: since the upstream at the remote, or since its default branch. A local
 * branch is no base, because it can be moved to the commits that are to be judged.
 */
const upstreamScope = async (git: GitReader, remote: string, signal: AbortSignal): Promise<Scope> => {
  const [{ upstream }, head] = await Promise.all([git.state(signal), git.resolve([HEAD], signal)])
  if (head === undefined) return { kind: 'repository' }
  const tracked = upstream === null ? [] : [`refs/remotes/${upstream}`]
  const base = await git.resolve([...tracked, ...defaultBranches(remote)], signal)
  return rangeScope(base ?? EMPTY_BASE, head)
}

/** The base of a ref that is pushed: what the remote has of it, else the default branch of the remote. */
const pushBase = async (
  { git, remote }: { readonly git: GitReader; readonly remote: string },
  { remoteId }: PushedRef,
  head: NamedCommit,
  signal: AbortSignal,
): Promise<NamedCommit> => {
  const known = remoteId === undefined ? undefined : await git.resolve([remoteId], signal)
  // After a forced push the old commits are no base: they may contain what the default branch does not.
  if (known !== undefined && (await git.isAncestor(known.hash, head.hash, signal))) return known
  return (await resolveDefaultBranch(git, remote, signal)) ?? EMPTY_BASE
}

/** One scope for each ref of a push that sends commits. Tags are judged by the commit that they name. */
export const pushedRefScopes = async (
  ports: { readonly git: GitReader; readonly remote: string },
  refs: readonly PushedRef[],
  signal: AbortSignal,
): Promise<readonly Scope[]> => {
  const scopes = new Map<string, Scope>()
  for (const ref of refs) {
    if (ref.localId === undefined) continue
    const head = await ports.git.resolve([ref.localId], signal)
    if (head === undefined)
      throw gateFaults.push_invalid(
        `${ref.localRef} does not name a commit of this repository, so its files are unknown`,
      )
    const base = await pushBase(ports, ref, head, signal)
    const scope = rangeScope(base, { name: ref.localRef, hash: head.hash })
    scopes.set(`${base.hash}..${head.hash}`, scope)
  }
  return [...scopes.values()]
}

const FETCH_FIX =
  'Fetch the whole history: `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: 0` for GitLab, `git fetch --unshallow` elsewhere.'

const requireCommit = async (git: GitReader, id: string, signal: AbortSignal): Promise<NamedCommit> => {
  const found = await git.resolve([id], signal)
  if (found === undefined)
    throw gateFaults.base_missing(`the build names commit ${id}, which is not in this clone`, {
      fix: FETCH_FIX,
    })
  return found
}

/** A build of a push: since the commit that the branch was at before; for a new or replaced branch, since the default branch. */
const pushBuildScope = async (
  git: GitReader,
  { before, head: id, branch, defaultBranch }: BuildCommits & { readonly kind: 'push' },
  signal: AbortSignal,
): Promise<Scope> => {
  const head = await requireCommit(git, id, signal)
  const old = before === undefined ? undefined : await git.resolve([before], signal)
  if (before !== undefined && old === undefined && (await git.isShallow(signal)))
    await requireCommit(git, before, signal)
  if (old !== undefined && (await git.isAncestor(old.hash, head.hash, signal))) return rangeScope(old, head)
  // The default branch at the remote contains this push already, so it is no base.
  if (branch === defaultBranch)
    return old === undefined ? { kind: 'repository' } : { ...rangeScope(old, head), replaces: true }
  const base = defaultBranch && (await git.resolve([remoteBranch(ORIGIN, defaultBranch)], signal))
  return base ? rangeScope(base, head) : { kind: 'repository' }
}

/** Since a branch; all files when the branch has every commit already, because nothing says which ones are new. */
const sinceBranch = async (git: GitReader, base: NamedCommit, signal: AbortSignal): Promise<Scope> => {
  const head = await git.resolve([HEAD], signal)
  if (head === undefined || (await git.isAncestor(head.hash, base.hash, signal)))
    return { kind: 'repository' }
  return rangeScope(base, head)
}

/**
 * The commits of a build. Without an event, the default branch of the remote is the base, or in a clone without a remote
 * the local `main`: a build server makes its clone itself. Without any base, all files are judged.
 */
const buildScope = async (
  git: GitReader,
  build: BuildCommits | undefined,
  signal: AbortSignal,
): Promise<Scope> => {
  if (build?.kind === 'push') return pushBuildScope(git, build, signal)
  if (build?.kind === 'merge') {
    const [base, head] = [
      await requireCommit(git, build.base, signal),
      await requireCommit(git, build.head, signal),
    ]
    return rangeScope(base, head)
  }
  const names =
    build === undefined
      ? [...defaultBranches(ORIGIN), 'refs/heads/main']
      : [remoteBranch(ORIGIN, build.branch), `refs/heads/${build.branch}`]
  const base = await git.resolve(names, signal)
  if (base !== undefined) return sinceBranch(git, base, signal)
  if (build === undefined) return { kind: 'repository' }
  throw gateFaults.base_missing(`the target branch ${JSON.stringify(build.branch)} is not in this clone`, {
    fix: FETCH_FIX,
  })
}

export interface StageInput {
  readonly git: GitReader
  /** The commits of a CI build, if known. */
  readonly build: BuildCommits | undefined
  /** The remote that a push goes to. */
  readonly remote?: string | undefined
  /** Whether the hook of a commit asks: what is staged is then what is committed, be it nothing. */
  readonly ofCommit?: boolean
}

/** What is staged, or else the working tree: it is what would be staged. */
const commitScope = async (git: GitReader, signal: AbortSignal): Promise<Scope> =>
  (await git.state(signal)).staged > 0 ? { kind: 'staged' } : { kind: 'worktree' }

/** The default scope of a stage. */
export const stageScope = (
  stage: GateStage,
  { git, build, remote = ORIGIN, ofCommit = false }: StageInput,
  signal: AbortSignal,
): Scope | Promise<Scope> => {
  switch (stage) {
    case 'PRE_WRITE':
      return { kind: 'worktree' }
    case 'PRE_COMMIT':
      return ofCommit ? { kind: 'staged' } : commitScope(git, signal)
    case 'PRE_PUSH':
      return upstreamScope(git, remote, signal)
    case 'CI':
      return buildScope(git, build, signal)
  }
}

/** Whether a range contains no commit of its own. The variables of a hook can be set to such a range. */
export const isEmptyRange = async (git: GitReader, scope: Scope, signal: AbortSignal): Promise<boolean> => {
  if (scope.kind !== 'range') return false
  const [from, to] = await Promise.all([git.resolve([scope.from], signal), git.resolve([scope.to], signal)])
  return from !== undefined && to !== undefined && git.isAncestor(to.hash, from.hash, signal)
}
