import { type GitPlace, gitFaults, runGit } from '../run.ts'

/** Receipts and checkpoints, and the checkpoints that witnesses signed. */
export const NOTES_NAMES = ['warrant', 'warrant-witness'] as const
export type NotesName = (typeof NOTES_NAMES)[number]

export const localNotesRef = (name: NotesName): string => `refs/notes/${name}`
export const remoteNotesRef = (remote: string, name: NotesName): string =>
  `refs/notes/remotes/${remote}/${name}`

/** Whether the name can be part of a ref and of a pattern; git itself refuses most others. */
export const isPlainRemote = (remote: string): boolean => /^\w[\w.-]*(\/\w[\w.-]*)*$/.test(remote)

/** A pattern: where a remote has no notes yet, `git fetch` would fail for the name of a ref. */
export const notesFetchSpec = (remote: string): string =>
  `+refs/notes/warrant*:refs/notes/remotes/${remote}/warrant*`

/** After a remote was renamed, the pattern has its earlier name. */
export const isFetchSpec = (value: string): boolean =>
  /^\+refs\/notes\/warrant\*:refs\/notes\/remotes\/.+\/warrant\*$/.test(value)

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
