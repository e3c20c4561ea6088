import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Embedder } from '../../packets/embed.ts'
import { floatsOf } from '../../packets/format/faiss.ts'
import type { Matrix } from '../../packets/format/vectors.ts'
import { readRegularFile } from '../jail/async.ts'
import { replaceStoreFile } from './drafts.ts'

const REMEMBERED = 512
const MAX_ROW = 1024 * 1024

/** The rows of questions asked before, for one process and, below `cache/embeddings`, for all. */
const remembered = new Map<string, Float32Array>()

const keep = (key: string, row: Float32Array): void => {
  remembered.delete(key)
  remembered.set(key, row)
  for (const oldest of remembered.keys()) {
    if (remembered.size <= REMEMBERED) return
    remembered.delete(oldest)
  }
}

/** A row that is damaged is as good as none: its length is not known, so its own hash goes with it. */
const seal = (row: Uint8Array): Uint8Array => Buffer.concat([createHash('sha256').update(row).digest(), row])

const unseal = (bytes: Uint8Array): Float32Array | undefined => {
  const row = bytes.subarray(32)
  const whole = row.length > 0 && row.length % 4 === 0
  return whole && Buffer.compare(seal(row), bytes) === 0 ? floatsOf(row) : undefined
}

/**
 * An embedder that asks its server for no question twice. Keyed by model, variant and text: the same model gives
 * the same vector wherever it runs. Documents pass by.
 */
export const cacheQueries = (embedder: Embedder, root: string): Embedder => {
  const { model, variant } = embedder
  const ask = async (text: string, signal: AbortSignal): Promise<Float32Array> => {
    const key = createHash('sha256')
      .update(JSON.stringify([model, text, ...(variant === undefined ? [] : [variant])]))
      .digest('hex')
    const path = join(root, 'cache', 'embeddings', key.slice(0, 2), `${key}.f32`)
    const known =
      remembered.get(key) ??
      unseal((await readRegularFile(path, MAX_ROW).catch(() => undefined)) ?? new Uint8Array())
    if (known !== undefined) {
      keep(key, known)
      return known
    }
    const { values } = await embedder.embed([text], 'query', signal)
    keep(key, values)
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    // A cache that cannot be written costs requests; it must not cost the answer.
    // Not durable: a damaged row fails its checksum and is asked for again.
    await replaceStoreFile(path, seal(bytes), { durable: false }).catch(() => {})
    return values
  }
  return {
    model,
    provider: embedder.provider,
    ...(variant !== undefined && { variant }),
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
