import type { Digest } from '../kernel/encoding/digest.ts'
import type { Descriptor, PlacedFile } from './format/artifact.ts'
import type { ByteSource } from './format/faiss.ts'
import type { LentChunk } from './registry.ts'

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
