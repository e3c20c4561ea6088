import { type GitPlace, gitFaults, runGit } from '../run.ts'

/** Receipts and checkpoints, and the checkpoints that witnesses signed. */
export type NotesName = 'warrant' | 'warrant-witness'

export const localNotesRef = (name: NotesName): string => `refs/notes/${name}`

interface NotesRef {
  readonly ref: string
  readonly oid: string
  readonly kind: string
  /** Whether it is the name of another ref. */
  readonly isSymbolic: boolean
}

const REMOTES = 'refs/notes/remotes/'
/** A clone has few remotes; more refs than this are not read. */
const MAX_REFS = 100

/** The ref of this clone, and those that were fetched from its remotes. */
export const findNotesRefs = async (
  place: GitPlace,
  name: NotesName,
  signal: AbortSignal,
): Promise<readonly NotesRef[]> => {
  const format = '--format=%(refname)%00%(objectname)%00%(objecttype)%00%(symref)'
  const text = await runGit(place, ['for-each-ref', format, localNotesRef(name), REMOTES], { signal })
  const rows = text.split('\n').map((line) => line.split('\0'))
  return rows
    .map(([ref = '', oid = '', kind = '', symref = '']) => ({ ref, oid, kind, isSymbolic: symref !== '' }))
    .filter(({ ref }) => ref === localNotesRef(name) || (ref.startsWith(REMOTES) && ref.endsWith(`/${name}`)))
    .slice(0, MAX_REFS)
}

/** The last commit of the ref of this clone; undefined when there is none. Refuses a ref that must not be written. */
export const findLocalCommit = async (
  place: GitPlace,
  name: NotesName,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const ref = localNotesRef(name)
  const found = (await findNotesRefs(place, name, signal)).find((one) => one.ref === ref)
  if (found === undefined) return undefined
  if (found.isSymbolic || found.kind !== 'commit')
    throw gitFaults.failed(
      `${ref} ${found.isSymbolic ? 'is the name of another ref' : `is a ${found.kind}`}`,
      {
        fix: `Nothing was written. Look at it with \`git show-ref\`, and remove it with \`git update-ref --no-deref -d ${ref}\`.`,
      },
    )
  return found.oid
}
