import { createHash } from 'node:crypto'
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** @param {Uint8Array | string} bytes */
const digestOf = (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** In pieces: an index may be larger than a buffer can be. @param {string} path */
function digestFile(path) {
  const hash = createHash('sha256')
  const file = openSync(path, 'r')
  const piece = Buffer.alloc(4 * 1024 * 1024)
  for (let read = -1; read !== 0; ) {
    read = readSync(file, piece)
    hash.update(piece.subarray(0, read))
  }
  closeSync(file)
  return `sha256:${hash.digest('hex')}`
}

/**
 * Puts a packet into the store as if it had been fetched.
 *
 * @param {string} root
 * @param {string} packet
 */
export function storePacket(root, packet) {
  const files = readdirSync(packet, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(packet, path)).isFile())
    .sort()
  const layers = files.map((path) => {
    const { size } = statSync(join(packet, path))
    const annotations = { 'org.opencontainers.image.title': `payload/${path}` }
    return {
      mediaType: 'application/octet-stream',
      digest: digestFile(join(packet, path)),
      size,
      annotations,
    }
  })
  const config = { mediaType: 'application/vnd.oci.empty.v1+json', digest: digestOf('{}'), size: 2 }
  const manifest = JSON.stringify({ schemaVersion: 2, config, layers })
  const digest = digestOf(manifest)
  const place = join(root, 'cas', digest.replace(':', '_'))
  mkdirSync(place, { recursive: true })
  cpSync(packet, join(place, 'payload'), { recursive: true })
  writeFileSync(join(place, 'oci-manifest.json'), manifest)
  return { digest, place }
}
