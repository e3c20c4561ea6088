import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Embedder } from '../../packets/embed.ts'
import { copyFloats } from '../../packets/format/faiss.ts'
import type { Matrix } from '../../packets/format/vectors.ts'
import { readRegularFile } from '../jail/async.ts'
import { replaceStoreFile } from './drafts.ts'

const MAX_CACHED = 512
const MAX_ROW = 1024 * 1024

/** LRU cache of query vectors in memory; `cache/embeddings` has them on disk. */
const remembered = new Map<string, Float32Array>()

const keep = (key: string, row: Float32Array): void => {
  remembered.delete(key)
  remembered.set(key, row)
  for (const oldest of remembered.keys()) {
    if (remembered.size <= MAX_CACHED) return
    remembered.delete(oldest)
  }
}

/** Stored with its hash, so that a damaged file counts as absent. */
const withHash = (row: Uint8Array): Uint8Array =>
  Buffer.concat([createHash('sha256').update(row).digest(), row])

const verifyRow = (bytes: Uint8Array): Float32Array | undefined => {
  const row = bytes.subarray(32)
  const whole = row.length > 0 && row.length % 4 === 0
  return whole && Buffer.compare(withHash(row), bytes) === 0 ? copyFloats(row) : undefined
}

/** Caches query vectors by model, variant and text. Documents are passed through. */
export const cacheQueries = (embedder: Embedder, root: string): Embedder => {
  const { model, variant } = embedder
  const ask = async (text: string, signal: AbortSignal): Promise<Float32Array> => {
    const key = createHash('sha256')
      .update(JSON.stringify([model, text, ...(variant === undefined ? [] : [variant])]))
      .digest('hex')
    const path = join(root, 'cache', 'embeddings', key.slice(0, 2), `${key}.f32`)
    const known =
      remembered.get(key) ??
      verifyRow((await readRegularFile(path, MAX_ROW).catch(() => undefined)) ?? new Uint8Array())
    if (known !== undefined) {
      keep(key, known)
      return known
    }
    const { values } = await embedder.embed([text], 'query', signal)
    keep(key, values)
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    // A cache that cannot be written must not fail the query. Not durable: a damaged row fails its checksum.
    await replaceStoreFile(path, withHash(bytes), { durable: false }).catch(() => {})
    return values
  }
  return {
    model,
    provider: embedder.provider,
    ...(variant !== undefined && { variant }),
    ...(embedder.batch !== undefined && { batch: embedder.batch }),
    ...(embedder.windows !== undefined && { windows: embedder.windows }),
    get dim() {
      return embedder.dim
    },
    embed: async (texts, use, signal): Promise<Matrix> => {
      const [only, ...others] = texts
      if (use !== 'query' || only === undefined || others.length > 0)
        return embedder.embed(texts, use, signal)
      const values = await ask(only, signal)
      return { rows: 1, dim: values.length, values }
    },
  }
}
