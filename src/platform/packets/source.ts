import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import {
  type CheckDeadline,
  type DirectoryEntry,
  type FileBytes,
  type FileInfo,
  type Folder,
  type Jail,
  type PathRules,
  quotePath,
} from '../../kernel/jail.ts'
import { decodeSource } from '../../kernel/text/decode.ts'
import { type IgnoreFile, isIgnored, readIgnore } from '../../kernel/text/gitignore.ts'
import type { SourceFile } from '../../packets/build/build.ts'
import { markdownSpans } from '../../packets/build/chunk.ts'
import { holdRoot } from '../jail/handles.ts'
import { openJail } from '../jail/jail.ts'
import { diskFaults } from './drafts.ts'
import { outlineOf } from './outline.ts'

const EXTENSIONS = new Set(
  '.py .js .jsx .mjs .cjs .ts .tsx .mts .cts .java .kt .kts .go .rs .cpp .cc .c .h .hpp .cs .rb .php .swift .scala .sh .sql .proto .md .mdx .rst .txt .adoc .json .yaml .yml .toml .xml .html .css'.split(
    ' ',
  ),
)
const MARKDOWN = new Set(['.md', '.mdx'])
/** Made by machines, or somebody else's: never what a packet is about. */
const SKIPPED = new Set(
  'node_modules bower_components vendor dist build out target coverage __pycache__ venv site-packages'.split(
    ' ',
  ),
)
/** Of these nobody expects otherwise. The names of the others may also be those of chapters. */
const FOREIGN = new Set('node_modules bower_components __pycache__ venv site-packages'.split(' '))
const LOCK_FILES = /(?:^|[.-])lock(?:file)?(?:\.json|\.ya?ml)?$|^package-lock\.json$|\.min\.(?:js|css)$/
const IGNORE_FILES = ['.gitignore', '.cpmignore']
const MAX_FILE = 2 * 1024 * 1024
const MAX_FILES = 200_000

/** Hidden or not, a name that gets here was chosen by the walk. */
const ANY: PathRules = { blocked: () => false }
const patient: CheckDeadline = () => {}

/** Told of what a reader would look for in the packet and not find. */
export type SkippedSource = (path: string, why: string) => void

const rulesIn = (folder: Folder): readonly IgnoreFile[] => {
  const depth = folder.path === '' ? 0 : folder.path.split('/').length
  return IGNORE_FILES.flatMap((name) => {
    const file = folder.read(name, MAX_FILE)
    return file === undefined ? [] : [readIgnore(Buffer.from(file.bytes).toString('utf8'), depth)]
  })
}

const isSource = (name: string): boolean =>
  EXTENSIONS.has(extname(name).toLowerCase()) && !LOCK_FILES.test(name)

const closed = (path: string, cause?: unknown) =>
  diskFaults.failed(`${quotePath(path)} cannot be read`, {
    cause,
    fix: 'Check its rights, or leave it out with a line in .cpmignore.',
  })

/** Of what the walk could not have: whether it is there and too long. Closed to us is no reason to lack it. */
const isTooLong = (jail: Jail, path: string): boolean => {
  let facts: FileInfo | undefined
  try {
    facts = jail.info(path, ANY)
  } catch {
    // It is gone by now, or no longer what it was.
  }
  if (facts?.kind === 'file' && facts.size <= MAX_FILE) throw closed(path)
  return facts?.kind === 'file'
}

const entriesOf = (folder: Folder) => {
  try {
    return folder.entries(patient)
  } catch (cause) {
    throw closed(folder.path || '.', cause)
  }
}

const PACKET_FILES = ['cpm.yml', 'docs.jsonl', 'manifest.json']

/** A packet that was built in here before: packed with the rest, no build would be like the one before it. */
const isPacket = (entries: readonly DirectoryEntry[]): boolean =>
  PACKET_FILES.every((wanted) => entries.some(({ name }) => name === wanted))

/** Files worth packing, in order. Links are not followed; hidden files and folders are left out. */
class SourceWalk {
  readonly #jail: Jail
  readonly #leftOut: SkippedSource

