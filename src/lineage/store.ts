/** A value now, or later: a local store answers at once, a remote one cannot. */
export type MaybePromise<T> = T | Promise<T>

/** One entry as a store keeps it. */
export interface Row {
  /** Counts from 0 without gaps. */
  readonly seq: number
  /** The public entry as canonical JSON. Never changes. */
  readonly entry: string
  /** What the entry was made from. Null once it has been erased. */
  readonly payload: string | null
}

export interface Head {
  /** How many entries there are. */
  readonly size: number
  /** The newest entry, null when there is none. */
  readonly entry: string | null
}

/** A complete subtree of the Merkle tree: `level` 0 is a leaf, and it covers entries `index·2^level` on. */
export interface TreeNode {
  readonly level: number
  readonly index: number
  /** 32 bytes, lower-case hexadecimal. */
  readonly hash: string
}

/** State as it was after the first `size` entries, so that a start need not go through all of them. */
export interface Snapshot {
  readonly size: number
  readonly bytes: Uint8Array
}

/** What a verifier may do. It cannot write. */
export interface LogReader {
  /** The configuration the log was opened with, as canonical JSON. */
  readonly genesis: string
  /** Sees every append that was acknowledged anywhere before it was asked. */
  head(): MaybePromise<Head>
  /** At most `limit` rows from `from` on, in order. */
  read(from: number, limit: number): MaybePromise<readonly Row[]>
  /** The hashes of the nodes asked for, in that order. A node that is not there is a fault. */
  nodes(wanted: readonly Omit<TreeNode, 'hash'>[]): MaybePromise<readonly string[]>
  /** Newest first. */
  snapshots(): MaybePromise<readonly Snapshot[]>
  /** Why writing has been stopped; null while it has not. */
  quarantine(): MaybePromise<string | null>
}

export interface LineageLog extends LogReader {
  /**
   * Adds the rows and tree nodes if the log has exactly `expected` entries; false when somebody else was
   * first, and then nothing has changed. Resolves once it is durable: acknowledged is never lost.
   */
  append(expected: number, rows: readonly Row[], nodes: readonly TreeNode[]): MaybePromise<boolean>
  /** Keeps the two newest. A snapshot is a convenience: losing one loses nothing. */
  saveSnapshot(snapshot: Snapshot): MaybePromise<void>
  /**
   * Forgets what an entry was made from. The entry and every proof stay as they are. Snapshots may hold what
   * shall be forgotten: with `instead` it takes the place of them all, in the same step.
   */
  erase(seq: number, replacement?: Snapshot): MaybePromise<void>
  setQuarantine(reason: string | null): MaybePromise<void>
}

/** Many named logs in one place, safe to use from several processes at once. */
export interface LogStore {
  /** Opens a log, making it when it is not there. Another genesis than the stored one is a fault. */
  open(name: string, genesis: string): Promise<LineageLog>
  /** Opens what is there and nothing else: undefined when there is no such log. */
  find(name: string): Promise<LineageLog | undefined>
  names(): Promise<readonly string[]>
  /** Room that all of them take where they are kept; 0 while there is none. */
  bytes(): Promise<number>
  close(): Promise<void>
}
