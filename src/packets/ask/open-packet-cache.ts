import type { OpenPacket } from './retrieve.ts'

interface Place {
  readonly opening: Promise<OpenPacket>
  /** Known once it is open. */
  bytes: number
  users: number
  gone: boolean
}

interface Room {
  readonly packets: number
  readonly bytes: number
}

/**
 * Keeps packets open between questions, the least recently used giving way when there are too many or they take
 * too much memory. One that gives way while it is being asked is closed when its last question is answered.
 */
export class OpenPacketCache {
  readonly #room: Room
  readonly #places = new Map<string, Place>()

  constructor(room: Room) {
    this.#room = room
  }

  async use<T>(
    key: string,
    open: () => Promise<OpenPacket>,
    work: (packet: OpenPacket) => Promise<T>,
  ): Promise<T> {
    const place = this.#places.get(key) ?? { opening: open(), bytes: 0, users: 0, gone: false }
    // Taken out and put back: the map's order is the order of use.
    this.#places.delete(key)
    this.#places.set(key, place)
    place.users += 1
    try {
      this.#makeRoom()
      const packet = await place.opening
      if (place.bytes === 0) {
        place.bytes = packet.bytes
        this.#makeRoom()
      }
      return await work(packet)
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
    let bytes = 0
    for (const place of this.#places.values()) bytes += place.bytes
    for (const [key, place] of this.#places) {
      // The last one stays, however large it is: it is the one that is asked.
      if (this.#places.size === 1 || (this.#places.size <= this.#room.packets && bytes <= this.#room.bytes))
        return
      bytes -= place.bytes
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
