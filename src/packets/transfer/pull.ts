import { CONCURRENCY } from '../../kernel/async/concurrency.ts'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { packetFaults } from '../faults.ts'
import {
  type Artifact,
  type Descriptor,
  fileLayers,
  LARGE_FILE,
  MANIFEST_TYPE,
  metadataLayer,
  type PlacedFile,
  placeFiles,
  readArtifact,
} from '../format/artifact.ts'
import { readCard } from '../format/card.ts'
import { METADATA_SCHEMA, METADATA_VERSION, type PacketMetadata, readMetadata } from '../format/metadata.ts'
import type { Reference } from '../format/reference.ts'
import type { KnownMetadata, LentChunk, PacketStore, RegistryReader, Resolved } from '../ports.ts'
import type { PolicyGuard } from '../trust/policy-guard.ts'
import type { Trust } from '../trust/trust.ts'
import { collectBytes, verifyBytes } from '../verify-stream.ts'

/** Starts reading a stream before its consumer asks. */
const startReading = (source: AsyncIterable<LentChunk>): AsyncIterable<LentChunk> => {
  const chunks = source[Symbol.asyncIterator]()
  let started: Promise<IteratorResult<LentChunk>> | undefined = chunks.next()
  started.catch(() => {})
  const next = () => {
    const result = started ?? chunks.next()
    started = undefined
    return result
  }
  const cancel = async () => (await chunks.return?.()) ?? { done: true as const, value: undefined }
  return { [Symbol.asyncIterator]: () => ({ next, return: cancel }) }
}

/** The blobs of one packet. */
class BlobReader {
  readonly #registry: RegistryReader
  readonly #ref: Reference
  readonly #halt = new AbortController()
  readonly #signal: AbortSignal
  readonly #started = new Map<Digest, AsyncIterable<LentChunk>>()
  #stop: AbortSignal | undefined

  constructor(registry: RegistryReader, ref: Reference, signal: AbortSignal) {
    this.#registry = registry
    this.#ref = ref
    this.#signal = AbortSignal.any([signal, this.#halt.signal])
  }

  /** Starts downloading the largest blobs while the rest of the packet's description is fetched. */
  prefetch(blobs: readonly Descriptor[]): void {
    const large = blobs.filter(({ size }) => size >= LARGE_FILE).sort((a, b) => b.size - a.size)
    for (const blob of large.slice(0, CONCURRENCY))
      this.#started.set(blob.digest, startReading(this.#stream(blob)))
  }

  open(blob: Descriptor, stop: AbortSignal): AsyncIterable<LentChunk> {
    // All open blobs share one signal; listen to it once.
    if (stop !== this.#stop) stop.addEventListener('abort', () => this.stop(), { once: true })
    this.#stop = stop
    const started = this.#started.get(blob.digest)
    // Two files may have the same blob, which was started once.
    this.#started.delete(blob.digest)
    return started ?? this.#stream(blob)
  }

  /** Aborts all downloads. */
  stop(): void {
    this.#halt.abort()
  }

  #stream(blob: Descriptor): AsyncIterable<LentChunk> {
    return this.#registry.stream(this.#ref, blob, this.#signal)
  }
}

const MAX_METADATA = 4 * 1024 * 1024
const MAX_CARD = 64 * 1024

export interface PullPorts {
  readonly registry: RegistryReader
  readonly store: PacketStore
  readonly guard: PolicyGuard
  /** Most bytes of a packet's files together. */
  readonly maxBytes: number
  /** Whether a stored packet is undamaged; one that is not is downloaded again. Undefined: it is not checked. */
  readonly isIntact?: (digest: Digest, folder: string) => Promise<boolean>
}

/** A packet as its registry describes it, resolved to a digest. */
interface LocatedPacket extends Resolved {
  readonly artifact: Artifact
  readonly metadata?: PacketMetadata
  /** Digest of the metadata blob; empty when there is none. */
  readonly metadataDigest: string
  /** The metadata blob, verified, when it was just downloaded. */
  readonly metadataBytes?: Uint8Array
}

/** Where a packet is fetched from. */
interface PullSource {
  readonly registry: RegistryReader
  readonly ref: Reference
  readonly signal: AbortSignal
}

/**
 * Resolves a reference to a manifest. A tag may name an index with one manifest; nested indexes are rejected.
 */
const pickManifest = async ({ registry, ref, signal }: PullSource) => {
  const first = await registry.resolve(ref, signal)
  const document = readArtifact(first.bytes)
  if (document.kind === 'artifact') return { ...first, artifact: document.artifact }
  const [only, ...others] = document.manifests.filter(({ mediaType }) => mediaType === MANIFEST_TYPE)
  if (only === undefined || others.length > 0)
    throw packetFaults.artifact(
      `the reference is an index of ${document.manifests.length} manifests, not one packet`,
    )
  const { host, repository } = ref
  const second = await registry.resolve({ host, repository, digest: only.digest }, signal)
  const inner = readArtifact(second.bytes)
  if (inner.kind === 'index') throw packetFaults.artifact('the index refers to another index')
  return { ...second, artifact: inner.artifact }
}

