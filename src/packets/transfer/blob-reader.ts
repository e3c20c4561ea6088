import { CONCURRENCY } from '../../kernel/async/concurrency.ts'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { type Descriptor, LARGE_FILE } from '../format/artifact.ts'
import type { Reference } from '../format/reference.ts'
import type { LentChunk, RegistryReader } from '../registry.ts'

/** Bytes that are on their way before anybody reads them. */
const beginReading = (source: AsyncIterable<LentChunk>): AsyncIterable<LentChunk> => {
  const chunks = source[Symbol.asyncIterator]()
  let begun: Promise<IteratorResult<LentChunk>> | undefined = chunks.next()
  begun.catch(() => {})
  const next = () => {
    const result = begun ?? chunks.next()
    begun = undefined
    return result
  }
  const leave = async () => (await chunks.return?.()) ?? { done: true as const, value: undefined }
  return { [Symbol.asyncIterator]: () => ({ next, return: leave }) }
}

/** The blobs of one packet, as its registry sends them. */
export class BlobReader {
  readonly #registry: RegistryReader
  readonly #ref: Reference
  readonly #halt = new AbortController()
  readonly #signal: AbortSignal
  readonly #begun = new Map<Digest, AsyncIterable<LentChunk>>()
  #stop: AbortSignal | undefined

  constructor(registry: RegistryReader, ref: Reference, signal: AbortSignal) {
    this.#registry = registry
    this.#ref = ref
    this.#signal = AbortSignal.any([signal, this.#halt.signal])
  }

  /** Asks for those that take longest; what else has to be known of the packet comes meanwhile. */
  ahead(blobs: readonly Descriptor[]): void {
    const large = blobs.filter(({ size }) => size >= LARGE_FILE).sort((a, b) => b.size - a.size)
    for (const blob of large.slice(0, CONCURRENCY))
      this.#begun.set(blob.digest, beginReading(this.#stream(blob)))
  }

  open(blob: Descriptor, stop: AbortSignal): AsyncIterable<LentChunk> {
    // Shared by all that are open at a time, and listened to once.
    if (stop !== this.#stop) stop.addEventListener('abort', () => this.leave(), { once: true })
    this.#stop = stop
    const begun = this.#begun.get(blob.digest)
    // The same bytes may be wanted in two places, and were asked for once.
    this.#begun.delete(blob.digest)
    return begun ?? this.#stream(blob)
  }

  /** Nobody will read any more. */
  leave(): void {
    this.#halt.abort()
  }

  #stream(blob: Descriptor): AsyncIterable<LentChunk> {
    return this.#registry.stream(this.#ref, blob, this.#signal)
  }
}
