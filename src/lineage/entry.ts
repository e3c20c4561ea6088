/** The public part of an entry. It commits to the payload without revealing it. */
export interface Entry {
  readonly seq: number
  readonly tick: number
  readonly operation: string
  /** RFC 3339. */
  readonly timestamp: string
  /** SHA-256 of the payload, in hexadecimal. */
  readonly payload_hash: string
  /** SHA-256 over the other members and the checksum of the entry before, in hexadecimal. */
  readonly checksum: string
}

/** An entry before it has a sequence number and a checksum. */
export interface EntryDraft {
  readonly operation: string
  /** Logical time of the writer; 0 when it has none. */
  readonly tick: number
  readonly timestamp: string
  /**
   * Arguments, result, salt and everything else that a replay needs, as canonical JSON. Stored beside the entry, and
   * erasable.
   */
  readonly payload: (salt: string) => string
}
