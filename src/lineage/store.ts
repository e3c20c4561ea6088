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

/** A local store answers synchronously, a remote one with a promise. */
export type MaybePromise<T> = T | Promise<T>

/** One entry as it is stored. */
export interface Row {
  /** Sequence number: from 0 without gaps. */
  readonly seq: number
  /** The public entry as canonical JSON. Never changes. */
  readonly entry: string
  /** The data that the entry commits to. Null after an erasure. */
  readonly payload: string | null
}

export interface Head {
  /** Number of entries. */
  readonly size: number
  /** The newest entry; null in an empty log. */
  readonly entry: string | null
}

/** A complete subtree of the Merkle tree. It covers 2^level entries from `index·2^level` on; level 0 is a leaf. */
export interface TreeNode {
  readonly level: number
  readonly index: number
  /** 32 bytes, lower-case hexadecimal. */
  readonly hash: string
}

export type NodeRef = Omit<TreeNode, 'hash'>

/** State after the first `size` entries, so that a start need not replay all of them. */
export interface Snapshot {
  readonly size: number
  readonly bytes: Uint8Array
}

/** Read access to a log, as a verifier needs it. */
export interface LogReader {
  /** The configuration the log was created with, as canonical JSON. */
  readonly genesis: string
  /** Includes every append, by any process, that was acknowledged before this call. */
  head(): MaybePromise<Head>
  /** At most `limit` rows starting at `from`, in order. */
  read(from: number, limit: number): MaybePromise<readonly Row[]>
  /** Hashes of the wanted nodes, in that order. A missing node is a fault. */
  nodes(wanted: readonly NodeRef[]): MaybePromise<readonly string[]>
  /** Newest first. */
  snapshots(): MaybePromise<readonly Snapshot[]>
  /** Why writing is stopped; null while it is allowed. */
  quarantine(): MaybePromise<string | null>
}

export interface LineageLog extends LogReader {
  /**
   * Compare-and-set: adds the rows and tree nodes if the log has exactly `expected` entries; otherwise returns false
   * and changes nothing. Resolves when the rows are durable: an acknowledged append is never lost.
   */
  append(expected: number, rows: readonly Row[], nodes: readonly TreeNode[]): MaybePromise<boolean>
  /** Keeps the two newest. Snapshots only make a start faster: losing one loses no data. */
  saveSnapshot(snapshot: Snapshot): MaybePromise<void>
  /**
   * Deletes the payload of an entry. The entry and all proofs stay valid. Snapshots may hold the erased data:
   * `replacement` replaces all of them in the same transaction.
   */
  erase(seq: number, replacement?: Snapshot): MaybePromise<void>
  setQuarantine(reason: string | null): MaybePromise<void>
}

/** Named logs in one store, safe for concurrent use by several processes. */
export interface LogStore {
  /** Opens a log and creates it when it does not exist. A genesis that differs from the stored one is a fault. */
  open(name: string, genesis: string): Promise<LineageLog>
  /** Opens an existing log; undefined when there is none. */
  find(name: string): Promise<LineageLog | undefined>
  names(): Promise<readonly string[]>
  /** Size of the whole store in bytes; 0 when it does not exist. */
  bytes(): Promise<number>
  /** Rejects when an open store takes no entry. Where it is missing, only a write tells. */
  check?(): Promise<void>
  /** Whether an open store is not the one at its place any more: what it reads is old. */
  isReplaced?(): boolean
  close(): Promise<void>
}
