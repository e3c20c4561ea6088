import { createHash } from 'node:crypto'
import { packetFaults } from './faults.ts'
import type { Descriptor } from './format/artifact.ts'
import type { LentChunk } from './ports.ts'

type ExpectedBlob = Pick<Descriptor, 'digest' | 'size'>

/**
 * Passes chunks on while hashing them. It throws at the end when size or digest differ: only a consumer that
 * reads to the end may trust the bytes.
 */
export async function* verifyBytes(
  source: AsyncIterable<LentChunk>,
  { digest, size }: ExpectedBlob,
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
    throw packetFaults.mismatch(`the bytes received as ${digest} have another digest`)
}

/** All bytes of a stream that `verifyBytes` bounds. */
export const collectBytes = async (source: AsyncIterable<LentChunk>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
