import { packetFaults } from '../faults.ts'
import { METADATA_FILE, METADATA_TYPE } from '../format/artifact.ts'
import { memorySource } from '../format/faiss.ts'
import { type Manifest, readManifest } from '../format/manifest.ts'
import { METADATA_SCHEMA, METADATA_VERSION, writeMetadata } from '../format/metadata.ts'
import { checkPacketName, parseReference, type Reference, versionTag } from '../format/reference.ts'
import type { RegistryWriter } from '../registry.ts'
import type { OpenFile } from '../store.ts'
import {
  type ArtifactLayer,
  makeLayer,
  type Published,
  pushArtifact,
  type UploadOptions,
} from './push-artifact.ts'

export interface PublishOptions extends UploadOptions {
  readonly registry: string
  readonly minimal?: boolean
  readonly docs?: boolean
  readonly embeddings?: boolean
  /** Tags beside the version; default `latest`. */
  readonly tags?: readonly string[]
}

const ARTIFACT_TYPE = 'application/vnd.cpm.packet.v1'
const CONFIG = Buffer.from('{}')
const MAX_MANIFEST = 16 * 1024 * 1024

type Part = 'always' | 'docs' | 'embeddings'

/** The published files in order, with their media types. */
const FILES: readonly (readonly [path: string, type: string, part: Part])[] = [
  ['cpm.yml', 'application/vnd.cpm.packet.file.v1', 'always'],
  ['manifest.json', 'application/vnd.cpm.packet.file.v1+json', 'always'],
  ['docs.jsonl', 'application/vnd.cpm.packet.docs.v1+jsonl', 'docs'],
  ['vectors.f16.bin', 'application/vnd.cpm.packet.vectors.v1', 'embeddings'],
  ['faiss/index.faiss', 'application/vnd.cpm.packet.index.v1', 'embeddings'],
  ['faiss/windows.faiss', 'application/vnd.cpm.packet.index.v1', 'embeddings'],
  ['windows.bin', 'application/vnd.cpm.packet.index.v1', 'embeddings'],
  ['sparse/bm25.json', 'application/vnd.cpm.packet.index.v1+json', 'docs'],
]
const LOCK_FILE = 'packet.lock.json'
const LOCK_TYPE = 'application/vnd.cpm.packet.lock.v1+json'

const includes = ({ minimal = false, docs = true, embeddings = true }: PublishOptions) => ({
  always: true,
  docs: docs && !minimal,
  embeddings: embeddings && !minimal,
})

const payloadLayers = async (open: OpenFile, options: PublishOptions): Promise<readonly ArtifactLayer[]> => {
  const wanted = includes(options)
  const layers: ArtifactLayer[] = []
  for (const [path, type, part] of FILES) {
    const source = wanted[part] ? await open(path) : undefined
    if (source !== undefined) layers.push(await makeLayer(path, `payload/${path}`, type, source))
  }
  return layers
}

/** Rejects files that differ from manifest.json, so that damage is not published. */
const checkLayers = (layers: readonly ArtifactLayer[], { checksums = {} }: Manifest): void => {
  for (const { name, digest } of layers) {
    const sum = checksums[name]?.value
    // cpm.yml may be edited by hand.
    if (name !== 'cpm.yml' && sum !== undefined && digest !== `sha256:${sum}`)
      throw packetFaults.manifest(`${name} differs from its checksum in manifest.json`)
  }
}

const present = <T>(entries: Readonly<Record<string, T | null | undefined>>): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).filter((pair): pair is [string, T] => pair[1] != null))

const packetMetadata = (
  manifest: Manifest,
  layers: readonly ArtifactLayer[],
  options: PublishOptions,
): Uint8Array => {
  const {
    name = '',
    version = '',
    description,
    tags,
    kind,
    entrypoints,
    capabilities,
    compat,
  } = manifest.cpm ?? {}
  const wanted = includes(options)
  const limits = present(compat ?? {})
  const source = layers.find((layer) => layer.name === 'manifest.json')?.digest
  return writeMetadata({
    schema: METADATA_SCHEMA,
    schema_version: METADATA_VERSION,
    packet: { name, version, ...present({ description, tags, kind, entrypoints, capabilities }) },
    ...(Object.keys(limits).length > 0 && { compat: limits }),
    payload: {
      files: layers.map((layer) => ({ name: layer.name, digest: layer.digest, size: layer.source.size })),
    },
    payload_root: 'payload',
    source: {
      ...(source !== undefined && { manifest_digest: source }),
      build: {
        minimal: options.minimal ?? false,
        include_docs: wanted.docs,
        include_embeddings: wanted.embeddings,
      },
    },
  })
}

/** The repository of a packet on a registry. */
const repositoryFor = (registry: string, name: string): Reference => {
  if (/^https?:/i.test(registry))
    throw packetFaults.reference('a registry is a host and a path, without http:// or https://')
  const place = registry.replace(/^(?:oci:\/\/)+/, '').replace(/\/+$/, '')
  return parseReference(`${place}/${checkPacketName(name)}`)
}

const readSource = async (open: OpenFile): Promise<Manifest> => {
  const source = await open('manifest.json')
  if (source === undefined)
    throw packetFaults.manifest('the folder has no manifest.json', {
      fix: 'Name the folder of a packet that `warrant packet build` wrote.',
    })
  if (source.size > MAX_MANIFEST) throw packetFaults.too_large('manifest.json is too large')
  return readManifest(await source.read(0, source.size))
}

/** Publishes a packet under its version and tags. Blobs that are on the registry are not sent again. */
export const publishPacket = async (
  registry: RegistryWriter,
  open: OpenFile,
  options: PublishOptions,
  signal: AbortSignal,
): Promise<Published> => {
  const manifest = await readSource(open)
  const { name = '', version = '' } = manifest.cpm ?? {}
  const at = repositoryFor(options.registry, name)
  const tag = versionTag(version)
  const others = (options.tags ?? ['latest']).map((one) => versionTag(one, 'tag'))
  const payload = await payloadLayers(open, options)
  checkLayers(payload, manifest)
  const metadata = memorySource(packetMetadata(manifest, payload, options))
  const lock = await open(LOCK_FILE)
  const layers = [
    await makeLayer(METADATA_FILE, METADATA_FILE, METADATA_TYPE, metadata),
    ...payload,
    ...(lock === undefined ? [] : [await makeLayer(LOCK_FILE, LOCK_FILE, LOCK_TYPE, lock)]),
  ]
  return pushArtifact(
    registry,
    {
      at,
      artifactType: ARTIFACT_TYPE,
      config: { type: 'application/vnd.oci.empty.v1+json', bytes: CONFIG, inline: true },
      layers,
      tags: [tag, ...new Set(others.filter((one) => one !== tag))],
    },
    options,
    signal,
  )
}
