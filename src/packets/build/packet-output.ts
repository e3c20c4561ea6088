import { createHash } from 'node:crypto'
import type { ByteSource } from '../format/faiss.ts'

/** A file that is written from its first byte to its last. */
export interface OutputFile {
  /** The bytes are lent until the call returns. */
  write(bytes: Uint8Array): void
  end(): void
}

/**
 * The files of a packet that is being built, each written once. Writing is synchronous because the sources are read
 * synchronously, in a folder that is open for that time.
 */
export interface PacketOutput {
  create(path: string): OutputFile
  /** Reads a file that has ended. */
  open(path: string): ByteSource
  /** Removes a file that has ended. */
  remove(path: string): void
}

/** Computes the digest of each file while it is written. */
export class DigestedOutput implements PacketOutput {
  readonly digests = new Map<string, string>()
  readonly #output: PacketOutput

  constructor(output: PacketOutput) {
    this.#output = output
  }

  create(path: string): OutputFile {
    const file = this.#output.create(path)
    const hash = createHash('sha256')
    return {
      write: (bytes) => {
        hash.update(bytes)
        file.write(bytes)
      },
      end: () => {
        file.end()
        this.digests.set(path, hash.digest('hex'))
      },
    }
  }

  open(path: string): ByteSource {
    return this.#output.open(path)
  }

  remove(path: string): void {
    this.#output.remove(path)
    this.digests.delete(path)
  }

  /** Writes a whole file. */
  put(path: string, bytes: Uint8Array): void {
    const file = this.create(path)
    file.write(bytes)
    file.end()
  }
}
