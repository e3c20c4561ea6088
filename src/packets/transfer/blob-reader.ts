import { CONCURRENCY } from '../../kernel/async/concurrency.ts'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { type Descriptor, LARGE_FILE } from '../format/artifact.ts'
import type { Reference } from '../format/reference.ts'
import type { LentChunk, RegistryReader } from '../registry.ts'

/** Starts reading a stream before its consumer asks. */
const startReading = (source: AsyncIterable<LentChunk>): AsyncIterable<LentChunk> => {
  const chunks = source[Symbol.asyncIterator]()
  let started: Promise<IteratorResult<LentChunk>> | undefined = chunks.next()
  started.catch(() => {})
  const next = () => {
    const result = started ?? chunks.next()
    started = undefined
    return result
  }
  const cancel = async () => (await chunks.return?.()) ?? { done: true as const, value: undefined }
  return { [Symbol.asyncIterator]: () => ({ next, return: cancel }) }
}

/** The blobs of one packet. */
export class BlobReader {
  readonly #registry: RegistryReader
  readonly #ref: Reference
  readonly #halt = new AbortController()
  readonly #signal: AbortSignal
  readonly #started = new Map<Digest, AsyncIterable<LentChunk>>()
  #stop: AbortSignal | undefined

  constructor(registry: RegistryReader, ref: Reference, signal: AbortSignal) {
    this.#registry = registry
    this.#ref = ref
    this.#signal = AbortSignal.any([signal, this.#halt.signal])
  }

  /** Starts downloading the largest blobs while the rest of the packet's description is fetched. */
  prefetch(blobs: readonly Descriptor[]): void {
    const large = blobs.filter(({ size }) => size >= LARGE_FILE).sort((a, b) => b.size - a.size)
    for (const blob of large.slice(0, CONCURRENCY))
      this.#started.set(blob.digest, startReading(this.#stream(blob)))
  }

  open(blob: Descriptor, stop: AbortSignal): AsyncIterable<LentChunk> {
    // All open blobs share one signal; listen to it once.
    if (stop !== this.#stop) stop.addEventListener('abort', () => this.stop(), { once: true })
    this.#stop = stop
    const started = this.#started.get(blob.digest)
    // Two files may have the same blob, which was started once.
    this.#started.delete(blob.digest)
    return started ?? this.#stream(blob)
  }

  /** Aborts all downloads. */
  stop(): void {
    this.#halt.abort()
  }

  #stream(blob: Descriptor): AsyncIterable<LentChunk> {
    return this.#registry.stream(this.#ref, blob, this.#signal)
  }
}
