import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

const digestOf = (/** @type {Uint8Array} */ bytes) =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

const metadata = Buffer.from(
  JSON.stringify({
    schema: 'cpm.packet.metadata',
    schema_version: '1.0',
    packet: { name: 'demo', version: '1.0.0' },
    payload: { files: [] },
    payload_root: 'payload',
  }),
)
const manifest = Buffer.from(
  JSON.stringify({
    schema_version: '1.0',
    embedding: { model: 'words', dim: 0, dtype: 'float16' },
    lexical: { ranking: 'bm25f-1' },
    files: { docs: 'docs.jsonl', vectors: null, index: null },
    counts: { docs: 2 },
  }),
)
const docs = ['# Start\n\nHow a server is started.', '# Stop\n\nHow it is stopped.'].map((text, i) =>
  JSON.stringify({ id: String(i), text, metadata: { path: `${i}.md`, line_start: 1, line_end: 3 } }),
)
/** Files as most packets have them, and one that is large. */
const FILES = {
  'packet.manifest.json': metadata,
  'payload/manifest.json': manifest,
  'payload/docs.jsonl': Buffer.from(`${docs.join('\n')}\n`),
  'payload/large.bin': Buffer.alloc(16 * 1024 * 1024),
}

const describe = (/** @type {string} */ title, /** @type {Uint8Array} */ bytes) => ({
  mediaType: 'application/vnd.oci.image.layer.v1.tar',
  digest: digestOf(bytes),
  size: bytes.length,
  annotations: { 'org.opencontainers.image.title': title },
})

/** A registry on this machine that has one packet, for a build to fetch. */
export const startRegistry = async () => {
  const layers = Object.entries(FILES).map(([title, bytes]) => describe(title, bytes))
  const blobs = new Map(Object.values(FILES).map((bytes) => [digestOf(bytes), bytes]))
  const mediaType = 'application/vnd.oci.image.manifest.v1+json'
  const artifact = JSON.stringify({ schemaVersion: 2, mediaType, config: layers[1], layers })
  const server = createServer(({ url = '' }, response) => {
    const blob = blobs.get(url.slice(url.lastIndexOf('/') + 1))
    response.end(url.includes('/manifests/') ? artifact : blob)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    address: `127.0.0.1:${port}`,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
