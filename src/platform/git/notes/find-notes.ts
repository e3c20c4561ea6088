import { pushTo } from '../../../kernel/multimap.ts'
import type { GitBlobReader } from '../blobs.ts'
import type { GitPlace } from '../run.ts'
import { FOLDER_MODE, parseTree, type TreeRow, treeLoader } from '../trees/tree-object.ts'

/** A longer note is not read to its end. */
export const MAX_NOTE_BYTES = 8 * 1024 * 1024

/** The lines of a note, one character for each byte, so that a note comes back as it was. */
const splitNote = (bytes: Uint8Array): string[] =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '')

export const encodeLine = (line: string): string[] => splitNote(Buffer.from(line, 'utf8'))

/** The line as text; undefined when it is not UTF-8. */
export const decodeLine = (line: string): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(line, 'latin1'))
  } catch {
    return undefined
  }
}

/** All lines, each once, in the order of their bytes: the `cat_sort_uniq` of git notes. */
export const unionLines = (...lists: readonly (readonly string[])[]): string[] =>
  [...new Set(lists.flat())].sort()

export const joinLines = (lines: readonly string[]): Buffer =>
  Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1')

/** A note where git keeps it: the id of the object is its path, with slashes after some pairs of digits. */
interface NotePlace {
  readonly object: string
  readonly path: string
  readonly row: TreeRow
}

const isFile = ({ row }: NotePlace): boolean => row.mode.startsWith('100')

/** Objects whose notes are looked for in one folder of the notes. */
interface SearchedFolder {
  readonly oid: string
  readonly path: string
  readonly objects: readonly string[]
}

const groupBy = <T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const one of all) pushTo(groups, keyOf(one), one)
  return groups
}

/** The notes and the folders below, in one folder. Digits of its path are not in the names. */
const searchFolder = ({ oid, path, objects }: SearchedFolder, bytes: Buffer) => {
  const rows = parseTree(bytes, oid.length / 2)
  const used = path.replaceAll('/', '').length
  const places = objects.flatMap((object): NotePlace[] => {
    const row = rows.get(object.slice(used))
    return row === undefined ? [] : [{ object, path: path + object.slice(used), row }]
  })
  const below = [...groupBy(objects, (object) => object.slice(used, used + 2))].flatMap(([pair, inside]) => {
    const row = rows.get(pair)
    return row?.mode === FOLDER_MODE ? [{ oid: row.oid, path: `${path}${pair}/`, objects: inside }] : []
  })
  return { places, below }
}

/** Why a note was not read to its end: nothing can be added to it. */
export const TOO_LONG = `is longer than ${MAX_NOTE_BYTES} bytes`

/** What was found of the notes of some objects at one commit. */
export interface FoundNotes {
  /** Where git keeps each note; more than one place after a merge by hand. */
  readonly paths: ReadonlyMap<string, readonly string[]>
  /** Lines in Latin-1, by object. */
  readonly lines: ReadonlyMap<string, readonly string[]>
  /** Objects with a note that cannot be read to its end, and why. */
  readonly unreadable: ReadonlyMap<string, string>
}

const NOTHING: FoundNotes = { paths: new Map(), lines: new Map(), unreadable: new Map() }

/** Reads only the folders and notes on the way to these objects. Undefined when the commit has no tree. */
export const findNotes = async (
  { blobs, place }: { readonly blobs: GitBlobReader; readonly place: GitPlace },
  commit: string | undefined,
  objects: readonly string[],
  signal: AbortSignal,
): Promise<FoundNotes | undefined> => {
  if (commit === undefined) return NOTHING
  const { fetchTrees, load } = treeLoader(blobs, place, signal)
  const [root] = await fetchTrees([`${commit}^{tree}`])
  if (root === undefined) return undefined
  const places: NotePlace[] = []
  for (let level: SearchedFolder[] = [{ oid: root, path: '', objects }]; level.length > 0; ) {
    if (level[0]?.path !== '') await fetchTrees(level.map(({ oid }) => oid))
    const found = await Promise.all(level.map(async (folder) => searchFolder(folder, await load(folder.oid))))
    places.push(...found.flatMap((one) => one.places))
    level = found.flatMap(({ below }) => below)
  }
  const [files, others] = [places.filter(isFile), places.filter((one) => !isFile(one))]
  const unreadable = new Map(others.map(({ object }) => [object, 'is not a file']))
  const lines = new Map<string, string[]>()
  let at = 0
  const oids = files.map(({ row }) => row.oid)
  for await (const found of blobs.objects(place, oids, signal, MAX_NOTE_BYTES + 1)) {
    const object = files[at++]?.object ?? ''
    const isLong = (found?.bytes.length ?? 0) > MAX_NOTE_BYTES
    if (isLong) unreadable.set(object, TOO_LONG)
    if (found === undefined) unreadable.set(object, 'is damaged or missing')
    const whole = splitNote(found?.bytes ?? Buffer.alloc(0))
    // The last line of a note that was cut is not whole.
    lines.set(object, [...(lines.get(object) ?? []), ...(isLong ? whole.slice(0, -1) : whole)])
  }
  const paths = groupBy(places, ({ object }) => object)
  return {
    paths: new Map([...paths].map(([object, all]) => [object, all.map(({ path }) => path)])),
    lines,
    unreadable,
  }
}
