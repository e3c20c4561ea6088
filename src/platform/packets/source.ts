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
import { optional } from '../../kernel/optional.ts'
import { decodeSource } from '../../kernel/text/decode.ts'
import { type IgnoreFile, isIgnored, readIgnore } from '../../kernel/text/gitignore.ts'
import { grammarForExtension, type MissingGrammar } from '../../kernel/text/languages.ts'
import { UnparsedFiles } from '../../kernel/text/unparsed-files.ts'
import type { SourceFile } from '../../packets/build/build.ts'
import type { Span } from '../../packets/build/chunk.ts'
import { markdownSpans } from '../../packets/build/markdown-sections.ts'
import { holdRoot } from '../jail/handles.ts'
import { openJail } from '../jail/jail.ts'
import { parseLines, type SgNode } from '../syntax/ast-grep.ts'
import { missingGrammar } from '../syntax/grammar-packages.ts'
import { diskFaults } from './drafts.ts'

/** Kinds of top-level nodes that declare a name. */
const NAMED =
  /function|class|interface|struct|enum|type_|method|protocol|object_decl|decorated|export_statement|lexical_decl|variable_decl/

/** The declared name of a node, also below `export`, a decorator or `const`. */
const declaredName = (node: SgNode, depth = 3): string | undefined => {
  const own = node.field('name')?.text()
  if (own !== undefined || depth === 0) return own
  const inner =
    node.field('declaration') ??
    node.field('definition') ??
    node.children().find((child) => /declarator|_spec$|identifier$/.test(String(child.kind())))
  if (inner === undefined || inner === null) return undefined
  return /identifier$/.test(String(inner.kind())) ? inner.text() : declaredName(inner, depth - 1)
}

/** The grammar that has to be installed before declarations of such a file are found. */
const missingGrammarFor = (extension: string): MissingGrammar | undefined =>
  missingGrammar(grammarForExtension(extension.slice(1)) ?? '')

/** The starts of the top-level declarations, each with its leading comment; none without a grammar. */
export const declarationSpans = (extension: string, text: string): readonly Span[] => {
  const grammar = grammarForExtension(extension.slice(1))
  if (grammar === undefined || missingGrammar(grammar) !== undefined) return []
  const spans: Span[] = []
  let comment: { start: number; end: number } | undefined
  for (const node of parseLines(grammar, text).children()) {
    const { start, end } = node.range()
    const kind = String(node.kind())
    if (/comment/.test(kind)) {
      comment =
        comment?.end === start.line - 1 ? { ...comment, end: end.line } : { start: start.line, end: end.line }
      continue
    }
    if (NAMED.test(kind)) {
      const first = comment !== undefined && comment.end >= start.line - 1 ? comment.start : start.line
      const symbol = declaredName(node)
      spans.push({ start: first + 1, ...optional({ symbol }) })
    }
    comment = undefined
  }
  return spans
}

const EXTENSIONS = new Set(
  '.py .js .jsx .mjs .cjs .ts .tsx .mts .cts .java .kt .kts .go .rs .cpp .cc .c .h .hpp .cs .rb .php .swift .scala .sh .sql .proto .md .mdx .rst .txt .adoc .json .yaml .yml .toml .xml .html .css'.split(
    ' ',
  ),
)
const MARKDOWN = new Set(['.md', '.mdx'])
/** Folders of generated or third-party files, which are not packed. */
const SKIPPED = new Set(
  'node_modules bower_components vendor dist build out target coverage __pycache__ venv site-packages'.split(
    ' ',
  ),
)
/** Skipped without a message; the other names may also be chapters of documentation. */
const FOREIGN = new Set('node_modules bower_components __pycache__ venv site-packages'.split(' '))
const LOCK_FILES = /(?:^|[.-])lock(?:file)?(?:\.json|\.ya?ml)?$|^package-lock\.json$|\.min\.(?:js|css)$/
const IGNORE_FILES = ['.gitignore', '.cpmignore']
const MAX_FILE = 2 * 1024 * 1024
const MAX_FILES = 200_000

/** The walk already chose the names. */
const ANY: PathRules = { blocked: () => false }
const noDeadline: CheckDeadline = () => {}

/** Called for files that a reader might expect in the packet. */
type OnSkippedSource = (path: string, why: string) => void

interface SourceReports {
  /** Called with the number of files read so far. */
  readonly progress?: (files: number) => void
  readonly onSkipped?: OnSkippedSource
  /** Collects files that are split by lines and not by declarations. */
  readonly unparsed?: UnparsedFiles
}

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
    fix: 'Check its permissions, or exclude it with a line in .cpmignore.',
  })

/** Whether a file that could not be read is too large. One without read permission is a fault. */
const isTooLong = (jail: Jail, path: string): boolean => {
  let facts: FileInfo | undefined
  try {
    facts = jail.info(path, ANY)
  } catch {
    // It was removed or replaced meanwhile.
  }
  if (facts?.kind === 'file' && facts.size <= MAX_FILE) throw closed(path)
  return facts?.kind === 'file'
}

const listEntries = (folder: Folder) => {
  try {
    return folder.entries(noDeadline)
  } catch (cause) {
    throw closed(folder.path || '.', cause)
  }
}

