import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Random } from '../history/random.ts'

const PAGE = 4096

/** Bytes of the same file from before, and of a file of another machine. */
interface Others {
  readonly old: Buffer
  readonly foreign: Buffer
}

type Spoil = (bytes: Buffer, random: Random, others: Others) => Buffer | undefined

const overwrite = (bytes: Buffer, random: Random, fill: (page: Buffer) => void): Buffer => {
  const at = random(Math.max(1, Math.ceil(bytes.length / PAGE))) * PAGE
  fill(bytes.subarray(at, at + PAGE))
  return bytes
}

/** What can happen to a file behind the back of its programs; undefined where it is gone. */
export const SPOILS: Readonly<Record<string, Spoil>> = {
  'a bit': (bytes, random) => {
    const at = random(Math.max(1, bytes.length))
    if (bytes.length > 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8))
    return bytes
  },
  'a page of zeros': (bytes, random) => overwrite(bytes, random, (page) => page.fill(0)),
  'a page of noise': (bytes, random) =>
    overwrite(bytes, random, (page) => {
      for (let at = 0; at < page.length; at += 1) page[at] = random(256)
    }),
  truncation: (bytes, random) => bytes.subarray(0, random(Math.max(1, bytes.length))),
  emptying: (bytes) => bytes.subarray(0, 0),
  'an old copy': (_, __, { old }) => old,
  'a foreign copy': (_, __, { foreign }) => foreign,
  removal: () => undefined,
}

export const readIfThere = (path: string): Buffer => (existsSync(path) ? readFileSync(path) : Buffer.alloc(0))

/** Spoils a file. Returns whether it has other bytes now. */
export const spoilFile = (path: string, spoil: Spoil, random: Random, others: Others): boolean => {
  const before = readIfThere(path)
  const after = spoil(Buffer.from(before), random, others)
  if (after === undefined) rmSync(path, { force: true })
  else writeFileSync(path, after)
  return after === undefined || !after.equals(before)
}
