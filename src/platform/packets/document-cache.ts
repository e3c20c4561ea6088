import { createHash } from 'node:crypto'
import { readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { forEachConcurrent } from '../../kernel/async/concurrency.ts'
import type { Embedder } from '../../packets/embed.ts'
import { floatsOf } from '../../packets/format/faiss.ts'
import type { Matrix } from '../../packets/format/vectors.ts'
import { sweepDrafts } from '../files/atomic-write.ts'
import { type OpenedFile, openRegularFile } from '../jail/async.ts'
import { replaceStoreFile } from './drafts.ts'

const MAGIC = Buffer.from('WRNT-EV\x01', 'latin1')
const HEADER = 16
const KEY = 32
const SEAL = 8
const SUFFIX = '.vec'
const MAX_BYTES = 1024 ** 3

const sha256 = (...parts: (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** Where a vector lies: after the keys of its file, before it what shows that it is whole. */
interface Spot {
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
  const rows = entries.flatMap(({ key, row }) => [sha256(key, bytesOf(row)).subarray(0, SEAL), bytesOf(row)])
  return Buffer.concat([header, ...entries.map(({ key }) => key), ...rows])
}

type Found = readonly [key: string, spot: Spot]

/** The keys of an open file, without the vectors behind them, which are most of it. */
const keysIn = async ({ file, size }: OpenedFile, path: string): Promise<readonly Found[]> => {
  const header = Buffer.alloc(HEADER)
  await file.read(header, 0, HEADER, 0)
  if (!header.subarray(0, 8).equals(MAGIC)) return []
  const [dim, count] = [header.readUInt32LE(8), header.readUInt32LE(12)]
  if (size !== HEADER + count * (KEY + SEAL + 4 * dim)) return []
  const keys = Buffer.alloc(count * KEY)
  await file.read(keys, 0, keys.length, HEADER)
  return Array.from({ length: count }, (_, i) => {
    const key = keys.subarray(i * KEY, (i + 1) * KEY).toString('hex')
    return [key, { path, dim, at: HEADER + count * KEY + i * (SEAL + 4 * dim) }]
  })
}

/** The keys of a file, and where their vectors lie. A file that is not what it should be holds none. */
const readKeys = async (path: string): Promise<readonly Found[]> => {
  const opened = await openRegularFile(path).catch(() => undefined)
  if (opened === undefined) return []
  return keysIn(opened, path)
    .catch(() => [])
    .finally(() => opened.file.close())
}

const readRow = async (key: Buffer, { path, at, dim }: Spot): Promise<Float32Array | undefined> => {
  const opened = await openRegularFile(path).catch(() => undefined)
  try {
    const bytes = Buffer.alloc(SEAL + 4 * dim)
    await opened?.file.read(bytes, 0, bytes.length, at)
    const row = bytes.subarray(SEAL)
    return sha256(key, row).subarray(0, SEAL).equals(bytes.subarray(0, SEAL)) ? floatsOf(row) : undefined
  } finally {
    await opened?.file.close()
  }
}

/** Vectors of one model in files of a folder, one file for all that came at a time. */
class VectorFolder {
  readonly #folder: string
  readonly #maxBytes: number
  #spots: Promise<Map<string, Spot>> | undefined

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder
    this.#maxBytes = maxBytes
  }

  async #files(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch(() => [])
    return names.filter((name) => name.endsWith(SUFFIX)).map((name) => join(this.#folder, name))
  }

  async #load(): Promise<Map<string, Spot>> {
    const spots = new Map<string, Spot>()
    // A few at a time: there may be more files than a process can have open.
    await forEachConcurrent(await this.#files(), async (path) => {
      for (const [key, spot] of await readKeys(path)) spots.set(key, spot)
    })
    return spots
  }

  async find(key: Buffer): Promise<Float32Array | undefined> {
    // Many are looked for at a time, and there may be a gigabyte to look through.
    this.#spots ??= this.#load()
    const spot = (await this.#spots).get(key.toString('hex'))
    return spot === undefined ? undefined : readRow(key, spot)
  }

  async keep(entries: readonly Entry[], dim: number): Promise<void> {
    const bytes = pack(entries, dim)
    const path = join(this.#folder, `${sha256(bytes).toString('hex')}${SUFFIX}`)
    // Durable: embedding the documents again costs requests to a paid server.
    await replaceStoreFile(path, bytes, { durable: true })
    const spots = await this.#spots
    for (const [key, spot] of await readKeys(path)) spots?.set(key, spot)
    await this.#makeRoom()
  }

  /** Lets go of what came first when there is too much. */
  async #makeRoom(): Promise<void> {
    await sweepDrafts(this.#folder)
    const files = await Promise.all(
      (await this.#files()).map(async (path) => {
        const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }))
        return { path, size, mtimeMs }
      }),
    )
    let total = files.reduce((sum, { size }) => sum + size, 0)
    for (const { path, size } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (total <= this.#maxBytes) return
      await unlink(path).catch(() => {})
      total -= size
    }
  }
}

/**
 * An embedder that asks its server for no document twice: a build that was cut short goes on where it stopped,
 * and what stands in many packets is paid for once. Losing the files costs requests and nothing else.
 */
export const cacheDocuments = (embedder: Embedder, root: string, maxBytes = MAX_BYTES): Embedder => {
  const { model, variant } = embedder
  const name = sha256(model).toString('hex').slice(0, 16)
  const folder = new VectorFolder(join(root, 'cache', 'embeddings', 'documents', name), maxBytes)

  const embedMissing = async (texts: readonly string[], signal: AbortSignal): Promise<Matrix> => {
    const keys = texts.map((text) =>
      sha256(JSON.stringify([model, text, ...(variant === undefined ? [] : [variant])])),
    )
    const rows = await Promise.all(keys.map((key) => folder.find(key)))
    const missing = texts.flatMap((_, i) => (rows[i] === undefined ? [i] : []))
    if (missing.length > 0) {
      const wanted = missing.map((i) => texts[i] as string)
      const { values, dim } = await embedder.embed(wanted, 'document', signal)
      const fresh = missing.map((at, i) => {
        const row = values.subarray(i * dim, (i + 1) * dim)
        rows[at] = row
        return { key: keys[at] as Buffer, row }
      })
      // A cache that cannot be written costs requests; it must not cost the build. Where no packets are kept none
      // is begun: who builds somewhere does not ask for a folder there.
      if (await isFolder(root)) await folder.keep(fresh, dim).catch(() => {})
    }
    const dim = rows[missing[0] ?? 0]?.length ?? 0
    // The server has another model under the old name: what is remembered is of no use.
    if (rows.some((row) => row?.length !== dim)) return embedder.embed(texts, 'document', signal)
    const values = new Float32Array(texts.length * dim)
    for (const [i, row] of rows.entries()) values.set(row as Float32Array, i * dim)
    return { rows: texts.length, dim, values }
  }

  return {
    model,
    provider: embedder.provider,
    ...(variant !== undefined && { variant }),
    get dim() {
      return embedder.dim
    },
    embed: (texts, use, signal) =>
      use === 'document' && texts.length > 0
        ? embedMissing(texts, signal)
        : embedder.embed(texts, use, signal),
  }
}