  constructor(jail: Jail, leftOut: SkippedSource) {
    this.#jail = jail
    this.#leftOut = leftOut
  }

  *files(folder: Folder, above: readonly IgnoreFile[] = []): Generator<FileBytes> {
    const entries = entriesOf(folder)
    if (isPacket(entries)) return
    const layers = [...above, ...rulesIn(folder)]
    for (const { name, kind } of entries) {
      const path = folder.path === '' ? name : `${folder.path}/${name}`
      if (name.startsWith('.') || isIgnored(layers, path.split('/'), kind === 'directory')) continue
      if (kind === 'directory') yield* this.#below(folder, name, layers)
      else if (kind === 'file' && isSource(name)) yield* this.#file(folder, name, path)
    }
  }

  *#below(folder: Folder, name: string, layers: readonly IgnoreFile[]): Generator<FileBytes> {
    if (SKIPPED.has(name)) {
      const path = folder.path === '' ? name : `${folder.path}/${name}`
      if (!FOREIGN.has(name)) this.#leftOut(`${path}/`, 'is called like a folder that programs write')
      return
    }
    const below = folder.enter(name)
    if (below === undefined) return
    try {
      yield* this.files(below, layers)
    } finally {
      below.close()
    }
  }

  *#file(folder: Folder, name: string, path: string): Generator<FileBytes> {
    const file = folder.read(name, MAX_FILE)
    if (file !== undefined) return yield file
    if (isTooLong(this.#jail, path)) this.#leftOut(path, 'is longer than 2 MiB')
  }
}

/** What Windows put where Latin-1 has controls: quotes and dashes, mostly. */
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/**
 * The text of a file. What is not UTF-8 is taken for what was written before it, unless it holds letters of UTF-8
 * too: then a few bytes of it are wrong.
 */
const textOf = (bytes: Uint8Array): string | undefined => {
  const marked = bytes[0] === 0xfe || bytes[0] === 0xff
  if (marked || isUtf8(bytes)) return decodeSource(bytes)
  if (/[^\0-\x7f\ufffd]/.test(Buffer.from(bytes).toString('utf8'))) return decodeSource(bytes)
  if (bytes.includes(0)) return undefined
  const old = Buffer.from(bytes).toString('latin1')
  const text = old.replace(/[\x80-\x9f]/g, (char) => WINDOWS[char.charCodeAt(0) - 0x80] as string)
  return decodeSource(Buffer.from(text))
}

const asSource = ({ path, bytes }: FileBytes, leftOut: SkippedSource): SourceFile | undefined => {
  const text = textOf(bytes)?.replace(/^\ufeff/, '')
  if (text === undefined) leftOut(path, 'is no text')
  if (text === undefined || text.trim() === '') return undefined
  const extension = extname(path).toLowerCase()
  return {
    path,
    extension,
    text,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    spans: MARKDOWN.has(extension) ? markdownSpans(text) : outlineOf(extension, text),
  }
}

const openFolder = (root: string): Jail => {
  try {
    return openJail(holdRoot(root))
  } catch (cause) {
    throw diskFaults.absent(`there is no folder ${quotePath(root)} to build a packet from`, {
      cause,
      fix: 'Name the folder whose texts the packet shall hold.',
    })
  }
}

/** Everything in a folder that a packet of it should hold. */
export const readSources = async (
  root: string,
  progress: (files: number) => void = () => {},
  leftOut: SkippedSource = () => {},
): Promise<readonly SourceFile[]> => {
  const jail = openFolder(root)
  const files: SourceFile[] = []
  const take = (found: FileBytes) => {
    if (files.length >= MAX_FILES) throw diskFaults.full(`the folder has more than ${MAX_FILES} files`)
    const file = asSource(found, leftOut)
    if (file !== undefined) files.push(file)
    progress(files.length)
  }
  jail.within('.', ANY, (folder) => {
    for (const found of new SourceWalk(jail, leftOut).files(folder)) take(found)
  })
  return files
}
