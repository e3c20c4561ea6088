import type { Digest } from '../../kernel/encoding/digest.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { packetFaults } from '../faults.ts'
import { readJson } from './json-bytes.ts'
import { confineAll } from './safe-path.ts'

export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json'
export const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json'
export const METADATA_TYPE = 'application/vnd.cpm.packet.manifest.v1+json'
export const METADATA_FILE = 'packet.manifest.json'
const TITLE = 'org.opencontainers.image.title'

/** What registries keep manifests under; ours too. */
export const MAX_MANIFEST = 4 * 1024 * 1024
/** From so many bytes on a file is worth a connection of its own. */
export const LARGE_FILE = 16 * 1024 * 1024
const MAX_LAYERS = 1000
const DIGEST = /^sha256:[0-9a-f]{64}$/

/** A promise about bytes: how many, and what they hash to. */
export interface Descriptor {
  readonly mediaType: string
  readonly digest: Digest
  readonly size: number
  readonly artifactType?: string
  readonly annotations: Readonly<Record<string, string>>
}

/** An OCI image manifest, as far as packets need it. */
export interface Artifact {
  readonly artifactType?: string
  readonly config: Descriptor
  readonly layers: readonly Descriptor[]
  readonly annotations: Readonly<Record<string, string>>
}

const refuse = (why: string): never => {
  throw packetFaults.artifact(`the registry's manifest cannot be used: ${why}`)
}

const readStrings = (value: unknown): Readonly<Record<string, string>> =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
      )
    : {}

const readDescriptor = (value: unknown, what: string): Descriptor => {
  if (!isRecord(value)) return refuse(`${what} is no descriptor`)
  const { mediaType, digest, size, annotations, artifactType } = value
  if (typeof mediaType !== 'string') return refuse(`${what} has no media type`)
  if (typeof digest !== 'string' || !DIGEST.test(digest)) return refuse(`${what} has no sha256 digest`)
  if (!Number.isSafeInteger(size) || (size as number) < 0) return refuse(`${what} has no size`)
  return {
    mediaType,
    digest,
    size: size as number,
    ...(typeof artifactType === 'string' && { artifactType }),
    annotations: readStrings(annotations),
  }
}

const readList = (value: unknown, what: string): readonly Descriptor[] => {
  if (!Array.isArray(value)) return refuse(`it has no ${what}`)
  if (value.length > MAX_LAYERS) return refuse(`it has more than ${MAX_LAYERS} ${what}`)
  return value.map((one, i) => readDescriptor(one, `${what}[${i}]`))
}

const readDocument = (bytes: Uint8Array): Record<string, unknown> => {
  const value = readJson(bytes, "the registry's manifest", MAX_MANIFEST, packetFaults.artifact)
  if (!isRecord(value) || value.schemaVersion !== 2) return refuse('its schema version is not 2')
  return value
}

/** A manifest, or an index that lists manifests. What it is, its bytes say, not the header they came with. */
export type Document =
  | { readonly kind: 'artifact'; readonly artifact: Artifact }
  | { readonly kind: 'index'; readonly manifests: readonly Descriptor[] }

export const readArtifact = (bytes: Uint8Array): Document => {
  const value = readDocument(bytes)
  const { mediaType, artifactType } = value
  if (mediaType === INDEX_TYPE || (mediaType === undefined && value.manifests !== undefined))
    return { kind: 'index', manifests: readList(value.manifests, 'manifests') }
  if (mediaType !== undefined && mediaType !== MANIFEST_TYPE)
    return refuse(`its media type is ${JSON.stringify(mediaType).slice(0, 80)}`)
  return {
    kind: 'artifact',
    artifact: {
      ...(typeof artifactType === 'string' && { artifactType }),
      config: readDescriptor(value.config, 'config'),
      layers: readList(value.layers, 'layers'),
      annotations: readStrings(value.annotations),
    },
  }
}

/** The layer that holds the packet's metadata: by type, or by title in packets of unknown tools. */
export const metadataLayer = ({ layers }: Artifact): Descriptor | undefined =>
  layers.find(({ mediaType }) => mediaType === METADATA_TYPE) ??
  layers.find(({ annotations }) => annotations[TITLE] === METADATA_FILE)

/** The layers that are files. One without a title belongs to nobody and is left alone. */
export const fileLayers = ({ layers }: Artifact): readonly Descriptor[] =>
  layers.filter(({ annotations }) => annotations[TITLE] !== undefined)

/** A file of a packet, where it goes and what it must hold. */
export interface PlacedFile {
  readonly path: string
  readonly descriptor: Descriptor
}

/** Where the layers of an artifact go. Whatever lies below the payload's root is put below `payload`. */
export const placeFiles = (artifact: Artifact, payloadRoot: string): readonly PlacedFile[] => {
  const first = metadataLayer(artifact)
  const placed = artifact.layers.flatMap((descriptor) => {
    const title = descriptor === first ? METADATA_FILE : descriptor.annotations[TITLE]
    if (title === undefined) return []
    const path = title.startsWith(`${payloadRoot}/`)
      ? `payload/${title.slice(payloadRoot.length + 1)}`
      : title
    return [{ path, descriptor }]
  })
  // Judged as titles and as places: neither may leave the folder, nor two share a place.
  confineAll(artifact.layers.flatMap(({ annotations }) => annotations[TITLE] ?? []))
  confineAll(['oci-manifest.json', ...placed.map(({ path }) => path)])
  return placed
}

/** A descriptor as a manifest carries it. */
export const writeDescriptor = (mediaType: string, digest: Digest, size: number, title: string): object => ({
  mediaType,
  digest,
  size,
  annotations: { [TITLE]: title },
})
