import { type FileEntry, UneditableFile } from './editors/insertion.ts'
import type { SetupFile, SetupPlace } from './ports.ts'

/** A file that gets entries of ours. */
export interface TargetFile {
  readonly place: SetupPlace
  readonly path: string
  readonly entries: readonly FileEntry[]
  /** The text of a new file, before the entries. */
  readonly empty: string
  /** Scripts and lists of git are bytes in any encoding; other files are UTF-8. */
  readonly encoding: 'utf8' | 'latin1'
  /** Permission bits of a new file. */
  readonly mode: number
  /** Whether a new file is made; otherwise entries are added to an existing one alone. */
  readonly creates: boolean
  /** Whether entries are removed also when the record does not name the file: it is lost, or another clone wrote it. */
  readonly always?: true
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const decodeTarget = ({ bytes }: SetupFile, { encoding }: TargetFile): string => {
  if (encoding === 'latin1') return bytes.toString('latin1')
  try {
    return UTF8.decode(bytes)
  } catch {
    throw new UneditableFile('it is not UTF-8')
  }
}

export const encodeTarget = (text: string, { encoding }: TargetFile): Buffer => Buffer.from(text, encoding)

/** The path as a person knows it. */
export const showTarget = ({ place, path }: Pick<TargetFile, 'place' | 'path'>): string =>
  place === 'git' ? `.git/${path}` : path

const FILE_MODE = 0o644
const SCRIPT_MODE = 0o755

export const jsonTarget = (path: string, empty: object, entries: readonly FileEntry[]): TargetFile => ({
  place: 'tree',
  path,
  entries,
  empty: `${JSON.stringify(empty, null, 2)}\n`,
  encoding: 'utf8',
  mode: FILE_MODE,
  creates: true,
})

/** A file that is empty when it is new. */
export const textTarget = (path: string, entries: readonly FileEntry[], creates = true): TargetFile => ({
  place: 'tree',
  path,
  entries,
  empty: '',
  encoding: 'utf8',
  mode: FILE_MODE,
  creates,
})

export const scriptTarget = (
  place: SetupPlace,
  path: string,
  empty: string,
  entry: FileEntry,
  creates = true,
): TargetFile => ({
  place,
  path,
  entries: [entry],
  empty,
  encoding: 'latin1',
  mode: SCRIPT_MODE,
  creates,
  always: true,
})

export const excludeTarget = (entry: FileEntry): TargetFile => ({
  place: 'git',
  path: 'info/exclude',
  always: true,
  entries: [entry],
  empty: '',
  encoding: 'latin1',
  mode: FILE_MODE,
  creates: true,
})
