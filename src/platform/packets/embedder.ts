import { setTimeout as sleep } from 'node:timers/promises'
import { forEachConcurrent } from '../../kernel/async/concurrency.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { Fault } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import type { Embedder, NormalizeMode, Provider } from '../../packets/embed.ts'
import { packetFaults } from '../../packets/faults.ts'
import { copyFloats } from '../../packets/format/faiss.ts'
import { type Matrix, normalizeRow } from '../../packets/format/vectors.ts'
import { withDeadline } from '../system/deadline.ts'

interface EmbedderSettings extends Provider {
  readonly model: string
  readonly key?: string | undefined
  readonly attempts?: number
  readonly backoffMs?: number
}

const BATCH = 64
const MAX_ANSWER = 64 * 1024 * 1024
const MAX_WAIT_MS = 20_000
const MAX_DIM = 65_536
/** Status codes for a batch that is too large. */
const TOO_MUCH = new Set([400, 413, 422])
/** A text of this length is never cut: every model accepts it. */
const SHORT = 1024
const MAX_REASON = 200

/** Tolerance of unit length: some servers compute in float16. */
const UNIT_SLACK = 1e-3

/** The endpoint, from a base address with or without `/v1/embeddings`; an explicit path is used as it is. */
export const embeddingsUrl = (base: string, path?: string): string => {
  const bare = base.replace(/\/+$/, '')
  if (path !== undefined) return `${bare}/${path.replace(/^\/+/, '')}`
  if (bare.endsWith('/v1/embeddings')) return bare
  return bare.endsWith('/v1') ? `${bare}/embeddings` : `${bare}/v1/embeddings`
}

const refuse = (why: string, fix?: string): never => {
  throw packetFaults.embedder_answer(
    `the embedding server's answer cannot be used: ${why}`,
    fix === undefined ? {} : { fix },
  )
}

const readVector = (value: unknown): Float32Array => {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value, 'base64')
    return bytes.length % 4 === 0 ? copyFloats(bytes) : refuse('a vector is cut off')
  }
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'number'))
    return refuse('a vector is not a list of numbers')
  return Float32Array.from(value)
}

/** Rows must have length one. A zero row stays. */
const unitRow = (row: Float32Array, mode: NormalizeMode): Float32Array => {
  if (mode === 'client') return normalizeRow(row)
  const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0))
  if (length === 0 || Math.abs(length - 1) <= UNIT_SLACK) return row
  return mode === 'auto'
    ? normalizeRow(row)
    : refuse('a vector is not of length one', 'Set normalize_mode of the provider to auto or client.')
}

/** Reads the vectors of a response, in the order of the texts: one for each, all of the same length. */
export const readEmbeddings = (answer: unknown, count: number, mode: NormalizeMode = 'client'): Matrix => {
  const data = isRecord(answer) ? answer.data : undefined
  if (!Array.isArray(data) || data.length !== count) return refuse(`it does not have ${count} vectors`)
  const rows: Float32Array[] = []
  for (const item of data) {
    const index: unknown = isRecord(item) ? item.index : undefined
    if (typeof index !== 'number' || !Number.isSafeInteger(index)) return refuse('a vector has no index')
    if (index < 0 || index >= count || rows[index] !== undefined) return refuse(`the index ${index} is wrong`)
    rows[index] = readVector(item.embedding)
  }
  const dim = rows[0]?.length ?? 0
  if (dim === 0 || dim > MAX_DIM || rows.some((row) => row.length !== dim))
    return refuse('the vectors differ in length')
  const values = new Float32Array(count * dim)
  if (rows.some((row) => !row.every(Number.isFinite))) return refuse('a value is NaN or Inf')
  for (const [i, row] of rows.entries()) values.set(unitRow(row, mode), i * dim)
  return { rows: count, dim, values }
}

/** The headers of every request, hints included. */
const requestHeaders = ({ model, key, hints = {}, headers }: EmbedderSettings): Record<string, string> => ({
  'content-type': 'application/json',
  'x-embedding-normalize': String(hints.normalize ?? true),
  'x-model-hint': hints.model ?? model,
  ...(hints.dim !== undefined && { 'x-embedding-dim': String(hints.dim) }),
  ...optional({ 'x-embedding-task': hints.task }),
  ...headers,
  ...(key !== undefined && { authorization: `Bearer ${key}` }),
})

/** The settings that can change the vectors of a model. */
const vectorVariant = ({ dims, hints }: EmbedderSettings): { readonly variant?: string } => {
  const told = JSON.stringify([dims, hints?.dim, hints?.normalize, hints?.task, hints?.model])
  return told === '[null,null,null,null,null]' ? {} : { variant: told }
}

const waitFor = (response: Response, attempt: number, backoffMs: number): number => {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.max(seconds, 0) * 1000 : backoffMs * attempt
}

