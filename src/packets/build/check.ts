import { createHash } from 'node:crypto'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { Fault } from '../../kernel/fault.ts'
import type { ByteSource } from '../format/faiss.ts'
import type { Lock } from '../format/lockfile.ts'
import { readManifest } from '../format/manifest.ts'
import type { OpenFile } from '../ports.ts'
import { ARTIFACTS } from './build-records.ts'

const CHUNK = 4 * 1024 * 1024

/** Digest of a file, read in pieces. */
export const digestSource = async (source: ByteSource): Promise<Digest> => {
  const hash = createHash('sha256')
  for (let at = 0; at < source.size; at += CHUNK)
    hash.update(await source.read(at, Math.min(CHUNK, source.size - at)))
  return `sha256:${hash.digest('hex')}`
}

const hashFile = async (open: OpenFile, path: string): Promise<string | undefined> => {
  const source = await open(path)
  return source === undefined ? undefined : (await digestSource(source)).slice('sha256:'.length)
}

const compare = async (
  open: OpenFile,
  path: string,
  promised: string | undefined,
  by: string,
): Promise<readonly string[]> => {
  const found = await hashFile(open, path)
  if (found === promised) return []
  if (found === undefined) return [`${path}: is missing, but ${by} lists it`]
  return [promised === undefined ? `${path}: is not listed in ${by}` : `${path}: differs from ${by}`]
}

/** Compares the packet with its manifest: checksums, name and version. */
const checkManifest = async (open: OpenFile, { packet }: Lock): Promise<readonly string[]> => {
  const source = await open('manifest.json')
  if (source === undefined) return []
  const { cpm, checksums = {} } = readManifest(await source.read(0, source.size))
  const named = cpm?.name === packet.name && cpm?.version === packet.version
  const sums = Object.entries(checksums).map(([path, { value }]) =>
    compare(open, path, value, 'manifest.json'),
  )
  return [
    ...(named
      ? []
      : [`manifest.json: is of another packet than ${packet.name}@${packet.version} of the lock`]),
    ...(await Promise.all(sums)).flat(),
  ]
}

/**
 * The differences between a built packet and its lock; empty when there are none. `inputs` is the current hash
 * of the sources, if known.
 */
export const checkPacket = async (
  open: OpenFile,
  lock: Lock,
  inputs?: string,
): Promise<readonly string[]> => {
  try {
    const files = Object.entries(ARTIFACTS).map(([key, path]) =>
      compare(open, path, lock.artifacts[key], 'the lock'),
    )
    const moved = inputs !== undefined && lock.inputs.some(({ hash }) => hash !== inputs)
    return [
      ...(await Promise.all(files)).flat(),
      ...(await checkManifest(open, lock)),
      ...(moved ? ['the sources differ from those that the packet was built from'] : []),
    ]
  } catch (thrown) {
    if (thrown instanceof Fault) return [thrown.message]
    throw thrown
  }
}
