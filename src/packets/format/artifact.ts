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

/** The usual limit of registries. */
export const MAX_MANIFEST = 4 * 1024 * 1024
/** A blob of this size or more is downloaded over a connection of its own. */
export const LARGE_FILE = 16 * 1024 * 1024
const MAX_LAYERS = 1000
const DIGEST = /^sha256:[0-9a-f]{64}$/

/** An OCI descriptor: media type, size and digest of a blob. */
export interface Descriptor {
  readonly mediaType: string
  readonly digest: Digest
  readonly size: number
  readonly artifactType?: string
  readonly annotations: Readonly<Record<string, string>>
}

/** The parts of an OCI image manifest that packets use. */
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
  if (!isRecord(value)) return refuse(`${what} is not a descriptor`)
  const { mediaType, digest, size, annotations, artifactType } = value
  if (typeof mediaType !== 'string') return refuse(`${what} has no media type`)
  if (typeof digest !== 'string' || !DIGEST.test(digest)) return refuse(`${what} has no sha256 digest`)
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    return refuse(`${what} has no size`)
  return {
    mediaType,
    digest,
    size,
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

/** A manifest or an index of manifests, distinguished by the bytes and not by the content type header. */
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

/** The layer with the packet's metadata: by media type, else by title, for packets of other tools. */
export const metadataLayer = ({ layers }: Artifact): Descriptor | undefined =>
  layers.find(({ mediaType }) => mediaType === METADATA_TYPE) ??
  layers.find(({ annotations }) => annotations[TITLE] === METADATA_FILE)

/** The layers that are files. A layer without a title is ignored. */
export const fileLayers = ({ layers }: Artifact): readonly Descriptor[] =>
  layers.filter(({ annotations }) => annotations[TITLE] !== undefined)

/** A file of a packet: its path and its blob. */
export interface PlacedFile {
  readonly path: string
  readonly descriptor: Descriptor
}

/** The paths of the layers. Files below the payload root go below `payload`. */
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
  // Titles and final paths are both checked: none may leave the folder, no two may collide.
  confineAll(artifact.layers.flatMap(({ annotations }) => annotations[TITLE] ?? []))
  confineAll(['oci-manifest.json', ...placed.map(({ path }) => path)])
  return placed
}

export const writeDescriptor = (mediaType: string, digest: Digest, size: number, title: string): object => ({
  mediaType,
  digest,
  size,
  annotations: { [TITLE]: title },
})
