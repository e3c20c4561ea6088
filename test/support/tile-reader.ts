import { createPublicKey, verify } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { plainInclusionPaths, plainLeaf, plainNode, plainTreeRoot, sha256 } from './plain-tree.ts'

/**
 * A reader of published logs, written from the specifications alone (RFC 6962; C2SP signed-note, tlog-checkpoint,
 * tlog-cosignature, tlog-tiles). Shares no code with `src`.
 */

/** Reads a resource below the prefix of a log; undefined when there is none. */
export type ReadResource = (path: string) => Promise<Buffer | undefined>

export const folderResources =
  (folder: string): ReadResource =>
  async (path) => {
    try {
      return await readFile(join(folder, path))
    } catch {
      return undefined
    }
  }

export const webResources =
  (
    read: (path: string) => Promise<Response>,
    seen: (path: string, response: Response) => void,
  ): ReadResource =>
  async (path) => {
    const response = await read(path)
    seen(path, response)
    return response.status === 200 ? Buffer.from(await response.arrayBuffer()) : undefined
  }

interface Key {
  readonly name: string
  readonly type: number
  readonly id: Buffer
  readonly publicKey: Buffer
}

const parseKey = (line: string): Key => {
  const [name = '', id = '', ...rest] = line.split('+')
  const bytes = Buffer.from(rest.join('+'), 'base64')
  const key = { name, type: bytes[0] ?? 0, id: Buffer.from(id, 'hex'), publicKey: bytes.subarray(1) }
  const expected = sha256(`${name}\n`, bytes).subarray(0, 4)
  if (!expected.equals(key.id)) throw new Error(`the ID of the key ${name} is wrong`)
  return key
}

const checkSignature = ({ publicKey }: Key, message: string, signature: Buffer): boolean => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }
  return verify(null, Buffer.from(message), createPublicKey({ key: jwk, format: 'jwk' }), signature)
}

export interface PlainTreeHead {
  readonly origin: string
  readonly size: number
  readonly root: Buffer
}

/** Opens a checkpoint: the log must have signed it, and every given witness must have cosigned it. */
export const openPlainCheckpoint = (
  note: string,
  logKey: string,
  witnesses: readonly string[] = [],
): PlainTreeHead => {
  const end = note.lastIndexOf('\n\n')
  const text = note.slice(0, end + 1)
  const lines = note
    .slice(end + 2)
    .split('\n')
    .slice(0, -1)
  const signatureOf = (key: Key): Buffer => {
    for (const line of lines) {
      const [dash, name, encoded = ''] = line.split(' ')
      const bytes = Buffer.from(encoded, 'base64')
      if (dash === '\u2014' && name === key.name && bytes.subarray(0, 4).equals(key.id))
        return bytes.subarray(4)
    }
    throw new Error(`no signature of ${key.name}`)
  }
  const log = parseKey(logKey)
  if (log.type !== 1 || !checkSignature(log, text, signatureOf(log)))
    throw new Error('the log did not sign it')
  for (const witness of witnesses.map(parseKey)) {
    const bytes = signatureOf(witness)
    const message = `cosignature/v1\ntime ${bytes.readBigUInt64BE()}\n${text}`
    if (witness.type !== 4 || !checkSignature(witness, message, bytes.subarray(8)))
      throw new Error(`${witness.name} did not cosign it`)
  }
  const [origin = '', size = '', root = ''] = text.split('\n')
  return { origin, size: Number(size), root: Buffer.from(root, 'base64') }
}

const WIDTH = 256
const HASH = 32

const elements = (n: number): string => {
  const groups: string[] = []
  for (let rest = n, last = true; last || rest > 0; rest = Math.floor(rest / 1000), last = false)
    groups.unshift(`${last ? '' : 'x'}${String(rest % 1000).padStart(3, '0')}`)
  return groups.join('/')
}

const fetchTile = async (read: ReadResource, level: number | 'entries', n: number, width: number) => {
  const path = `tile/${level}/${elements(n)}${width === WIDTH ? '' : `.p/${width}`}`
  const bytes = await read(path)
  if (bytes === undefined) throw new Error(`${path} is missing`)
  return bytes
}

const hashesIn = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / HASH }, (_, at) => bytes.subarray(at * HASH, (at + 1) * HASH))

/** All tiles of a level, for a tree of `size`. */
const readTiles = async (read: ReadResource, level: number | 'entries', size: number): Promise<Buffer[]> => {
  const count = level === 'entries' ? size : Math.floor(size / WIDTH ** level)
  const tiles: Buffer[] = []
  for (let n = 0; n * WIDTH < count; n += 1)
    tiles.push(await fetchTile(read, level, n, Math.min(WIDTH, count - n * WIDTH)))
  return tiles
}

const entriesIn = (bundle: Buffer): Buffer[] => {
  const entries: Buffer[] = []
  for (let at = 0; at < bundle.length; ) {
    const length = bundle.readUInt16BE(at)
    entries.push(bundle.subarray(at + 2, at + 2 + length))
    at += 2 + length
  }
  return entries
}

/** RFC 6962, section 2.1.1: the root that a path leads to. */
const rootByPath = (leaf: Buffer, index: number, size: number, path: readonly Buffer[]): Buffer => {
  let [node, last, hash] = [index, size - 1, leaf]
  for (const sibling of path) {
    if (node % 2 === 1 || node === last) {
      hash = plainNode(sibling, hash)
      while (node % 2 === 0 && node !== 0) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
    } else hash = plainNode(hash, sibling)
    ;[node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
  }
  return hash
}

/**
 * Reads and verifies a whole log: every tile of every level against the one below, the root, every entry against its
 * leaf, and the inclusion of every entry. Returns the entries.
 */
export const readPlainLog = async (read: ReadResource, { size, root }: PlainTreeHead): Promise<string[]> => {
  const leaves = (await readTiles(read, 0, size)).flatMap(hashesIn)
  if (leaves.length !== size) throw new Error('the leaf tiles do not have as many hashes as the tree')
  if (!plainTreeRoot(leaves).equals(root))
    throw new Error('the leaf tiles do not have the root of the checkpoint')
  for (let level = 1; WIDTH ** level <= size; level += 1) {
    const above = (await readTiles(read, level, size)).flatMap(hashesIn)
    const span = WIDTH ** level
    const same = above.every((hash, at) =>
      hash.equals(plainTreeRoot(leaves.slice(at * span, (at + 1) * span))),
    )
    if (!same || above.length !== Math.floor(size / span)) throw new Error(`level ${level} is wrong`)
  }
  const entries = (await readTiles(read, 'entries', size)).flatMap(entriesIn)
  if (entries.length !== size) throw new Error('the bundles do not have as many entries as the tree')
  for (const [at, entry] of entries.entries())
    if (!plainLeaf(entry).equals(leaves[at] as Buffer)) throw new Error(`entry ${at} is not its leaf`)
  for (const [at, path] of plainInclusionPaths(leaves).paths.entries())
    if (!rootByPath(leaves[at] as Buffer, at, size, path).equals(root))
      throw new Error(`entry ${at} is not in the tree`)
  return entries.map((entry) => entry.toString())
}

/** Whether the leaf tiles of the newer tree begin with the older tree. */
export const isPlainPrefix = async (
  read: ReadResource,
  older: PlainTreeHead,
  newer: PlainTreeHead,
): Promise<boolean> => {
  const leaves = (await readTiles(read, 0, newer.size)).flatMap(hashesIn)
  return (
    older.origin === newer.origin &&
    plainTreeRoot(leaves).equals(newer.root) &&
    plainTreeRoot(leaves.slice(0, older.size)).equals(older.root)
  )
}
