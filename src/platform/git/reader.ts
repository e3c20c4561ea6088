import type { ChangeSet, GitReader, Scope } from '../../gate/ports.ts'
import { GitBlobReader } from './blobs.ts'
import { withoutFilters } from './filters.ts'
import { GitIndex } from './index-records.ts'
import {
  parseIndex,
  parseNames,
  parseRaw,
  parseStaged,
  parseState,
  parseWorktree,
  type RawChange,
} from './parse.ts'
import { findPlace } from './place.ts'
import { askGit, type GitPlace, gitFaults, readGit, runGit, STATUS_ARGS } from './run.ts'
import { readWorktree } from './worktree.ts'

const STATUS = [...STATUS_ARGS, '--find-renames=50%']
// Enough for any change a person makes; a fixed number, so that no configuration changes the answer.
const RAW = ['--raw', '-z', '--no-abbrev', '-M50%', '-l1000']
const LIST = ['ls-files', '--stage', '-z']
const UNCOMMITTED = 128

const byPath = (a: RawChange, b: RawChange): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

// A name that starts with a dash would be an option, one with a newline two questions.
const isName = (name: string): boolean => name !== '' && !/^-|\p{Cc}/u.test(name)

/** The commits behind the names, in their order; undefined where there is none. */
const findCommits = async (
  place: GitPlace,
  names: readonly string[],
  signal: AbortSignal,
): Promise<(string | undefined)[]> => {
  const asked = names.filter(isName)
  if (asked.length === 0) return names.map(() => undefined)
  const input = asked.map((name) => `${name}^{commit}\n`).join('')
  const text = await runGit(place, ['cat-file', '--batch-check'], { signal, input })
  const oids = text.split('\n').map((line) => /^([0-9a-f]{40,64}) commit \d+$/.exec(line)?.[1])
  return names.map((name) => (isName(name) ? oids[asked.indexOf(name)] : undefined))
}

/** What happened on the way from `from` to `to`: compared with where they parted, as a push or a pull request is. */
const rangeChanges = async (
  place: GitPlace,
  { from, to }: Scope & { readonly kind: 'range' },
  signal: AbortSignal,
): Promise<RawChange[]> => {
  const [start, end] = await findCommits(place, [from, to], signal)
  if (start === undefined) throw gitFaults.revision(`${JSON.stringify(from)} is not a commit`)
  if (end === undefined) throw gitFaults.revision(`${JSON.stringify(to)} is not a commit`)
  const { code, text } = await askGit(place, ['merge-base', start, end], { signal })
  const base = code === 0 ? text.trim() : start
  return parseRaw(await runGit(place, ['diff-tree', '-r', ...RAW, base, end], { signal }))
}

const indexFiles = async (place: GitPlace, signal: AbortSignal): Promise<RawChange[]> =>
  parseIndex(await runGit(place, LIST, { signal }))

const stagedChanges = async (place: GitPlace, signal: AbortSignal): Promise<RawChange[]> => {
  const args = ['diff-index', '--cached', ...RAW, 'HEAD']
  const { code, text } = await askGit(place, args, { signal })
  if (code === 0) return parseRaw(text)
  // Before the first commit there is no HEAD to compare with: everything in the index is new.
  if (code === UNCOMMITTED) return indexFiles(place, signal)
  throw gitFaults.failed(`git diff-index ended with ${code}`)
}

const runStatus = async (
  place: GitPlace,
  untracked: 'all' | 'normal',
  signal: AbortSignal,
): Promise<string> =>
  runGit(await withoutFilters(place, signal), [...STATUS, `--untracked-files=${untracked}`], { signal })

const worktreeChanges = async (place: GitPlace, signal: AbortSignal): Promise<RawChange[]> =>
  parseWorktree(await runStatus(place, 'all', signal))

const repositoryFiles = async (place: GitPlace, signal: AbortSignal): Promise<RawChange[]> => {
  const [tracked, others] = await Promise.all([
    indexFiles(place, signal),
    runGit(place, ['ls-files', '--others', '--exclude-standard', '-z'], { signal }),
  ])
  const untracked = parseNames(others).filter((path) => !path.endsWith('/'))
  return [...tracked, ...untracked.map((path) => ({ path, change: 'added' as const, oid: undefined }))]
}

const sourceOf = (scope: Scope): string =>
  scope.kind === 'range' ? `git:range:${scope.from}..${scope.to}` : `git:${scope.kind}`

type Question<T> = (place: GitPlace, signal: AbortSignal) => Promise<T>

const askStatus: Question<string> = (place, signal) => runStatus(place, 'normal', signal)

const askIndex: Question<GitIndex> = async (place, signal) =>
  new GitIndex(await readGit(place, LIST, { signal }))

