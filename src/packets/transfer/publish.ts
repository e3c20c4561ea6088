import { forEachConcurrent } from '../../kernel/async/concurrency.ts'
import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { optional } from '../../kernel/optional.ts'
import { digestSource } from '../build/check.ts'
import { packetFaults } from '../faults.ts'
import { MANIFEST_TYPE, METADATA_FILE, METADATA_TYPE, writeDescriptor } from '../format/artifact.ts'
import { type ByteSource, memorySource } from '../format/faiss.ts'
import { type Manifest, readManifest } from '../format/manifest.ts'
import { METADATA_SCHEMA, METADATA_VERSION, writeMetadata } from '../format/metadata.ts'
import {
  checkPacketName,
  parseReference,
  pinnedUri,
  type Reference,
  versionTag,
  writeReference,
} from '../format/reference.ts'
import type { OpenFile, RegistryRepository, RegistryWriter } from '../ports.ts'

interface Published {
  readonly ref: string
  readonly digest: Digest
  readonly pinned_uri: string
  /** Every tag that now names it. */
  readonly tags: readonly string[]
  readonly sent: number
  readonly there: number
}

/** What the caller of a command chooses about an upload. */
interface UploadOptions {
  /** What a tag of the repository names now; undefined when it names nothing. Absent: it is not asked. */
  readonly resolve?: ((ref: Reference, signal: AbortSignal) => Promise<Digest | undefined>) | undefined
  /** Called with the bytes that are on the registry. */
  readonly progress?: (done: number, total: number) => void
}

/** A file of an artifact. */
interface ArtifactLayer {
  readonly name: string
  readonly title: string
  readonly type: string
  readonly digest: Digest
  readonly source: ByteSource
}

const makeLayer = async (
  name: string,
  title: string,
  type: string,
  source: ByteSource,
): Promise<ArtifactLayer> => ({ name, title, type, digest: await digestSource(source), source })

interface NewArtifact {
  readonly at: RegistryRepository
  readonly layers: readonly ArtifactLayer[]
  /** The first one is a version: other content under it is refused. */
  readonly tags: readonly [string, ...string[]]
}

const ARTIFACT_TYPE = 'application/vnd.cpm.packet.v1'
const CONFIG_TYPE = 'application/vnd.oci.empty.v1+json'
const CONFIG = Buffer.from('{}')

/** The OCI manifest of the layers. It has no timestamp: the same content has the same digest everywhere. */
const writeArtifact = (layers: readonly ArtifactLayer[]): Uint8Array =>
  Buffer.from(
    canonicalJson({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      artifactType: ARTIFACT_TYPE,
      config: {
        mediaType: CONFIG_TYPE,
        digest: digestBytes(CONFIG),
        size: CONFIG.length,
        data: CONFIG.toString('base64'),
      },
      layers: layers.map(({ type, digest, source, title }) =>
        writeDescriptor(type, digest, source.size, title),
      ),
    }),
  )

/** Refuses other content under a version that is published: those who rely on the version would not notice. */
const checkVersion = async (
  ref: Reference,
  digest: Digest,
  { resolve }: UploadOptions,
  signal: AbortSignal,
): Promise<void> => {
  const now = await resolve?.(ref, signal)
  if (now === undefined || now === digest) return
  throw packetFaults.version_taken(
    `${writeReference(ref)} is published with other content: ${now}, and this would be ${digest}`,
  )
}

/** Uploads an artifact under its tags. Blobs that are on the registry are not sent again. */
const pushArtifact = async (
  registry: RegistryWriter,
  { at, layers, tags }: NewArtifact,
  options: UploadOptions,
  signal: AbortSignal,
): Promise<Published> => {
  const [tag] = tags
  const bytes = writeArtifact(layers)
  const digest = digestBytes(bytes)
  await checkVersion({ ...at, tag }, digest, options, signal)
  const own = { digest: digestBytes(CONFIG), source: memorySource(CONFIG) }
  const blobs = [own, ...layers.filter((layer) => layer.digest !== own.digest)]
  const counts = { sent: 0, there: 0 }
  const total = blobs.reduce((sum, { source }) => sum + source.size, 0)
  let done = 0
  const passed = (bytes: number) => {
    done += bytes
    options.progress?.(done, total)
  }
  await forEachConcurrent(blobs, async ({ digest, source }, stop) => {
    const both = AbortSignal.any([signal, stop])
    const blob = { digest, size: source.size }
    counts[await registry.pushBlob({ at, blob, source, signal: both, passed })] += 1
  })
  // The version is pushed before its aliases: an alias must never name something that its version does not.
  for (const one of tags) await registry.pushManifest(at, one, bytes, signal)
  const ref = `${at.host}/${at.repository}:${tag}`
  return { ref, digest, pinned_uri: pinnedUri(at, digest), tags, ...counts }
}

export interface PublishOptions extends UploadOptions {
  readonly registry: string
  readonly minimal?: boolean
  readonly docs?: boolean
  readonly embeddings?: boolean
  /** Tags beside the version; default `latest`. */
  readonly tags?: readonly string[] | undefined
}

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
      ...optional({ manifest_digest: source }),
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
  const tags = [tag, ...new Set(others.filter((one) => one !== tag))] as const
  return pushArtifact(registry, { at, layers, tags }, options, signal)
}
