import { forEachConcurrent } from '../../kernel/async/concurrency.ts'
import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { digestSource } from '../build/check.ts'
import { packetFaults } from '../faults.ts'
import { MANIFEST_TYPE, writeDescriptor } from '../format/artifact.ts'
import { type ByteSource, memorySource } from '../format/faiss.ts'
import { pinnedUri, type Reference, writeReference } from '../format/reference.ts'
import type { RegistryRepository, RegistryWriter } from '../registry.ts'

export interface Published {
  readonly ref: string
  readonly digest: Digest
  readonly pinned_uri: string
  /** Every tag that now names it. */
  readonly tags: readonly string[]
  readonly sent: number
  readonly there: number
}

/** What the caller of a command chooses about an upload. */
export interface UploadOptions {
  /** What a tag of the repository names now; undefined when it names nothing. Absent: it is not asked. */
  readonly resolve?: (ref: Reference, signal: AbortSignal) => Promise<Digest | undefined>
  /** Called with the bytes that are on the registry. */
  readonly progress?: (done: number, total: number) => void
}

/** A file of an artifact. */
export interface ArtifactLayer {
  readonly name: string
  readonly title: string
  readonly type: string
  readonly digest: Digest
  readonly source: ByteSource
}

export const makeLayer = async (
  name: string,
  title: string,
  type: string,
  source: ByteSource,
): Promise<ArtifactLayer> => ({ name, title, type, digest: await digestSource(source), source })

interface NewArtifact {
  readonly at: RegistryRepository
  readonly artifactType: string
  readonly config: {
    readonly type: string
    readonly bytes: Uint8Array
    /** Also written into the manifest. */
    readonly inline?: boolean
  }
  readonly layers: readonly ArtifactLayer[]
  /** The first one is a version: other content under it is refused. */
  readonly tags: readonly [string, ...string[]]
}

/** The OCI manifest of the layers. It has no timestamp: the same content has the same digest everywhere. */
const writeArtifact = ({ artifactType, config, layers }: NewArtifact): Uint8Array =>
  Buffer.from(
    canonicalJson({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      artifactType,
      config: {
        mediaType: config.type,
        digest: digestBytes(config.bytes),
        size: config.bytes.length,
        ...(config.inline && { data: Buffer.from(config.bytes).toString('base64') }),
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
export const pushArtifact = async (
  registry: RegistryWriter,
  artifact: NewArtifact,
  options: UploadOptions,
  signal: AbortSignal,
): Promise<Published> => {
  const { at, config, layers, tags } = artifact
  const [tag] = tags
  const bytes = writeArtifact(artifact)
  const digest = digestBytes(bytes)
  await checkVersion({ ...at, tag }, digest, options, signal)
  const own = { digest: digestBytes(config.bytes), source: memorySource(config.bytes) }
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
