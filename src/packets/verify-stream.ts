import { createHash } from 'node:crypto'
import { packetFaults } from './faults.ts'
import type { Descriptor } from './format/artifact.ts'
import type { LentChunk } from './registry.ts'

type Promised = Pick<Descriptor, 'digest' | 'size'>

/**
 * Passes bytes on while checking them against what was promised. It ends only if every byte was right: whoever
 * reads to the end may trust what came before.
 */
export async function* verifyBytes(
  source: AsyncIterable<LentChunk>,
  { digest, size }: Promised,
): AsyncGenerator<LentChunk> {
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

/** All bytes of a stream that `verifyBytes` bounds. */
export const collectBytes = async (source: AsyncIterable<LentChunk>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
