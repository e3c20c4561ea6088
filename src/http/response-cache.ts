/** Limits of the cache for queries: keys seen once, cached bodies, and the length of either. */
const RECENT = { keys: 1024, bodies: 128, bodyBytes: 64 * 1024, keyLength: 256 }

/** Longer bodies are not cached: sending them costs more than writing them, and they would fill the memory. */
const MAX_FIXED = 16 * 1024 * 1024

/** Response bodies of one version of the evidence file. */
export class ResponseCache {
  readonly #fixed = new Map<string, Buffer>()
  readonly #recent = new Map<string, Buffer>()
  readonly #seenOnce = new Set<string>()

  /** A body without parameters: written once and kept. */
  fixed(name: string, write: () => string): Buffer {
    const kept = this.#fixed.get(name)
    if (kept !== undefined) return kept
    const body = Buffer.from(write())
    if (body.length <= MAX_FIXED) this.#fixed.set(name, body)
    return body
  }

  get(key: string): Buffer | undefined {
    return this.#recent.get(key)
  }

  /**
   * Caches the body from the second request for the same key on, and evicts the oldest body first. Clients repeat
   * the same few queries; one that turns pages asks for each page once and takes no memory.
   */
  set(key: string, text: string): string | Buffer {
    if (text.length > RECENT.bodyBytes || key.length > RECENT.keyLength) return text
    if (!this.#seenOnce.has(key)) {
      if (this.#seenOnce.size >= RECENT.keys) this.#seenOnce.clear()
      this.#seenOnce.add(key)
      return text
    }
    const body = Buffer.from(text)
    const [oldest] = this.#recent.size < RECENT.bodies ? [] : this.#recent.keys()
    if (oldest !== undefined) this.#recent.delete(oldest)
    this.#recent.set(key, body)
    return body
  }
}
