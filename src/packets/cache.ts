import type { Digest } from '../kernel/encoding/digest.ts'
import type { PacketMetadata } from './format/metadata.ts'

export interface KnownMetadata {
  readonly metadata: PacketMetadata
  readonly metadataDigest: string
}

/** What an address means, and what is to be said about it. */
export interface Meaning {
  readonly digests: readonly Digest[]
  readonly warnings: readonly string[]
}

/** What was learnt of packets, so that it need not be asked again. Losing it costs requests and nothing else. */
export interface MetadataCache {
  /** The metadata of a digest, which never changes. */
  metadata(digest: Digest): Promise<KnownMetadata | undefined>
  keepMetadata(digest: Digest, known: KnownMetadata): Promise<void>
  /** What an address meant a short while ago. */
  alias(uri: string): Promise<Meaning | undefined>
  keepAlias(uri: string, meaning: Meaning): Promise<void>
  /** That an address has just been given another meaning. */
  dropAlias(uri: string): Promise<void>
  /** The lines of a catalog by the digest of its manifest. */
  catalog(digest: Digest): Promise<Uint8Array | undefined>
  keepCatalog(digest: Digest, lines: Uint8Array): Promise<void>
}
