import { gateFaults } from '../faults.ts'
import type { GitReader, Scope } from '../ports.ts'
import type { GateStage } from '../stage.ts'

/** The scopes that commands and tools accept by name. */
export const SCOPES = ['staged', 'worktree', 'repository'] as const

/** Parses `A..B` or `A...B`: the commits of B since it branched off A. */
export const readRange = (text: string): Scope | undefined => {
  const [, from, to] = /^(.+?)\.{2,3}([^.].*)$/.exec(text) ?? []
  return from === undefined || to === undefined ? undefined : { kind: 'range', from, to }
}

/** Usual base branches, in the order they are tried. */
const USUAL_BASES = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master', 'develop']

const HEAD = 'HEAD'

/** The commits of a push: since the upstream, or since the base branch. */
const pushScope = async (git: GitReader, signal: AbortSignal): Promise<Scope> => {
  const { upstream, branch } = await git.state(signal)
  if (upstream !== null) return { kind: 'range', from: upstream, to: HEAD }
  // The current branch is no base: the range would be empty and nothing would be judged.
  const base = await git.resolve(
    USUAL_BASES.filter((name) => name !== branch),
    signal,
  )
  if (base === undefined) {
    throw gateFaults.base_missing(
      'the branch has no upstream and no base branch (main, master or develop) was found',
    )
  }
  return { kind: 'range', from: base.name, to: HEAD }
}

/** The commits of a pull request; on the base branch itself, the last commit. */
const ciScope = async (git: GitReader, target: string | undefined, signal: AbortSignal): Promise<Scope> => {
  const asked = target === undefined ? [] : [target, `origin/${target}`]
  const [head, base] = await Promise.all([
    git.resolve([HEAD], signal),
    git.resolve([...asked, 'origin/main', 'main', HEAD], signal),
  ])
  if (head === undefined || base === undefined) return { kind: 'repository' }
  if (base.hash !== head.hash) return { kind: 'range', from: base.name, to: HEAD }
  const parent = await git.resolve(['HEAD~1'], signal)
  return parent === undefined ? { kind: 'repository' } : { kind: 'range', from: parent.name, to: HEAD }
}

/** The default scope of a stage. `target` is the branch that a CI build will be merged into. */
export const stageScope = (
  stage: GateStage,
  { git, target }: { readonly git: GitReader; readonly target: string | undefined },
  signal: AbortSignal,
): Scope | Promise<Scope> => {
  switch (stage) {
    case 'PRE_WRITE':
      return { kind: 'worktree' }
    case 'PRE_COMMIT':
      return { kind: 'staged' }
    case 'PRE_PUSH':
      return pushScope(git, signal)
    case 'CI':
      return ciScope(git, target, signal)
  }
}
