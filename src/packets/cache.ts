import type { Digest } from '../kernel/encoding/digest.ts'
import type { PacketMetadata } from './format/metadata.ts'

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
