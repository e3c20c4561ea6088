import { EMPTY_TREE, type GitReader, type Scope } from '../../gate/ports.ts'
import { askGit, type GitPlace, gitFaults, runGit } from './run.ts'

const BRANCH = /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/

/** Local and remote branches that point at the last commit, without the name of the remote. */
export const branchesAtHead = async (place: GitPlace, signal: AbortSignal): Promise<readonly string[]> => {
  const args = ['for-each-ref', '--points-at=HEAD', '--format=%(refname)', 'refs/heads', 'refs/remotes']
  const { code, text } = await askGit(place, args, { signal })
  return (code === 0 ? text.split('\n') : []).flatMap((name) => BRANCH.exec(name)?.[1] ?? [])
}

/**
 * Names of commits. Git takes a tag before a branch of the same name, so that a tag can take the place of the base of
 * a change. Here a name is an object id, `HEAD`, or a ref that is looked up by its full name.
 */

// A revision that starts with a dash would be an option; one with a newline would be two requests.
const isSafeRevision = (name: string): boolean => name !== '' && !/^-|\p{Cc}/u.test(name)

export const OBJECT_ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/
/** Names that are no refs of the user: heads of git itself, short object ids, and what `git describe` prints. */
const PLAIN_NAME = /^(@|[A-Z_]*HEAD|[0-9a-f]{4,64}|.+-g[0-9a-f]{4,64})$/
const FOLDERS = ['refs/heads/', 'refs/remotes/', 'refs/tags/']

/** A name and the rest of the expression: `main` and `~2^{tree}`. */
const splitExpression = (text: string): readonly [name: string, rest: string] => {
  const at = text.search(/[~^:]|@\{/)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)]
}

const refsOf = (name: string): string[] => {
  if (name === '' || name === 'HEAD' || OBJECT_ID.test(name)) return []
  return name.startsWith('refs/')
    ? [name]
    : [...FOLDERS.map((folder) => folder + name), `refs/remotes/${name}/HEAD`]
}

/** The objects of those refs that exist, by full name; for an annotated tag the object that it names. */
const readRefs = async (
  place: GitPlace,
  refs: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> => {
  if (refs.length === 0) return new Map()
  const format = '--format=%(refname)%00%(objectname)%00%(*objectname)'
  const text = await runGit(place, ['for-each-ref', format, '--', ...refs], { signal })
  const rows = text.split('\n').map((line) => line.split('\0'))
  // A pattern also matches the refs below it.
  return new Map(
    rows.flatMap(([ref = '', oid = '', peeled = '']) => (refs.includes(ref) ? [[ref, peeled || oid]] : [])),
  )
}

/** The expression to ask git for; undefined where there is no such ref. Throws for two refs of one name. */
const exactExpression = (text: string, refs: ReadonlyMap<string, string>): string | undefined => {
  const [name, rest] = splitExpression(text)
  if (name === '' || name === 'HEAD' || OBJECT_ID.test(name)) return text
  const found = refsOf(name).filter((ref) => refs.has(ref))
  const [first] = found
  if (first === undefined) return PLAIN_NAME.test(name) ? text : undefined
  if (new Set(found.map((ref) => refs.get(ref))).size > 1)
    throw gitFaults.revision(`${JSON.stringify(name)} is the name of several refs: ${found.join(', ')}`, {
      fix: 'Name the ref in full, or name the commit by its id.',
    })
  return first + rest
}

/** The commits of the revisions, in their order; undefined where there is none. */
export const findCommits = async (
  place: GitPlace,
  names: readonly string[],
  signal: AbortSignal,
): Promise<(string | undefined)[]> => {
  const safe = names.filter(isSafeRevision)
  const refs = await readRefs(
    place,
    safe.flatMap((name) => refsOf(splitExpression(name)[0])),
    signal,
  )
  const expressions = names.map((name) => (isSafeRevision(name) ? exactExpression(name, refs) : undefined))
  const asked = expressions.filter((one) => one !== undefined)
  if (asked.length === 0) return names.map(() => undefined)
  const input = asked.map((one) => `${one}^{commit}\n`).join('')
  const text = await runGit(place, ['cat-file', '--batch-check'], { signal, input })
  const oids = text.split('\n').map((line) => /^([0-9a-f]{40,64}) commit \d+$/.exec(line)?.[1])
  return expressions.map((one) => (one === undefined ? undefined : oids[asked.indexOf(one)]))
}

/** The empty tree of a repository with SHA-256. */
const EMPTY_TREE_SHA256 = '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'

/** Where a range starts and ends, as object ids: it starts at the merge base of `target` and `head`. */
export const resolveRange = async (
  place: GitPlace,
  { from, to }: Scope & { readonly kind: 'range' },
  signal: AbortSignal,
): Promise<{ readonly base: string; readonly head: string; readonly target: string | undefined }> => {
  const [start, head] = await findCommits(place, from === EMPTY_TREE ? ['', to] : [from, to], signal)
  if (head === undefined) throw gitFaults.revision(`${JSON.stringify(to)} is not a commit`)
  if (from === EMPTY_TREE)
    return { base: head.length === 64 ? EMPTY_TREE_SHA256 : EMPTY_TREE, head, target: undefined }
  if (start === undefined) throw gitFaults.revision(`${JSON.stringify(from)} is not a commit`)
  const { code, text } = await askGit(place, ['merge-base', start, head], { signal })
  return { base: code === 0 ? text.trim() : start, head, target: start }
}

export const isAncestor = async (
  place: GitPlace,
  [ancestor, commit]: readonly [string, string],
  signal: AbortSignal,
): Promise<boolean> => {
  const { code } = await askGit(place, ['merge-base', '--is-ancestor', ancestor, commit], { signal })
  if (code > 1) throw gitFaults.failed(`git merge-base exited with code ${code}`)
  return code === 0
}

/** Settings must neither run programs (`textconv`) nor leave commits out: an empty name clears their list, as an option only. */
const BLAME = ['blame', '--porcelain', '--no-textconv', '--ignore-revs-file=']
const NEWEST = ['--literal-pathspecs', 'rev-list', '--max-count=1']
/** A line of `rev-list`, or of blame, where those of the file start with a tab. */
const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})(?: \d+ (\d+)(?: \d+)?)?$/

export const lastChanges = async (
  place: GitPlace,
  ...[path, lines, range, signal]: Parameters<GitReader['lastChanges']>
): Promise<Map<number, string>> => {
  const asked = lines.length > 0 ? [...BLAME, ...lines.map((line) => `-L${line},${line}`)] : NEWEST
  const { text } = await askGit(place, [...asked, range, '--', path], { signal })
  const found = text.split('\n').map((line) => COMMIT.exec(line) ?? [])
  return new Map(found.flatMap(([, commit, line = '0']) => (commit ? [[Number(line), commit]] : [])))
}
