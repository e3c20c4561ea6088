import type { Digest } from '../../src/kernel/encoding/digest.ts'
import { digestBytes } from '../../src/kernel/encoding/hash.ts'
import { MANIFEST_TYPE, METADATA_TYPE, placeFiles, readArtifact } from '../../src/packets/format/artifact.ts'
import { writeMetadata } from '../../src/packets/format/metadata.ts'
import type { NewObject } from '../../src/packets/ports.ts'

export const EMPTY_CONFIG = {
  mediaType: 'application/vnd.oci.empty.v1+json',
  digest: 'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
  size: 2,
  data: 'e30=',
}
// What a layer is called that was pushed without a type.
const DEFAULT_LAYER = 'application/vnd.oci.image.layer.v1.tar'

export interface MadePacket {
  readonly digest: Digest
  readonly manifest: Uint8Array
  readonly blobs: ReadonlyMap<Digest, Uint8Array>
}

type Files = Readonly<Record<string, string | Uint8Array>>

/** An artifact of these files, laid out as it is published by the tool the formats come from. */
export const makeArtifact = (
  files: Files,
  change: (manifest: Record<string, unknown>) => unknown = () => {},
): MadePacket => {
  const blobs = new Map<Digest, Uint8Array>([[EMPTY_CONFIG.digest, Buffer.from('{}')]])
  const layers = Object.entries(files).map(([title, content]) => {
    const bytes = Buffer.from(content)
    const digest = digestBytes(bytes)
    blobs.set(digest, bytes)
    return {
      mediaType: title === 'packet.manifest.json' ? METADATA_TYPE : DEFAULT_LAYER,
      digest,
      size: bytes.length,
      annotations: { 'org.opencontainers.image.title': title },
    }
  })
  const value: Record<string, unknown> = {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    artifactType: 'application/vnd.unknown.artifact.v1',
    config: EMPTY_CONFIG,
    layers,
  }
  change(value)
  const manifest = Buffer.from(JSON.stringify(value))
  return { digest: digestBytes(manifest), manifest, blobs }
}

/** A packet of these payload files, with its metadata. */
export const makePacket = (payload: Files, words: { name?: string; version?: string } = {}): MadePacket => {
  const metadata = writeMetadata({
    schema: 'cpm.packet.metadata',
    schema_version: '1.0',
    packet: { name: words.name ?? 'demo', version: words.version ?? '1.0.0' },
    payload: {
      files: Object.entries(payload).map(([name, content]) => ({
        name,
        digest: digestBytes(content),
        size: Buffer.from(content).length,
      })),
    },
    payload_root: 'payload',
  })
  const files = Object.entries(payload).map(([name, content]) => [`payload/${name}`, content] as const)
  return makeArtifact({ 'packet.manifest.json': metadata, ...Object.fromEntries(files) })
}

/** The packet as the store takes it. */
export const asObject = ({ digest, manifest }: MadePacket): NewObject => {
  const document = readArtifact(manifest)
  if (document.kind !== 'artifact') throw new Error('not a packet')
  return { digest, manifest, files: placeFiles(document.artifact, 'payload') }
}
