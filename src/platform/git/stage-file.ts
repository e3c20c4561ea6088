import { findPlace, type GitStart } from './place.ts'
import { gitFaults, runGit } from './run.ts'

/** Replaces the content of a file in the index, without filters; its mode stays. */
export const stageFile = async (
  start: GitStart,
  path: string,
  text: string,
  signal: AbortSignal,
): Promise<void> => {
  const place = await findPlace(start, signal)
  if (place === undefined) throw gitFaults.repository('this folder is not in a git repository')
  const listed = await runGit(place, ['--literal-pathspecs', 'ls-files', '--stage', '-z', '--', path], {
    signal,
  })
  const mode = /^(100644|100755) [0-9a-f]+ 0\t/.exec(listed)?.[1]
  if (mode === undefined) throw gitFaults.failed(`${path} is not a file in the index`)
  const oid = (await runGit(place, ['hash-object', '-w', '--stdin'], { signal, input: text })).trim()
  // Read from stdin, so that a path may hold any character.
  await runGit(place, ['update-index', '-z', '--index-info'], {
    signal,
    input: `${mode} ${oid}\t${path}\0`,
  })
}
