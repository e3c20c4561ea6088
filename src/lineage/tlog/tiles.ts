import { leafHash, STORED_LEVEL } from '../merkle.ts'
import type { LogReader } from '../store.ts'

/** A log as tiles and entry bundles, as C2SP defines them (tlog-tiles). */

const TILE_WIDTH = 2 ** STORED_LEVEL
const ENTRIES = 'entries'

interface Tile {
  /** Level of the tree in steps of 8, or the entries themselves. */
  readonly level: number | typeof ENTRIES
  readonly index: number
  /** Number of hashes or entries: 256 in a full tile. */
  readonly width: number
}

export const isFullTile = ({ width }: Tile): boolean => width === TILE_WIDTH

/** An index in elements of three digits, as in `x001/x234/067`. */
const indexPath = (index: number): string => {
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? []
  return groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/')
}

/** The path of a tile below the folder or address of the log. */
export const tilePath = (tile: Tile): string =>
  `tile/${tile.level}/${indexPath(tile.index)}${isFullTile(tile) ? '' : `.p/${tile.width}`}`

/** The folder of the partial tiles that a full tile replaces. */
export const partialFolder = ({ level, index }: Tile): string => `tile/${level}/${indexPath(index)}.p`

const PATH = /^tile\/(0|[1-9]\d?|entries)\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/
const MAX_LEVEL = 6

/** Reads a path. Undefined when it is none of a tile, in the one spelling that it has. */
export const parseTilePath = (path: string): Tile | undefined => {
  const [, level, index, width] = PATH.exec(path) ?? []
  if (level === undefined || index === undefined) return undefined
  const tile = {
    level: level === ENTRIES ? level : Number(level),
    index: Number(index.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  } as const
  // Trees of more than 2^53 entries do not exist, and their numbers would not be exact.
  if (tile.level !== ENTRIES && tile.level > MAX_LEVEL) return undefined
  return tilePath(tile) === path ? tile : undefined
}

/** How many hashes a level has in a tree: those of complete subtrees only. */
const levelSize = (level: Tile['level'], size: number): number =>
  level === ENTRIES ? size : Math.floor(size / TILE_WIDTH ** level)

/** Whether a tree of this size has the tile, or had it when it was smaller. */
const isWithin = ({ level, index, width }: Tile, size: number): boolean =>
  index * TILE_WIDTH + width <= levelSize(level, size)

/** All tiles of a tree, the full ones of each level first. */
export function* tilesOf(size: number): Generator<Tile> {
  const levels = Array.from({ length: MAX_LEVEL + 1 }, (_, level) => level)
  for (const level of [...levels, ENTRIES] as const) {
    const count = levelSize(level, size)
    const full = Math.floor(count / TILE_WIDTH)
    for (let index = 0; index < full; index += 1) yield { level, index, width: TILE_WIDTH }
    if (count % TILE_WIDTH > 0) yield { level, index: full, width: count % TILE_WIDTH }
  }
}

const LENGTH_BYTES = 2

const bundleEntries = (entries: readonly string[]): Buffer =>
  Buffer.concat(
    entries.flatMap((entry) => {
      const bytes = Buffer.from(entry)
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeUInt16BE(bytes.length)
      return [length, bytes]
    }),
  )

/**
 * The bytes of a tile. Undefined when a tree of `size` has no such tile. Reads only what the tile covers: at most 256
 * entries, or 256 nodes of the stored tree.
 */
export const readTile = async (log: LogReader, tile: Tile, size: number): Promise<Buffer | undefined> => {
  const { level, index, width } = tile
  if (!isWithin(tile, size)) return undefined
  const start = index * TILE_WIDTH
  if (level !== ENTRIES && level > 0) {
    const wanted = Array.from({ length: width }, (_, at) => ({
      level: level * STORED_LEVEL,
      index: start + at,
    }))
    return Buffer.from((await log.nodes(wanted)).join(''), 'hex')
  }
  const entries = (await log.read(start, width)).map(({ entry }) => entry)
  if (entries.length !== width) return undefined
  return level === ENTRIES
    ? bundleEntries(entries)
    : Buffer.from(entries.map((entry) => leafHash(entry)).join(''), 'hex')
}
