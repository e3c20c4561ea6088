import type { Digest } from '../kernel/encoding/digest.ts'
import type { Descriptor } from './format/artifact.ts'
import type { ByteSource } from './format/faiss.ts'
import type { Reference } from './format/reference.ts'

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
