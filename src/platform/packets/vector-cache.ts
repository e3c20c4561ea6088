import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { forEachConcurrent } from '../../kernel/async/concurrency.ts'
import { type Embedder, wrapEmbedder } from '../../packets/embed.ts'
import { copyFloats } from '../../packets/format/faiss.ts'
import type { Matrix } from '../../packets/format/vectors.ts'
import { blobCache, sha256, trimFolder } from '../files/blob-cache.ts'
import { type OpenedFile, openRegularFile } from '../jail/async.ts'
import { replaceStoreFile } from './drafts.ts'

const MAGIC = Buffer.from('WRNT-EV\x01', 'latin1')
const HEADER = 16
const KEY = 32
const CHECKSUM_BYTES = 8
const SUFFIX = '.vec'
const MAX_BYTES = 1024 ** 3

/** What a vector depends on. */
const vectorKey = ({ model, variant }: Embedder, text: string): string =>
  JSON.stringify(variant === undefined ? [model, text] : [model, text, variant])

const toBytes = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** The location of a vector in a file: a checksum, then the floats. */
interface VectorLocation {
  readonly path: string
  readonly at: number
  readonly dim: number
}

interface Entry {
  readonly key: Buffer
  readonly row: Float32Array
}

const pack = (entries: readonly Entry[], dim: number): Uint8Array => {
  const header = Buffer.alloc(HEADER)
  MAGIC.copy(header)
  header.writeUInt32LE(dim, 8)
  header.writeUInt32LE(entries.length, 12)
  const rows = entries.flatMap(({ key, row }) => [
    sha256(key, toBytes(row)).subarray(0, CHECKSUM_BYTES),
    toBytes(row),
  ])
  return Buffer.concat([header, ...entries.map(({ key }) => key), ...rows])
}

type LocatedKey = readonly [key: string, location: VectorLocation]

/** Reads the keys of an open file, without the vectors, which are most of it. */
const keysIn = async ({ file, size }: OpenedFile, path: string): Promise<readonly LocatedKey[]> => {
  const header = Buffer.alloc(HEADER)
  await file.read(header, 0, HEADER, 0)
  if (!header.subarray(0, 8).equals(MAGIC)) return []
  const [dim, count] = [header.readUInt32LE(8), header.readUInt32LE(12)]
  if (size !== HEADER + count * (KEY + CHECKSUM_BYTES + 4 * dim)) return []
  const keys = Buffer.alloc(count * KEY)
  await file.read(keys, 0, keys.length, HEADER)
  return Array.from({ length: count }, (_, i) => {
    const key = keys.subarray(i * KEY, (i + 1) * KEY).toString('hex')
    return [key, { path, dim, at: HEADER + count * KEY + i * (CHECKSUM_BYTES + 4 * dim) }]
  })
}

/** Reads the keys of a file and the locations of their vectors. An invalid file has none. */
const readKeys = async (path: string): Promise<readonly LocatedKey[]> => {
  const opened = await openRegularFile(path).catch(() => undefined)
  if (opened === undefined) return []
  return keysIn(opened, path)
    .catch(() => [])
    .finally(() => opened.file.close())
}

const readRow = async (key: Buffer, { path, at, dim }: VectorLocation): Promise<Float32Array | undefined> => {
  const opened = await openRegularFile(path).catch(() => undefined)
  try {
    const bytes = Buffer.alloc(CHECKSUM_BYTES + 4 * dim)
    await opened?.file.read(bytes, 0, bytes.length, at)
    const row = bytes.subarray(CHECKSUM_BYTES)
    return sha256(key, row).subarray(0, CHECKSUM_BYTES).equals(bytes.subarray(0, CHECKSUM_BYTES))
      ? copyFloats(row)
      : undefined
  } finally {
    await opened?.file.close()
  }
}

