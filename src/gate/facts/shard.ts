/** One of several parts of the files, which are scanned on different machines. */
export interface Shard {
  /** From 1. */
  readonly number: number
  readonly count: number
}

export const MAX_SHARDS = 256

/** Reads `2/5`; undefined when it is not a shard. */
export const readShard = (text: string): Shard | undefined => {
  const [, number, count] = /^(\d{1,3})\/(\d{1,3})$/.exec(text)?.map(Number) ?? []
  if (number === undefined || count === undefined || count > MAX_SHARDS) return undefined
  return number >= 1 && number <= count ? { number, count } : undefined
}

/** FNV-1a: the same on every machine, and even for similar paths. */
const hashPath = (path: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193) >>> 0
  return hash
}

export const isInShard = (path: string, { number, count }: Shard): boolean =>
  hashPath(path) % count === number - 1