/** Asks once, and again only when that went wrong. */
const askedOnce = <T>(ask: Question<T>): Question<T> => {
  let answer: Promise<T> | undefined
  return (place, signal) => {
    answer ??= ask(place, signal).catch((thrown: unknown) => {
      answer = undefined
      throw thrown
    })
    return answer
  }
}

const collect = async (
  place: GitPlace,
  scope: Scope,
  status: Question<string>,
  signal: AbortSignal,
): Promise<RawChange[]> => {
  switch (scope.kind) {
    case 'staged':
      return parseStaged(await status(place, signal)) ?? stagedChanges(place, signal)
    case 'range':
      return rangeChanges(place, scope, signal)
    case 'worktree':
      return worktreeChanges(place, signal)
    case 'repository':
      return repositoryFiles(place, signal)
  }
}

const withBlobs = (paths: readonly string[], blobOf: (path: string) => string | undefined) =>
  paths.flatMap((path) => {
    const oid = blobOf(path)
    return oid === undefined ? [] : [{ path, oid }]
  })

const changeSet = (
  place: GitPlace,
  source: string,
  unsorted: RawChange[],
  blobs: GitBlobReader | undefined,
): ChangeSet => {
  const raw = unsorted.sort(byPath)
  return {
    source,
    changes: raw.map(({ path, change, from }) => ({ path, change, ...(from !== undefined && { from }) })),
    read: (paths, stop) => {
      if (blobs === undefined) return readWorktree(place.folder, paths, stop)
      const oids = new Map(raw.map(({ path, oid }) => [path, oid]))
      return blobs.read(
        place,
        withBlobs(paths, (path) => oids.get(path)),
        stop,
      )
    },
  }
}

interface ReaderOptions {
  /**
   * For one judgement: what git has said of state and index holds until its end, and is not asked again. All that
   * will be asked is asked at once: each start of a program makes this one touch its memory anew.
   */
  readonly steady?: boolean
}

/** Git as the gate reads it, from any folder of a repository. */
export const gitReader = (start: GitPlace, { steady = false }: ReaderOptions = {}): GitReader => {
  const blobs = new GitBlobReader()
  const status = steady ? askedOnce(askStatus) : askStatus
  const index = steady ? askedOnce(askIndex) : askIndex
  let found: Promise<GitPlace | undefined> | undefined
  const look = async (signal: AbortSignal): Promise<GitPlace | undefined> => {
    const place = await findPlace(start, signal)
    if (place !== undefined && steady) {
      // What goes wrong is heard by whoever asks.
      for (const ask of [status, index]) ask(place, signal).catch(() => {})
      blobs.prepare(place)
    }
    return place
  }
  const forget = () => {
    found = undefined
  }
  // Remembered once it is there: a folder may become a repository, but a repository does not move under us.
  const find = async (signal: AbortSignal): Promise<GitPlace | undefined> => {
    found ??= look(signal)
    const place = await found.catch((thrown: unknown) => {
      forget()
      throw thrown
    })
    if (place === undefined) forget()
    return place
  }
  const need = async (signal: AbortSignal): Promise<GitPlace> => {
    const place = await find(signal)
    if (place === undefined) throw gitFaults.repository('this is not a git repository')
    return place
  }
  return {
    root: async (signal) => (await find(signal))?.folder,
    state: async (signal) => parseState(await status(await need(signal), signal)),
    changes: async (scope, signal) => {
      const place = await need(signal)
      const onDisk = scope.kind === 'worktree' || scope.kind === 'repository'
      return changeSet(
        place,
        sourceOf(scope),
        await collect(place, scope, status, signal),
        onDisk ? undefined : blobs,
      )
    },
    tracked: async (signal) => {
      const place = await need(signal)
      const files = await index(place, signal)
      return {
        find: (ends, starts) => files.find(ends, starts),
        read: (paths, stop) =>
          blobs.read(
            place,
            withBlobs(paths, (path) => files.blob(path)),
            stop,
          ),
      }
    },
    resolve: async (names, signal) => {
      const commits = await findCommits(await need(signal), names, signal)
      const at = commits.findIndex((commit) => commit !== undefined)
      const [name, hash] = [names[at], commits[at]]
      return name === undefined || hash === undefined ? undefined : { name, hash }
    },
    mergedBranches: async (signal) => {
      const format = '--format=%(HEAD)%(refname:lstrip=2)'
      const place = await need(signal)
      const { code, text } = await askGit(place, ['for-each-ref', '--merged=HEAD', format, 'refs/heads'], {
        signal,
      })
      if (code !== 0) return []
      const lines = text.split('\n').filter((line) => line.startsWith(' '))
      return lines.map((line) => line.slice(1)).sort()
    },
  }
}
