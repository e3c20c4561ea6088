import type { OpenPacket } from './retrieve.ts'

interface Place {
  readonly opening: Promise<OpenPacket>
  users: number
  gone: boolean
}

/**
 * Keeps packets open between questions, the least recently used of too many giving way. One that gives way
 * while it is being asked is closed when its last question is answered.
 */
export class Shelf {
  readonly #room: number
  readonly #places = new Map<string, Place>()

  constructor(room: number) {
    this.#room = room
  }

  async use<T>(
    key: string,
    open: () => Promise<OpenPacket>,
    work: (packet: OpenPacket) => Promise<T>,
  ): Promise<T> {
    const place = this.#places.get(key) ?? { opening: open(), users: 0, gone: false }
    // Taken out and put back: the map's order is the order of use.
    this.#places.delete(key)
    this.#places.set(key, place)
    place.users += 1
    try {
      this.#makeRoom()
      return await work(await place.opening)
    } catch (thrown) {
      // A packet that could not be opened is tried anew next time.
      await place.opening.catch(() => this.#remove(key, place))
      throw thrown
    } finally {
      place.users -= 1
      await this.#closeIfDone(place)
    }
  }

  async close(): Promise<void> {
    for (const [key, place] of [...this.#places]) {
      this.#remove(key, place)
      await this.#closeIfDone(place)
    }
  }

  #makeRoom(): void {
    for (const [key, place] of this.#places) {
      if (this.#places.size <= this.#room) return
      this.#remove(key, place)
      void this.#closeIfDone(place)
    }
  }

  #remove(key: string, place: Place): void {
    place.gone = true
    if (this.#places.get(key) === place) this.#places.delete(key)
  }

  async #closeIfDone(place: Place): Promise<void> {
    if (!place.gone || place.users > 0) return
    const packet = await place.opening.catch(() => undefined)
    // Looked at again: while it was opening somebody may have come.
    if (place.users === 0) packet?.close()
  }
}
