import type { Digest } from '../kernel/encoding/digest.ts'
import type { Descriptor, PlacedFile } from './format/artifact.ts'
import type { ByteSource } from './format/faiss.ts'
import type { LentChunk } from './registry.ts'

/** The files of a built packet. */
export type OpenFile = (path: string) => Promise<ByteSource | undefined>

/** A packet to be stored: its manifest as the registry gave it, and where its files go. */
export interface NewObject {
  readonly digest: Digest
  readonly manifest: Uint8Array
  readonly files: readonly PlacedFile[]
}

/** What `cache ls` shows of one packet. */
export interface StoredObject {
  readonly digest: Digest
  readonly files: number
  readonly bytes: number
  /** Milliseconds since the epoch; when it was put here. */
  readonly storedAt: number
}

/** How an object compares with its digest. Bad news is an answer. */
export interface ObjectVerdict {
  readonly digest: Digest
  /** What is wrong, one sentence a problem; empty when it is whole. */
  readonly problems: readonly string[]
}

/** Bytes of a descriptor, from wherever they come. */
export type OpenBlob = (descriptor: Descriptor, signal: AbortSignal) => AsyncIterable<LentChunk>

/** Packets by the digest of their manifest. What is in it is whole, and never changes. */
export interface PacketStore {
  /** The folder of a packet, or undefined. */
  find(digest: Digest): Promise<string | undefined>
  /** Puts a packet in, whole or not at all. Every byte is verified on its way. */
  add(object: NewObject, open: OpenBlob): Promise<string>
  list(): Promise<readonly StoredObject[]>
  /** Reads every byte of these packets again. */
  verify(digests: readonly Digest[]): Promise<readonly ObjectVerdict[]>
  /** Takes packets out, and what dead writers left. */
  prune(digests: readonly Digest[]): Promise<readonly Digest[]>
}
