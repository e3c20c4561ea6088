import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pickOne, type Random } from '../history/random.ts'
import type { Repo } from './repository.ts'

/** Names that are files and folders in turn, sort differently as one and the other, or break readers of lines. */
const NAMES = ['a', 'a.b', 'a-b', 'ab', 'ñ', 'with space', 'new\nline', '"q"\t', '-dash', ':colon', '語']
/** In Latin-1: not UTF-8. */
const RAW_NAME = Buffer.from([0xff, 0x41])

const randomPath = (random: Random): string =>
  Array.from({ length: 1 + random(3) }, () => pickOne(random, NAMES)).join('/')

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Makes way for a file at the path: no file is a parent of it, and no folder is in its place. */
const clear = (root: string, path: string): void => {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const parent = join(root, path.slice(0, at))
    if (lstatSync(parent, { throwIfNoEntry: false }) && !isFolder(parent)) rmSync(parent)
  }
  rmSync(join(root, path), { recursive: true, force: true })
  mkdirSync(dirname(join(root, path)), { recursive: true })
}

type Change = (repo: Repo, random: Random, path: string) => void

const WORK: readonly Change[] = [
  (repo, random, path) => writeFileSync(repo.path(path), `${random(3)}\n`.repeat(random(20))),
  (repo, random, path) => writeFileSync(repo.path(path), `crlf ${random(3)}\r\n`.repeat(1 + random(3))),
  (repo, _, path) => {
    writeFileSync(repo.path(path), '#!/bin/sh\n')
    chmodSync(repo.path(path), 0o755)
  },
  (repo, random, path) => symlinkSync(pickOne(random, NAMES), repo.path(path)),
  (repo) => writeFileSync(Buffer.concat([Buffer.from(`${repo.folder}/`), RAW_NAME]), 'raw\n'),
  (repo, random, path) => {
    const from = repo.path(pickOne(random, NAMES))
    if (existsSync(from) && !repo.path(path).startsWith(`${from}/`)) renameSync(from, repo.path(path))
  },
  // Nothing is written: what was at the path is gone.
  () => {},
]

const tryGit = (repo: Repo, ...args: readonly string[]): void => {
  try {
    repo.git(...args)
  } catch {
    // A path that git does not know.
  }
}

const STAGE: readonly Change[] = [
  (repo) => tryGit(repo, 'add', '-A'),
  (repo, _, path) => tryGit(repo, 'add', '-A', '--', path),
  (repo, _, path) => tryGit(repo, 'add', '-N', '--', path),
  (repo, random, path) => tryGit(repo, 'mv', '-f', '--', pickOne(random, NAMES), path),
  (repo, _, path) => tryGit(repo, 'rm', '-q', '--cached', '-r', '--', path),
  (repo, random) => {
    const id = (random(2) === 0 ? '1' : 'e').repeat(repo.git('hash-object', '/dev/null').trim().length)
    tryGit(repo, 'update-index', '--add', '--cacheinfo', `160000,${id},sub-${random(2)}`)
  },
]

/** Changes the working tree and the index at random, in some steps. */
export const changeAtRandom = (repo: Repo, random: Random): void => {
  for (let step = 0; step < 6; step += 1) {
    const path = randomPath(random)
    clear(repo.folder, path)
    pickOne(random, WORK)(repo, random, path)
    if (random(2) === 0) pickOne(random, STAGE)(repo, random, path)
  }
}
