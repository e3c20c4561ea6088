import { join } from 'node:path'
import { confinePath } from '../../packets/format/safe-path.ts'
import type { AsyncJail } from '../jail/async.ts'
import { diskFault } from './drafts.ts'

/** Largest file that is read whole. */
export const MAX_PAYLOAD_FILE = 2 ** 31

/**
 * The payload of a packet, read in a jail: the store may come from a repository, and a symlink must not lead
 * elsewhere.
 */
export class Payload {
  readonly #jail: AsyncJail
  readonly #folder: string

  constructor(jail: AsyncJail, folder: string) {
    this.#jail = jail
    this.#folder = join(folder, 'payload')
  }

  place(path: string): string {
    return join(this.#folder, confinePath(path))
  }

  read(path: string): Promise<Uint8Array | undefined> {
    return this.#jail.read(this.place(path), MAX_PAYLOAD_FILE).catch((cause: unknown) => {
      throw diskFault(cause)
    })
  }

  async size(path: string): Promise<number | undefined> {
    const opened = await this.#jail.open(this.place(path)).catch(() => undefined)
    await opened?.file.close()
    return opened?.size
  }
}
