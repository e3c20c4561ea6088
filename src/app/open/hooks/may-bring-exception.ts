import { join } from 'node:path'
import { askGit, type GitPlace } from '../../../platform/git/run.ts'

const MAX_LOOKED_AT = 200
const POLICY_FOLDER = '.warrant/'
/** What a comment that accepts a finding contains. */
const MARK = 'warrant-ignore'

/**
 * Whether the working tree may hold an exception that the last commit has not. To answer no costs one question to git
 * and the bytes of the changed files; the gate is loaded only for a yes.
 */
export const mayBringException = async (
  place: GitPlace,
  read: (path: string) => Promise<Uint8Array | undefined>,
  signal: AbortSignal,
): Promise<boolean> => {
  const args = ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames']
  const { code, text } = await askGit(place, args, { signal })
  const paths = text.split('\0').flatMap((line) => (line.length > 3 ? [line.slice(3)] : []))
  if (code !== 0 || paths.length > MAX_LOOKED_AT) return true
  if (paths.some((path) => path.startsWith(POLICY_FOLDER))) return true
  for (const path of paths) {
    const bytes = await read(join(place.folder, path)).catch(() => Buffer.from(MARK))
    // Without NUL bytes a text of two bytes a character reads like one of single bytes.
    if (bytes && Buffer.from(bytes).toString('latin1').replaceAll('\0', '').includes(MARK)) return true
  }
  return false
}
