import { createHash } from 'node:crypto'
import { packetFaults } from './faults.ts'
import type { Descriptor } from './format/artifact.ts'

type Promised = Pick<Descriptor, 'digest' | 'size'>

/**
 * Passes bytes on while checking them against what was promised. It ends only if every byte was right: whoever
 * reads to the end may trust what came before.
 */
export async function* verifyBytes(
  source: AsyncIterable<Uint8Array>,
  { digest, size }: Promised,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let seen = 0
  for await (const chunk of source) {
    seen += chunk.length
    if (seen > size) throw packetFaults.mismatch(`${digest} has more than the ${size} bytes promised`)
    hash.update(chunk)
    yield chunk
  }
  if (seen !== size) throw packetFaults.mismatch(`${digest} ended after ${seen} of ${size} bytes`)
  if (`sha256:${hash.digest('hex')}` !== digest)
    throw packetFaults.mismatch(`the bytes that came as ${digest} are others`)
}

/** All of a source's bytes in memory. The promise bounds them; chunks are copied, for they are only lent. */
export const collectBytes = async (source: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