/** Name and version of a packet without metadata, from the `cpm.yml` in its payload. */
const readCardMetadata = async (
  { registry, ref, signal }: PullSource,
  artifact: Artifact,
): Promise<Pick<LocatedPacket, 'metadata' | 'metadataDigest'>> => {
  const card = placeFiles(artifact, 'payload').find(({ path }) => path === 'payload/cpm.yml')?.descriptor
  if (card === undefined || card.size > MAX_CARD) return { metadataDigest: '' }
  const bytes = await collectBytes(verifyBytes(registry.stream(ref, card, signal), card))
  const read = readCard(Buffer.from(bytes).toString('utf8'))
  const packet = { name: read.get('name') || 'unknown', version: read.get('version') || 'unknown' }
  const base = { schema: METADATA_SCHEMA, schema_version: METADATA_VERSION } as const
  return {
    metadata: { ...base, packet, payload: { files: [] }, payload_root: 'payload' },
    metadataDigest: '',
  }
}

/** Resolves a reference to a digest and its metadata. Metadata that `recall` knows is not fetched. */
export const locatePacket = async (
  source: PullSource,
  recall: (digest: Digest) => Promise<KnownMetadata | undefined> = async () => undefined,
): Promise<LocatedPacket> => {
  const found = await pickManifest(source)
  const known = await recall(found.digest)
  return known === undefined ? describePacket(source, found) : { ...found, ...known }
}

type FoundManifest = Awaited<ReturnType<typeof pickManifest>>

/** Fetches the metadata of a packet. */
const describePacket = async (source: PullSource, found: FoundManifest): Promise<LocatedPacket> => {
  const { registry, ref, signal } = source
  const layer = metadataLayer(found.artifact)
  if (layer === undefined) return { ...found, ...(await readCardMetadata(source, found.artifact)) }
  if (layer.size > MAX_METADATA)
    throw packetFaults.too_large(`the metadata has ${layer.size} bytes, the limit is ${MAX_METADATA}`)
  const bytes = await collectBytes(verifyBytes(registry.stream(ref, layer, signal), layer))
  return { ...found, metadata: readMetadata(bytes), metadataDigest: layer.digest, metadataBytes: bytes }
}

const sumSizes = (blobs: readonly Descriptor[]): number => blobs.reduce((sum, { size }) => sum + size, 0)

/** The files to download. The metadata lists names, the manifest digests and sizes; they must agree. */
const filesToStore = ({ artifact, metadata }: LocatedPacket): readonly PlacedFile[] => {
  const files = placeFiles(artifact, metadata?.payload_root ?? 'payload')
  const placed = new Map(files.map(({ path, descriptor }) => [path, descriptor]))
  for (const { name, digest, size } of metadata?.payload.files ?? []) {
    const descriptor = placed.get(`payload/${name}`)
    if (descriptor === undefined)
      throw packetFaults.metadata(`the packet lacks ${name}, which its metadata lists`)
    if ((digest ?? descriptor.digest) !== descriptor.digest || (size ?? descriptor.size) !== descriptor.size)
      throw packetFaults.metadata(`${name} differs from the file that the metadata lists`)
  }
  return files
}

export interface PulledPacket {
  readonly digest: Digest
  readonly folder: string
  readonly located: LocatedPacket
  readonly trust: Trust
  /** Warnings of a policy in warn mode. */
  readonly warnings: readonly string[]
}

type Progress = (done: number, total: number) => void

interface PullRequest {
  readonly ref: Reference
  readonly signal: AbortSignal
  readonly progress?: Progress
}

interface StoreRequest {
  readonly located: LocatedPacket
  readonly blobs: BlobReader
  readonly replace: boolean
  readonly progress?: Progress | undefined
}

/** Streams the files of a packet into the store. */
const storeFiles = async (
  { store, maxBytes }: PullPorts,
  { located, blobs, replace, progress }: StoreRequest,
): Promise<string> => {
  const { digest, bytes: manifest, metadataDigest, metadataBytes } = located
  const files = filesToStore(located)
  const total = sumSizes(files.map(({ descriptor }) => descriptor))
  if (total > maxBytes)
    throw packetFaults.too_large(`the packet has ${total} bytes, which exceeds configured limit ${maxBytes}`)
  let done = 0
  return store.add({ digest, manifest, files, replace }, async function* (blob, stop) {
    const here = blob.digest === metadataDigest ? metadataBytes : undefined
    for await (const chunk of here === undefined ? blobs.open(blob, stop) : [here]) {
      done += chunk.length
      progress?.(done, total)
      yield chunk
    }
  })
}

/** Downloads a packet into the store, verified, if the policy allows it. */
export const pullPacket = async (
  ports: PullPorts,
  { ref, signal, progress }: PullRequest,
): Promise<PulledPacket> => {
  const { registry, store, guard, maxBytes, isIntact = async () => true } = ports
  const source = { registry, ref, signal }
  const sourceWarnings = await guard.checkSource(ref, true)
  const found = await pickManifest(source)
  const { digest } = found
  const { trust, warnings } = await guard.checkTrust({ ref, digest, signal })
  const layers = fileLayers(found.artifact)
  const blobs = new BlobReader(registry, ref, signal)
  try {
    const stored = await store.find(digest)
    const replace = stored !== undefined && !(await isIntact(digest, stored))
    if (sumSizes(layers) <= maxBytes && (stored === undefined || replace)) blobs.prefetch(layers)
    const located = await describePacket(source, found)
    const folder = await storeFiles(ports, { located, blobs, replace, progress })
    const repaired = replace ? ['the stored copy was damaged and has been downloaded again'] : []
    return { digest, folder, located, trust, warnings: [...sourceWarnings, ...warnings, ...repaired] }
  } finally {
    // Another process may have stored it meanwhile; then the prefetched blobs are not read.
    blobs.stop()
  }
}
