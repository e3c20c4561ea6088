import { createHash } from 'node:crypto'
import type { Descriptor } from './artifact.ts'
import { packetFaults } from './faults.ts'

type Promised = Pick<Descriptor, 'digest' | 'size'>

/** Works out a digest while the bytes come. */
export interface Hasher {
  /** Done with the chunk once it settles. */
  update(chunk: Uint8Array): unknown
  digest(): string | Promise<string>
}

/** Where the digests of several files are worked out, until it is closed. */
export interface HashRoom {
  start(): Hasher
  close(): void
}

export const hashHere = (): Hasher => {
  const hash = createHash('sha256')
  return { update: (chunk) => void hash.update(chunk), digest: () => `sha256:${hash.digest('hex')}` }
}

/**
 * Passes bytes on while checking them against what was promised. It ends only if every byte was right: whoever
 * reads to the end may trust what came before.
 */
export async function* verifyBytes(
  source: AsyncIterable<Uint8Array>,
  { digest, size }: Promised,
  hash: Hasher = hashHere(),
): AsyncGenerator<Uint8Array> {
  let seen = 0
  for await (const chunk of source) {
    seen += chunk.length
    if (seen > size) throw packetFaults.mismatch(`${digest} has more than the ${size} bytes promised`)
    // Both look at it at once; the source has it back when both are done.
    const hashed = hash.update(chunk)
    yield chunk
    await hashed
  }
  if (seen !== size) throw packetFaults.mismatch(`${digest} ended after ${seen} of ${size} bytes`)
  if ((await hash.digest()) !== digest)
    throw packetFaults.mismatch(`the bytes that came as ${digest} are others`)
}

/** All of a source's bytes in memory. The promise bounds them. */
export const collectBytes = async (source: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
