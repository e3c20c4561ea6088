import type { OpenPacket } from './retrieve.ts'

interface CacheEntry {
  readonly opening: Promise<OpenPacket>
  /** Zero until the packet is open. */
  bytes: number
  users: number
  evicted: boolean
}

interface CacheLimits {
  readonly packets: number
  readonly bytes: number
}

/**
 * LRU cache of open packets, limited by count and memory. A packet that is evicted while in use is closed after
 * its last use.
 */
export class OpenPacketCache {
  readonly #limits: CacheLimits
  readonly #entries = new Map<string, CacheEntry>()

  constructor(limits: CacheLimits) {
    this.#limits = limits
  }

  async use<T>(
    key: string,
    open: () => Promise<OpenPacket>,
    work: (packet: OpenPacket) => Promise<T>,
  ): Promise<T> {
    const entry = this.#entries.get(key) ?? { opening: open(), bytes: 0, users: 0, evicted: false }
    // Re-inserted: the map's order is the order of use.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    entry.users += 1
    try {
      this.#evict()
      const packet = await entry.opening
      if (entry.bytes === 0) {
        entry.bytes = packet.bytes
        this.#evict()
      }
      return await work(packet)
    } catch (thrown) {
      // A packet that failed to open is opened again next time.
      await entry.opening.catch(() => this.#remove(key, entry))
      throw thrown
    } finally {
      entry.users -= 1
      await this.#closeIfUnused(entry)
    }
  }

  async close(): Promise<void> {
    for (const [key, entry] of [...this.#entries]) {
      this.#remove(key, entry)
      await this.#closeIfUnused(entry)
    }
  }

  #evict(): void {
    let bytes = 0
    for (const entry of this.#entries.values()) bytes += entry.bytes
    for (const [key, entry] of this.#entries) {
      // The last one stays, however large: it is the one in use.
      if (
        this.#entries.size === 1 ||
        (this.#entries.size <= this.#limits.packets && bytes <= this.#limits.bytes)
      )
        return
      bytes -= entry.bytes
      this.#remove(key, entry)
      void this.#closeIfUnused(entry)
    }
  }

  #remove(key: string, entry: CacheEntry): void {
    entry.evicted = true
    if (this.#entries.get(key) === entry) this.#entries.delete(key)
  }

  async #closeIfUnused(entry: CacheEntry): Promise<void> {
    if (!entry.evicted || entry.users > 0) return
    const packet = await entry.opening.catch(() => undefined)
    // Checked again: a caller may have taken it while it was opening.
    if (entry.users === 0) packet?.close()
  }
}