/** An embedder for servers with OpenAI's protocol, such as Ollama, TEI and vLLM. */
export const httpEmbedder = (settings: EmbedderSettings): Embedder => {
  const { url, path, model, attempts = 3, timeoutMs = 30_000, backoffMs = 200 } = settings
  const { batchSize = BATCH, dims, normalize } = settings
  const endpoint = embeddingsUrl(url, path)
  const headers = requestHeaders(settings)

  const post = async (texts: readonly string[], signal: AbortSignal): Promise<Response> => {
    const body = JSON.stringify({ input: texts, model })
    const until = withDeadline(signal, timeoutMs)
    // A redirect would send the key and the texts to another host.
    return fetch(endpoint, { method: 'POST', headers, body, signal: until, redirect: 'error' })
  }

  const ask = async (texts: readonly string[], signal: AbortSignal): Promise<Matrix> => {
    for (let attempt = 1; ; attempt++) {
      const response = await post(texts, signal).catch((cause: unknown) => {
        signal.throwIfAborted()
        if (attempt >= attempts)
          throw packetFaults.embedder('the embedding server cannot be reached', { cause })
        return undefined
      })
      if (response?.ok) return readEmbeddings(await readAnswer(response), texts.length, normalize)
      const status = response?.status ?? 0
      if (response !== undefined && TOO_MUCH.has(status))
        throw new BadRequest(status, await reasonIn(response))
      await response?.body?.cancel().catch(() => {})
      if (status === 401 || status === 403)
        throw packetFaults.embedder_key(`the embedding server answers ${status}`)
      if (status !== 0 && status !== 429 && status < 500)
        return refuse(`it answers ${status} at ${new URL(endpoint).pathname}`)
      const wait = response === undefined ? backoffMs * attempt : waitFor(response, attempt, backoffMs)
      if (attempt >= attempts || wait > MAX_WAIT_MS)
        throw packetFaults.embedder(`the embedding server answers ${status}`)
      await sleep(wait, undefined, { signal })
    }
  }

  /** Halves a batch that is refused as too large: server limits differ. */
  const embedBatch = async (texts: readonly string[], signal: AbortSignal): Promise<readonly Matrix[]> => {
    try {
      return [await ask(texts, signal)]
    } catch (cause) {
      if (!(cause instanceof BadRequest)) throw cause
      const [only = ''] = texts
      // A single text is too long: send its first half, as models that truncate would.
      if (texts.length === 1 && only.length > SHORT) return embedBatch([firstHalf(only)], signal)
      if (texts.length === 1)
        throw packetFaults.embedder_answer(
          `the embedding server refuses a text with ${cause.status}${cause.reason && `: ${cause.reason}`}`,
        )
      const half = texts.length >> 1
      return [
        ...(await embedBatch(texts.slice(0, half), signal)),
        ...(await embedBatch(texts.slice(half), signal)),
      ]
    }
  }

  let known: number | undefined
  return {
    model,
    provider: 'openai-compatible',
    ...vectorVariant(settings),
    get dim() {
      return known
    },
    embed: async (texts, _, signal) => {
      const batches = Array.from({ length: Math.ceil(texts.length / batchSize) }, (__, i) =>
        texts.slice(i * batchSize, (i + 1) * batchSize),
      )
      const done: (readonly Matrix[])[] = []
      await forEachConcurrent([...batches.entries()], async ([at, batch], stop) => {
        done[at] = await embedBatch(batch, AbortSignal.any([signal, stop]))
      })
      const parts = done.flat()
      const dim = parts[0]?.dim ?? 0
      if (parts.some((part) => part.dim !== dim)) return refuse('the vectors differ in length')
      if (dims !== undefined && dim !== dims && parts.length > 0)
        return refuse(
          `its vectors have ${dim} values, the provider says ${dims}`,
          'Correct dims of the provider, or its model.',
        )
      known = dim
      const values = new Float32Array(texts.length * dim)
      let at = 0
      for (const part of parts) {
        values.set(part.values, at)
        at += part.values.length
      }
      return { rows: texts.length, dim, values }
    },
  }
}

class BadRequest extends Error {
  readonly status: number
  readonly reason: string
  constructor(status: number, reason: string) {
    super(`status ${status}`)
    this.status = status
    this.reason = reason
  }
}

/** The first half of a text, without splitting a surrogate pair. */
const firstHalf = (text: string): string => text.slice(0, text.length >> 1).replace(/[\ud800-\udbff]$/, '')

/** The error message of a response as one short line; empty when there is none. */
const reasonIn = async (response: Response): Promise<string> => {
  const answer = await readAnswer(response).catch(() => undefined)
  const { error, message, detail } = isRecord(answer) ? answer : {}
  const said = [isRecord(error) ? error.message : error, message, detail].find(
    (one) => typeof one === 'string',
  )
  return escapeLineBreaks(String(said ?? '').replace(/\s+/g, ' ')).slice(0, MAX_REASON)
}

const readAnswer = async (response: Response): Promise<unknown> => {
  const chunks: Uint8Array[] = []
  let seen = 0
  try {
    for await (const chunk of response.body ?? []) {
      seen += chunk.length
      if (seen > MAX_ANSWER) return refuse('it is too large')
      chunks.push(chunk)
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    return refuse('it is not JSON, or incomplete')
  }
}
