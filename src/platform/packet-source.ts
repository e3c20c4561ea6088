import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import {
  type Facts,
  type FileBytes,
  type Folder,
  type Jail,
  quotePath,
  type Rules,
  type Watch,
} from '../kernel/jail.ts'
import type { SourceFile } from '../packets/build.ts'
import { markdownSpans } from '../packets/chunk.ts'
import { type IgnoreFile, isIgnored, readIgnore } from '../project/ignore.ts'
import { openJail } from './jail.ts'
import { holdRoot } from './jail-ground.ts'
import { diskFaults } from './packet-files.ts'
import { outlineOf } from './packet-outline.ts'
import { decodeText } from './syntax.ts'

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
const LOCK_FILES = /(?:^|[.-])lock(?:file)?(?:\.json|\.ya?ml)?$|^package-lock\.json$|\.min\.(?:js|css)$/
const IGNORE_FILES = ['.gitignore', '.cpmignore']
const MAX_FILE = 2 * 1024 * 1024
const MAX_FILES = 200_000

/** Hidden or not, a name that gets here was chosen by the walk. */
const ANY: Rules = { blocked: () => false }
const patient: Watch = () => {}

const rulesIn = (folder: Folder): readonly IgnoreFile[] => {
  const depth = folder.path === '' ? 0 : folder.path.split('/').length
  return IGNORE_FILES.flatMap((name) => {
    const file = folder.read(name, MAX_FILE)
    return file === undefined ? [] : [readIgnore(Buffer.from(file.bytes).toString('utf8'), depth)]
  })
}

const isSource = (name: string): boolean =>
  EXTENSIONS.has(extname(name).toLowerCase()) && !LOCK_FILES.test(name)

/** What the walk could not have and a packet must not lack: too long is no reason, but closed to us is. */
const refuseClosed = (jail: Jail, path: string): void => {
  let facts: Facts | undefined
  try {
    facts = jail.info(path, ANY)
  } catch {
    // It is gone by now, or no longer what it was.
  }
  if (facts?.kind === 'file' && facts.size <= MAX_FILE)
    throw diskFaults.failed(`${quotePath(path)} cannot be read`)
}

/** Files worth packing, in order. Links are not followed; hidden files and folders are left out. */
function* walk(jail: Jail, folder: Folder, above: readonly IgnoreFile[]): Generator<FileBytes> {
  const layers = [...above, ...rulesIn(folder)]
  for (const { name, kind } of folder.entries(patient)) {
    const path = folder.path === '' ? name : `${folder.path}/${name}`
    if (name.startsWith('.') || isIgnored(layers, path.split('/'), kind === 'directory')) continue
    if (kind === 'directory' && !SKIPPED.has(name)) {
      const below = folder.enter(name)
      if (below === undefined) continue
      try {
        yield* walk(jail, below, layers)
      } finally {
        below.close()
      }
    } else if (kind === 'file' && isSource(name)) {
      const file = folder.read(name, MAX_FILE)
      if (file === undefined) refuseClosed(jail, path)
      else yield file
    }
  }
}

const asSource = ({ path, bytes }: FileBytes): SourceFile | undefined => {
  const text = decodeText(bytes)?.replace(/^\ufeff/, '')
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
    throw diskFaults.absent('there is no such folder to build a packet from', { cause })
  }
}

/** Everything in a folder that a packet of it should hold. */
export const readSources = async (
  root: string,
  progress: (files: number) => void = () => {},
): Promise<readonly SourceFile[]> => {
  const jail = openFolder(root)
  const files: SourceFile[] = []
  const take = (found: FileBytes) => {
    if (files.length >= MAX_FILES) throw diskFaults.full(`the folder has more than ${MAX_FILES} files`)
    const file = asSource(found)
    if (file !== undefined) files.push(file)
    progress(files.length)
  }
  jail.within('.', ANY, (folder) => {
    for (const found of walk(jail, folder, [])) take(found)
  })
  return files
}
