import { NO_MODE, parseStatus, type StatusEntry } from '../parse.ts'

/** A path where the index differs from the last commit, links and submodules included; no `oid` where it is removed. */
interface IndexEdit {
  readonly path: string
  readonly mode: string
  readonly oid: string | undefined
}

/** From a status. Paths of `git add --intent-to-add` are not in the index for git. Undefined for an unmerged path. */
export const parseIndexEdits = (text: string): IndexEdit[] | undefined => {
  const { entries } = parseStatus(text)
  if (entries.some(({ state, oid }) => state !== '??' && oid === '')) return undefined
  return entries.flatMap(({ state, indexMode: mode, oid, path, from }): IndexEdit[] => {
    if (/^[.?]/.test(state)) return []
    const moved = from !== undefined && state.startsWith('R')
    return [
      { path, mode, oid: state.startsWith('D') ? undefined : oid },
      ...(moved ? [{ path: from, mode, oid: undefined }] : []),
    ]
  })
}

/** The paths where the working tree differs from the index: those to add, and those that are gone. */
export const parseWorktreeEdits = (text: string) => {
  const { entries } = parseStatus(text)
  const differing = entries.filter(({ state, oid }) => state[1] !== '.' || oid === '')
  const isAbsent = ({ worktreeMode }: StatusEntry) => worktreeMode === NO_MODE
  return {
    // A nested repository is listed with a trailing slash.
    present: differing.filter((one) => !isAbsent(one)).map(({ path }) => path.replace(/\/$/, '')),
    absent: differing.flatMap((one) => {
      const moved = one.from !== undefined && one.state[1] === 'R' ? [one.from] : []
      return isAbsent(one) ? [one.path, ...moved] : moved
    }),
  }
}
