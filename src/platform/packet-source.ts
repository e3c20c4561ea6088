import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { SourceFile } from '../packets/build.ts'
import { markdownSpans } from '../packets/chunk.ts'
import { type IgnoreFile, isIgnored, readIgnore } from '../project/ignore.ts'
import { diskFault, diskFaults } from './packet-files.ts'
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

// Not through a link, which may lead out of the folder, and not waiting for the writer of a pipe.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** No file of that name any more, or something else in its place. */
const GONE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'ENXIO'])

/** A plain file that is not too large; undefined for anything else that has the name by now. */
const readPlain = async (path: string): Promise<Buffer | undefined> => {
  const file = await open(path, FLAGS).catch((cause: NodeJS.ErrnoException) => {
    if (GONE.has(cause.code ?? '')) return undefined
    throw cause
  })
  if (file === undefined) return undefined
  try {
    const stats = await file.stat()
    return stats.isFile() && stats.size <= MAX_FILE ? await file.readFile() : undefined
  } finally {
    await file.close()
  }
}

const rulesIn = async (root: string, folder: string): Promise<readonly IgnoreFile[]> => {
  const depth = folder === '' ? 0 : folder.split('/').length
  const texts = await Promise.all(
    IGNORE_FILES.map((name) =>
      readPlain(join(root, folder, name)).then(
        (bytes) => bytes?.toString('utf8') ?? '',
        () => '',
      ),
    ),
  )
  return texts.filter((text) => text !== '').map((text) => readIgnore(text, depth))
}

/** The paths of files worth packing, in order. Links are not followed; hidden files and folders are left out. */
async function* walk(root: string, folder: string, above: readonly IgnoreFile[]): AsyncGenerator<string> {
  const layers = [...above, ...(await rulesIn(root, folder))]
  const entries = await readdir(join(root, folder), { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.name.startsWith('.') || isIgnored(layers, path.split('/'), entry.isDirectory())) continue
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* walk(root, path, layers)
    else if (
      entry.isFile() &&
      EXTENSIONS.has(extname(entry.name).toLowerCase()) &&
      !LOCK_FILES.test(entry.name)
    )
      yield path
  }
}

const readSource = async (root: string, path: string): Promise<SourceFile | undefined> => {
  const bytes = await readPlain(join(root, path))
  if (bytes === undefined) return undefined
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

/** Everything in a folder that a packet of it should hold. */
export const readSources = async (
  root: string,
  progress: (files: number) => void = () => {},
): Promise<readonly SourceFile[]> => {
  const found = await lstat(root).catch(() => undefined)
  if (!found?.isDirectory()) throw diskFaults.absent('there is no such folder to build a packet from')
  const files: SourceFile[] = []
  try {
    for await (const path of walk(root, '', [])) {
      if (files.length >= MAX_FILES) throw diskFaults.full(`the folder has more than ${MAX_FILES} files`)
      const file = await readSource(root, path)
      if (file !== undefined) files.push(file)
      progress(files.length)
    }
  } catch (cause) {
    throw diskFault(cause)
  }
  return files
}