/** The vectors of one model in a folder, one file for each batch that was written. */
class VectorFolder {
  readonly #folder: string
  readonly #maxBytes: number
  #locations: Promise<Map<string, VectorLocation>> | undefined

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder
    this.#maxBytes = maxBytes
  }

  async #files(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch(() => [])
    return names.filter((name) => name.endsWith(SUFFIX)).map((name) => join(this.#folder, name))
  }

  async #load(): Promise<Map<string, VectorLocation>> {
    const locations = new Map<string, VectorLocation>()
    // With limited concurrency: there may be more files than descriptors.
    await forEachConcurrent(await this.#files(), async (path) => {
      for (const [key, location] of await readKeys(path)) locations.set(key, location)
    })
    return locations
  }

  async find(key: Buffer): Promise<Float32Array | undefined> {
    // Loaded once: many keys are looked up together, and the files may hold a gigabyte.
    this.#locations ??= this.#load()
    const location = (await this.#locations).get(key.toString('hex'))
    return location === undefined ? undefined : readRow(key, location)
  }

  async keep(entries: readonly Entry[], dim: number): Promise<void> {
    const bytes = pack(entries, dim)
    const path = join(this.#folder, `${sha256(bytes).toString('hex')}${SUFFIX}`)
    // Durable: embedding the documents again costs requests to a paid server.
    await replaceStoreFile(path, bytes, { durable: true })
    const locations = await this.#locations
    for (const [key, location] of await readKeys(path)) locations?.set(key, location)
    await trimFolder(this.#folder, this.#maxBytes)
  }
}

/**
 * Caches document vectors on disk: an interrupted build continues where it stopped, and a text in many packets
 * is embedded once. Losing the files only costs requests.
 */
export const cacheDocuments = (embedder: Embedder, root: string, maxBytes = MAX_BYTES): Embedder => {
  const name = sha256(embedder.model).toString('hex').slice(0, 16)
  const folder = new VectorFolder(join(root, 'cache', 'embeddings', 'documents', name), maxBytes)

  const embedMissing = async (texts: readonly string[], signal: AbortSignal): Promise<Matrix> => {
    const keys = texts.map((text) => sha256(vectorKey(embedder, text)))
    const rows = await Promise.all(keys.map((key) => folder.find(key)))
    const missing = [...keys.entries()].filter(([i]) => rows[i] === undefined)
    if (missing.length > 0) {
      const wanted = missing.map(([i]) => texts[i] ?? '')
      const { values, dim } = await embedder.embed(wanted, 'document', signal)
      const fresh = missing.map(([at, key], i) => {
        const row = values.subarray(i * dim, (i + 1) * dim)
        rows[at] = row
        return { key, row }
      })
      // A cache that cannot be written must not fail the build. Without a packet folder there is no cache: a
      // build does not create one.
      if (await isFolder(root)) await folder.keep(fresh, dim).catch(() => {})
    }
    const dim = rows[missing[0]?.[0] ?? 0]?.length ?? 0
    // The server has a new model under the old name: the cached vectors are useless.
    if (rows.some((row) => row?.length !== dim)) return embedder.embed(texts, 'document', signal)
    const values = new Float32Array(texts.length * dim)
    for (const [i, row] of rows.entries()) values.set(row ?? [], i * dim)
    return { rows: texts.length, dim, values }
  }

  return wrapEmbedder(embedder, (texts, use, signal) =>
    use === 'document' && texts.length > 0 ? embedMissing(texts, signal) : embedder.embed(texts, use, signal),
  )
}

const MAX_REMEMBERED = 512
const MAX_QUERY_BYTES = 64 * 1024 * 1024

/** LRU cache of query vectors in memory. */
const remembered = new Map<string, Float32Array>()

const remember = (key: string, row: Float32Array): void => {
  remembered.delete(key)
  remembered.set(key, row)
  const [oldest = ''] = remembered.keys()
  if (remembered.size > MAX_REMEMBERED) remembered.delete(oldest)
}

/** Caches query vectors by model, variant and text, in memory and on disk. Documents are passed through. */
export const cacheQueries = (embedder: Embedder, root: string): Embedder => {
  const kept = blobCache(() => join(root, 'cache', 'embeddings', 'queries'), MAX_QUERY_BYTES)
  const ask = async (text: string, signal: AbortSignal): Promise<Float32Array> => {
    const key = vectorKey(embedder, text)
    const bytes = remembered.has(key) ? undefined : await kept.read(key)
    const known = bytes ? copyFloats(bytes) : remembered.get(key)
    const values = known ?? (await embedder.embed([text], 'query', signal)).values
    remember(key, values)
    if (known === undefined) await kept.write(key, toBytes(values))
    return values
  }
  return wrapEmbedder(embedder, async (texts, use, signal) => {
    const [only, ...others] = texts
    if (use !== 'query' || only === undefined || others.length > 0) return embedder.embed(texts, use, signal)
    const values = await ask(only, signal)
    return { rows: 1, dim: values.length, values }
  })
}
