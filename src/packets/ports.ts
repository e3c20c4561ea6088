import type { Digest } from '../kernel/encoding/digest.ts'
import type { Descriptor, PlacedFile } from './format/artifact.ts'
import type { ByteSource } from './format/faiss.ts'
import type { PacketMetadata } from './format/metadata.ts'
import type { Reference } from './format/reference.ts'

/** Reports the progress of the long parts of a query: downloading a packet, making its word index and its vectors. */
export type ProgressListener = (step: 'fetch' | 'index' | 'embed', done: number, total: number) => void

export const noProgress: ProgressListener = () => {}

export interface KnownMetadata {
  readonly metadata: PacketMetadata
  readonly metadataDigest: string
}

/** The digests that a tag resolved to, with warnings. */
export interface ResolvedAlias {
  readonly digests: readonly Digest[]
  readonly warnings: readonly string[]
}

/** Cached metadata of packets. Losing it only costs requests. */
export interface MetadataCache {
  metadata(digest: Digest): Promise<KnownMetadata | undefined>
  keepMetadata(digest: Digest, known: KnownMetadata): Promise<void>
  /** What an address resolved to within the last minutes. */
  alias(uri: string): Promise<ResolvedAlias | undefined>
  keepAlias(uri: string, meaning: ResolvedAlias): Promise<void>
  /** Call when an address was just published: its cached meaning is stale. */
  dropAlias(uri: string): Promise<void>
}

/** Opens a file of a built packet; undefined when it does not exist. */
export type OpenFile = (path: string) => Promise<ByteSource | undefined>

/** A packet to store: its manifest as the registry sent it, and where its files go. */
export interface NewObject {
  readonly digest: Digest
  readonly manifest: Uint8Array
  readonly files: readonly PlacedFile[]
  /** The stored copy is damaged and is replaced. */
  readonly replace?: boolean
}

/** What `cache ls` shows of a packet. */
export interface StoredObject {
  readonly digest: Digest
  readonly files: number
  readonly bytes: number
  /** When it was stored, in milliseconds since the epoch. */
  readonly storedAt: number
}

/** The result of verifying a stored packet against its digest. Damage is a result, not a fault. */
export interface ObjectVerdict {
  readonly digest: Digest
  /** One sentence a problem; empty when the packet is intact. */
  readonly problems: readonly string[]
}

/** Streams the bytes of a descriptor. */
export type OpenBlob = (descriptor: Descriptor, signal: AbortSignal) => AsyncIterable<LentChunk>

/** Packets by the digest of their manifest. A stored packet is complete and never changes. */
export interface PacketStore {
  find(digest: Digest): Promise<string | undefined>
  /** Stores a packet, all or nothing. Every byte is verified while it is written. */
  add(object: NewObject, open: OpenBlob): Promise<string>
  list(): Promise<readonly StoredObject[]>
  /** Verifies these packets byte by byte. */
  verify(digests: readonly Digest[]): Promise<readonly ObjectVerdict[]>
  /** Removes packets, and drafts that dead processes left. Returns the removed ones. */
  prune(digests: readonly Digest[]): Promise<readonly Digest[]>
}

declare const lent: unique symbol

/**
 * A chunk of a stream whose buffer is reused: its bytes are valid until the consumer requests the chunk after the
 * next one. So one chunk may still be written or hashed while the next is received. To keep one longer, copy it.
 */
export type LentChunk = Uint8Array & { readonly [lent]?: never }

/** A repository on a registry. */
export type RegistryRepository = Pick<Reference, 'host' | 'repository'>

/** The bytes of a manifest, and their digest as computed here. */
export interface Resolved {
  readonly digest: Digest
  readonly bytes: Uint8Array
}

/** Reads from registries that speak the OCI distribution protocol. */
export interface RegistryReader {
  /** The manifest that a reference names now. One requested by digest is verified. */
  resolve(ref: Reference, signal: AbortSignal): Promise<Resolved>
  /** The bytes of a blob as they arrive, not verified; at most one chunk more than promised. */
  stream(at: RegistryRepository, blob: Descriptor, signal: AbortSignal): AsyncIterable<LentChunk>
  /** All tags, unordered. */
  tags(at: RegistryRepository, signal: AbortSignal): Promise<readonly string[]>
  /** The referrers of a manifest: signatures, SBOMs, provenance. */
  referrers(at: RegistryRepository, digest: Digest, signal: AbortSignal): Promise<readonly Descriptor[]>
}

export interface BlobUpload {
  readonly at: RegistryRepository
  readonly blob: Pick<Descriptor, 'digest' | 'size'>
  readonly source: ByteSource
  readonly signal: AbortSignal
  /** Called with the number of bytes that need not be sent any more. */
  readonly passed?: (bytes: number) => void
}

export interface RegistryWriter {
  /** Uploads a blob unless it exists. */
  pushBlob(upload: BlobUpload): Promise<'sent' | 'there'>
  /** Pushes a manifest under a tag or its digest. */
  pushManifest(at: RegistryRepository, name: string, bytes: Uint8Array, signal: AbortSignal): Promise<Digest>
}
