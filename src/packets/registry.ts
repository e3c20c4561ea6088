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

/** A manifest's bytes, and the digest they really have. */
export interface Resolved {
  readonly digest: Digest
  readonly bytes: Uint8Array
}

/** Reading from registries that speak the OCI distribution protocol. */
export interface RegistryReader {
  /** The manifest a reference means now. One asked for by digest has that digest. */
  resolve(ref: Reference, signal: AbortSignal): Promise<Resolved>
  /** The bytes of a blob as they arrive, not verified; at most one chunk more than promised. */
  stream(at: RegistryRepository, blob: Descriptor, signal: AbortSignal): AsyncIterable<LentChunk>
  /** Every tag, in no order. */
  tags(at: RegistryRepository, signal: AbortSignal): Promise<readonly string[]>
  /** What refers to a manifest: signatures, bills of materials, provenance. */
  referrers(at: RegistryRepository, digest: Digest, signal: AbortSignal): Promise<readonly Descriptor[]>
}

export interface RegistryWriter {
  /** Sends a blob, unless it is there. `passed` hears of bytes that need not be sent any more. */
  pushBlob(
    at: RegistryRepository,
    blob: Pick<Descriptor, 'digest' | 'size'>,
    source: ByteSource,
    signal: AbortSignal,
    passed?: (bytes: number) => void,
  ): Promise<'sent' | 'there'>
  /** Puts a manifest under a tag or its digest. */
  pushManifest(at: RegistryRepository, name: string, bytes: Uint8Array, signal: AbortSignal): Promise<Digest>
}
