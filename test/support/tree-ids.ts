import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChangeSet, Scope } from '../../src/gate/ports.ts'
import { gitReader } from '../../src/platform/git/reader.ts'
import { type Random, seededRandom } from '../history/random.ts'
import { changeAtRandom } from './random-trees.ts'
import { GIT_ENVIRONMENT, Repo } from './repository.ts'

const never = new AbortController().signal
export const TREE_ENVIRONMENT = { ...process.env, ...GIT_ENVIRONMENT }

export const changeSetOf = (folder: string, scope: Scope, indexFile?: string): Promise<ChangeSet> =>
  gitReader({
    folder,
    environment: TREE_ENVIRONMENT,
    ...(indexFile !== undefined && { indexFile }),
  }).changes(scope, never)

export const treeOf = async (folder: string, scope: Scope, indexFile?: string): Promise<string | undefined> =>
  (await (await changeSetOf(folder, scope, indexFile)).boundTree(never))?.id

/** Digests of all files of the git folder: the index, the objects, everything. */
export const gitFolderDigest = (folder: string): string => {
  const hash = createHash('sha256')
  const names = readdirSync(join(folder, '.git'), { recursive: true, withFileTypes: true })
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  for (const file of files.sort()) hash.update(file).update('\0').update(readFileSync(file))
  return hash.digest('hex')
}

const commitTree = (repo: Repo): string | undefined => {
  try {
    repo.git('commit', '-q', '--no-verify', '--allow-empty', '-m', 'x')
    return repo.git('rev-parse', 'HEAD^{tree}').trim()
  } catch {
    return undefined
  }
}

/** A copy of the repository in which `git add -A` and `git commit` were done. */
const addedTree = (repo: Repo): string | undefined => {
  const copy = new Repo(`${repo.folder}-copy`)
  // Not cpSync: a name may not be UTF-8.
  execFileSync('rm', ['-rf', copy.folder])
  execFileSync('cp', ['-a', repo.folder, copy.folder])
  copy.git('add', '-A')
  return commitTree(copy)
}

/**
 * What a tree says that was not read of it: links and names that are not UTF-8, and the one file that changes before it
 * is read. Returns what is said beside or instead.
 */
const compareUnread = async (repo: Repo): Promise<readonly string[]> => {
  const set = await changeSetOf(repo.folder, { kind: 'worktree' })
  const present = set.changes.filter(({ change }) => change !== 'deleted').map(({ path }) => path)
  const isFile = (path: string) => lstatSync(repo.path(path), { throwIfNoEntry: false })?.isFile() === true
  const files = present.filter(isFile)
  const [late] = files
  const tree = await set.boundTree(never)
  if (tree === undefined) return []
  const before = late === undefined ? undefined : readFileSync(repo.path(late))
  if (late !== undefined) appendFileSync(repo.path(late), 'late\n')
  for await (const _ of set.read(present, never));
  if (late !== undefined && before !== undefined) writeFileSync(repo.path(late), before)
  const unread = (tree.unread?.() ?? []).filter((path) => path === late || isFile(path))
  return unread.join() === (late ?? '') ? [] : [`${late}: ${unread}`]
}

/** One random history; each of its states has the ids that git gives it. Returns what differs. */
export const compareRandomTrees = async (seed: number, steps: number): Promise<readonly string[]> => {
  const random: Random = seededRandom(seed)
  const repo = new Repo()
  repo.git('init', '-q', '-b', 'main', ...(random(4) === 0 ? ['--object-format=sha256'] : []))
  if (random(3) === 0) repo.git('config', 'core.autocrlf', 'input')
  if (random(3) === 0) repo.git('config', 'core.splitIndex', 'true')
  const wrong: string[] = []
  for (let step = 0; step < steps; step += 1) {
    changeAtRandom(repo, random)
    repo.git('status', '-s')
    const before = gitFolderDigest(repo.folder)
    const staged = await treeOf(repo.folder, { kind: 'staged' })
    const worktree = await treeOf(repo.folder, { kind: 'worktree' })
    if (gitFolderDigest(repo.folder) !== before) wrong.push(`${seed}/${step}: the git folder changed`)
    for (const said of await compareUnread(repo)) wrong.push(`${seed}/${step}: unread ${said}`)
    const added = addedTree(repo)
    if (worktree !== added) wrong.push(`${seed}/${step}: worktree ${worktree}, git ${added}`)
    const committed = commitTree(repo)
    if (staged !== committed) wrong.push(`${seed}/${step}: staged ${staged}, git ${committed}`)
  }
  return wrong
}