const PACKET_FILES = ['cpm.yml', 'docs.jsonl', 'manifest.json']

/** Whether a folder is a built packet. It is skipped: otherwise each build would include the previous one. */
const isPacket = (entries: readonly DirectoryEntry[]): boolean =>
  PACKET_FILES.every((wanted) => entries.some(({ name }) => name === wanted))

/** A name as it stands in the paths of what is below it. */
const nameInPaths = ({ name, kind }: DirectoryEntry): string => (kind === 'directory' ? `${name}/` : name)

/** In the order of whole paths: `a.md` comes before `a/b.md`. */
const inPathOrder = (entries: readonly DirectoryEntry[]): readonly DirectoryEntry[] =>
  [...entries].sort((a, b) => (nameInPaths(a) < nameInPaths(b) ? -1 : 1))

/** The files to pack, in the order of their paths. Symlinks are not followed; hidden files are skipped. */
class SourceWalk {
  readonly #jail: Jail
  readonly #onSkipped: OnSkippedSource

  constructor(jail: Jail, onSkipped: OnSkippedSource) {
    this.#jail = jail
    this.#onSkipped = onSkipped
  }

  *files(folder: Folder, above: readonly IgnoreFile[] = []): Generator<FileBytes> {
    const entries = listEntries(folder)
    if (isPacket(entries)) return
    const layers = [...above, ...rulesIn(folder)]
    for (const { name, kind } of inPathOrder(entries)) {
      const path = folder.path === '' ? name : `${folder.path}/${name}`
      if (name.startsWith('.') || isIgnored(layers, path.split('/'), kind === 'directory')) continue
      if (kind === 'directory') yield* this.#below(folder, name, layers)
      else if (kind === 'file' && isSource(name)) yield* this.#file(folder, name, path)
    }
  }

  *#below(folder: Folder, name: string, layers: readonly IgnoreFile[]): Generator<FileBytes> {
    if (SKIPPED.has(name)) {
      const path = folder.path === '' ? name : `${folder.path}/${name}`
      if (!FOREIGN.has(name)) this.#onSkipped(`${path}/`, 'has the name of a folder for generated files')
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
    if (isTooLong(this.#jail, path)) this.#onSkipped(path, 'is longer than 2 MiB')
  }
}

/** Windows-1252 characters at 0x80–0x9f, where Latin-1 has control characters. */
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/**
 * Decodes a file. Invalid UTF-8 is read as Windows-1252, unless it also has valid multi-byte UTF-8: then only
 * some bytes are damaged.
 */
const decodeFile = (bytes: Uint8Array): string | undefined => {
  const marked = bytes[0] === 0xfe || bytes[0] === 0xff
  if (marked || isUtf8(bytes)) return decodeSource(bytes)
  if (/[^\0-\x7f\ufffd]/.test(Buffer.from(bytes).toString('utf8'))) return decodeSource(bytes)
  if (bytes.includes(0)) return undefined
  const old = Buffer.from(bytes).toString('latin1')
  const text = old.replace(/[\x80-\x9f]/g, (char) => WINDOWS[char.charCodeAt(0) - 0x80] ?? '')
  return decodeSource(Buffer.from(text))
}

/** Why an empty file is not packed. */
export const EMPTY_FILE = 'has no text'

const asSource = (
  { path, bytes }: FileBytes,
  { onSkipped, unparsed }: Required<SourceReports>,
): SourceFile | undefined => {
  const text = decodeFile(bytes)?.replace(/^\ufeff/, '')
  if (text === undefined || text.trim() === '') {
    onSkipped(path, text === undefined ? 'is not text' : EMPTY_FILE)
    return undefined
  }
  const extension = extname(path).toLowerCase()
  const spans = MARKDOWN.has(extension) ? markdownSpans(text) : declarationSpans(extension, text)
  const missing = missingGrammarFor(extension)
  if (missing !== undefined) unparsed.add(path, missing)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { path, extension, text, sha256, spans }
}

const openFolder = (root: string): Jail => {
  try {
    return openJail(holdRoot(root))
  } catch (cause) {
    throw diskFaults.absent(`the source folder ${quotePath(root)} does not exist`, {
      cause,
      fix: 'Name the folder to pack.',
    })
  }
}

/** Reads the source files of a folder one by one, in the order of their paths. */
export const readEachSource = (
  root: string,
  take: (file: SourceFile) => void,
  { progress = () => {}, onSkipped = () => {}, unparsed = new UnparsedFiles() }: SourceReports = {},
): void => {
  const jail = openFolder(root)
  let files = 0
  jail.within('.', ANY, (folder) => {
    for (const found of new SourceWalk(jail, onSkipped).files(folder)) {
      if (files >= MAX_FILES) throw diskFaults.full(`the folder has more than ${MAX_FILES} files`)
      const file = asSource(found, { progress, onSkipped, unparsed })
      if (file === undefined) continue
      take(file)
      files += 1
      progress(files)
    }
  })
}

/** Reads the source files of a folder. */
export const readSources = async (root: string, reports?: SourceReports): Promise<readonly SourceFile[]> => {
  const files: SourceFile[] = []
  readEachSource(root, (file) => files.push(file), reports)
  return files
}
