import { gateFaults } from '../faults.ts'
import type { GitReader, Scope } from '../ports.ts'
import type { GateStage } from '../stage.ts'

/** How the files to judge can be named, by people and by agents. */
export const SCOPES = ['staged', 'worktree', 'repository'] as const

/** `A..B`, or `A...B` for those who are used to it: what B brought since it parted from A. */
export const readRange = (text: string): Scope | undefined => {
  const [, from, to] = /^(.+?)\.{2,3}([^.].*)$/.exec(text) ?? []
  return from === undefined || to === undefined ? undefined : { kind: 'range', from, to }
}

/** Branches that work is usually taken from, in the order they are tried. */
const USUAL_BASES = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master', 'develop']

const HEAD = 'HEAD'

/** What a push would bring: everything since the upstream, or since the branch was taken from another. */
const pushScope = async (git: GitReader, signal: AbortSignal): Promise<Scope> => {
  const { upstream, branch } = await git.state(signal)
  if (upstream !== null) return { kind: 'range', from: upstream, to: HEAD }
  // A branch that is its own base would have nothing to push, and nothing would be judged.
  const base = await git.resolve(
    USUAL_BASES.filter((name) => name !== branch),
    signal,
  )
  if (base === undefined) {
    throw gateFaults.base_missing('the branch has no upstream, and no branch it could have been taken from')
  }
  return { kind: 'range', from: base.name, to: HEAD }
}

/** What a pull request would bring; on the base itself, what its last commit brought. */
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

/** The files a stage is about, unless it is told otherwise. `target` is the branch a build will be merged into. */
export const stageScope = (
  stage: GateStage,
  git: GitReader,
  target: string | undefined,
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
