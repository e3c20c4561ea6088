import { setTimeout } from 'node:timers/promises'
import { runProgram } from '../../programs/program.ts'
import { trustedPath } from '../../programs/trusted-path.ts'
import { withDeadline } from '../../system/deadline.ts'
import { askGit, type GitPlace, runGit } from '../run.ts'
import { findNotes } from './find-notes.ts'
import {
  findNotesRefs,
  isPlainRemote,
  localNotesRef,
  NOTES_NAMES,
  type NotesName,
  notesFetchSpec,
  remoteNotesRef,
} from './note-refs.ts'
import { addLines, commitNotes, type NotesStore, replaceNotesRef } from './write-notes.ts'

/** More notes than this are not merged at once. */
const MAX_MERGED = 50_000

/** The objects whose notes differ and exist in `theirs`, from `diff-tree --raw -z`: `:<modes> <ids> <status>\0<path>\0`. */
const parseDiffering = (text: string, digits: number): string[] => {
  const records = text.split('\0')
  const objects = new Set<string>()
  for (let at = 0; at + 1 < records.length; at += 2) {
    const object = records[at + 1]?.replaceAll('/', '') ?? ''
    if (!records[at]?.endsWith(' D') && object.length === digits && /^[0-9a-f]+$/.test(object))
      objects.add(object)
  }
  return [...objects].sort()
}

const isAncestor = async ({ place }: NotesStore, older: string, newer: string, signal: AbortSignal) =>
  (await askGit(place, ['merge-base', '--is-ancestor', older, newer], { signal })).code === 0

/**
 * Joins the notes of a remote into those of this clone: the union of the lines of each note. Both histories are parents
 * of the result, so that it can be pushed. Returns what could not be joined, as sentences.
 */
const mergeNotes = async (
  store: NotesStore,
  name: NotesName,
  theirs: string,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const ref = localNotesRef(name)
  const { place } = store
  let problems: string[] = []
  const moveRef = async (old: string): Promise<boolean> =>
    (await askGit(place, ['update-ref', '--no-deref', ref, theirs, old], { signal })).code === 0
  const replace = async (ours: string | undefined): Promise<boolean> => {
    if (ours === undefined) return moveRef('0'.repeat(theirs.length))
    if (await isAncestor(store, theirs, ours, signal)) return true
    if (await isAncestor(store, ours, theirs, signal)) return moveRef(ours)
    const diff = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', ours, theirs]
    const objects = parseDiffering(await runGit(place, diff, { signal }), theirs.length)
    const some = objects.slice(0, MAX_MERGED)
    const present = await findNotes(store, ours, some, signal)
    const added = await findNotes(store, theirs, some, signal)
    problems = objects.length > some.length ? [`${objects.length - some.length} notes were not merged`] : []
    const contents = new Map<string, Buffer | undefined>()
    for (const object of some) {
      const edits = present && addLines(present, object, added?.lines.get(object) ?? [])
      const why = edits === undefined ? 'would grow too long' : added?.unreadable.get(object)
      if (why !== undefined) problems.push(`the note of ${object} ${why}`)
      for (const [path, bytes] of edits ?? []) contents.set(path, bytes)
    }
    const message = 'Notes merged by warrant'
    return commitNotes(store, { ref, message, parent: ours, merged: theirs, contents }, signal)
  }
  await replaceNotesRef(store, name, replace, signal)
  return problems
}

/**
 * Git with the network and the credentials of the user: the same that `git push` would use, without hooks, prompts and
 * background work.
 */

/** Variables that a hook passes for its repository; the repository is that of the folder. */
const OF_REPOSITORY =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|PREFIX|NAMESPACE|GRAFT_FILE|SHALLOW_FILE|QUARANTINE_PATH|IMPLICIT_WORK_TREE|REFLOG_ACTION)$/
const MAX_BYTES = 1024 * 1024
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'push.recurseSubmodules=no',
  'push.followTags=false',
].flatMap((one) => ['-c', one])

const userEnvironment = ({ environment, folder }: GitPlace): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => !OF_REPOSITORY.test(name))),
  PATH: trustedPath(environment.PATH, folder),
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GCM_INTERACTIVE: 'never',
})

/** How git ended: its output, or why there is none. */
interface TransportResult {
  readonly isDone: boolean
  readonly stdout: string
  /** Why it failed, in one line, without passwords and control characters. */
  readonly reason: string
}

/** The lines of git that say what went wrong; hints and progress are left out. */
const failureReason = (stderr: string): string => {
  const lines = stderr.split('\n').map((line) => line.trim())
  const told = lines.filter((line) => /^(fatal|error|remote|ssh|! )|denied|refused|not found/i.test(line))
  return (told.length > 0 ? told : lines.filter((line) => line !== ''))
    .slice(0, 3)
    .join('; ')
    .replace(/\/\/[^@/\s']+@/g, '//')
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, 300)
}

/** Asks for no password: of ssh only where the user has not set a command of their own. */
const withBatchMode = async (place: GitPlace, signal: AbortSignal): Promise<NodeJS.ProcessEnv> => {
  const env = userEnvironment(place)
  if (env.GIT_SSH_COMMAND !== undefined || env.GIT_SSH !== undefined) return env
  const limits = { cwd: place.folder, env, ms: 5_000, bytes: MAX_BYTES, signal }
  const configured = await runProgram('git', ['config', '--get', 'core.sshCommand'], limits)
  const isOwn = configured?.exitCode === 0 && configured.stdout.trim() !== ''
  return isOwn ? env : { ...env, GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=10' }
}

/** Runs `git push` or `git fetch`; how long it may take is up to the signal. */
const runTransport = async (
  place: GitPlace,
  args: readonly string[],
  signal: AbortSignal,
): Promise<TransportResult> => {
  const env = await withBatchMode(place, signal)
  const limits = { cwd: place.folder, env, ms: 60_000, bytes: MAX_BYTES, signal }
  const result = await runProgram('git', [...SETTINGS, ...args], limits)
  if (result === undefined) return { isDone: false, stdout: '', reason: 'git cannot be started' }
  const { exitCode, stdout, stderr, cut } = result
  const reason = cut === 'time' ? 'it took too long' : failureReason(stderr)
  return { isDone: exitCode === 0 && cut === undefined, stdout, reason }
}

/** What came of sending or fetching notes. A failure is a warning: the notes stay in this clone. */
export interface NotesExchange {
  readonly isDone: boolean
  readonly warnings: readonly string[]
}

const MAX_MS = 20_000
/** One push, and three more after the notes of other clones were joined. */
const ATTEMPTS = 4
const MAX_PAUSE_MS = 200
const FETCH =
  'fetch --quiet --no-tags --no-write-fetch-head --no-recurse-submodules --no-auto-maintenance'.split(' ')
const PUSH = 'push --porcelain --no-verify --no-signed'.split(' ')

// With the setting, git remembers what the remote holds; then nothing is sent a second time.
const pushArguments = (remote: string): string[] => [
  '-c',
  `remote.${remote}.fetch=${notesFetchSpec(remote)}`,
  ...PUSH,
  remote,
]

const failed = (warning: string): NotesExchange => ({ isDone: false, warnings: [warning] })

/** Whether the clone has a remote of this name. A hook can also be given an address, and a folder can have the name. */
const hasRemote = async (place: GitPlace, remote: string, signal: AbortSignal): Promise<boolean> =>
  isPlainRemote(remote) && (await runGit(place, ['remote'], { signal })).split('\n').includes(remote)

const noRemote = (remote: string): NotesExchange =>
  failed(
    `receipts were not exchanged: ${JSON.stringify(remote)} is not the name of a remote. Add it with \`git remote add\`.`,
  )

/** Notes of a remote are fetched beside those of this clone, which do not change. */
const fetchSpecs = async (store: NotesStore, remote: string, signal: AbortSignal): Promise<NotesExchange> => {
  const { isDone, reason } = await runTransport(
    store.place,
    [...FETCH, remote, notesFetchSpec(remote)],
    signal,
  )
  if (isDone) return { isDone, warnings: [] }
  return failed(`receipts could not be fetched from ${remote}: ${reason}`)
}

/** What a server says when another push replaced the ref at the same moment. */
const OVERTAKEN = /failed to update ref|lock ref|old value|expected/i

/** One line of `git push --porcelain` about a ref that was not taken: `!\t<from>:<to>\t[<kind>] (<reason>)`. */
const parseRejections = (stdout: string) =>
  [...stdout.matchAll(/^!\t[^\t]*:(\S+)\t\[([^\]]*)\](?: \((.*)\))?/gm)].map(
    ([, ref = '', kind = '', reason = kind]) => ({
      ref,
      isBehind: kind === 'rejected' || OVERTAKEN.test(reason),
      reason,
    }),
  )

/** The refs that the remote does not have yet, as far as this clone knows. */
const unpushedRefs = async (
  { place }: NotesStore,
  remote: string,
  signal: AbortSignal,
): Promise<string[]> => {
  const pairs = await Promise.all(
    NOTES_NAMES.map(async (name) => {
      const refs = new Map((await findNotesRefs(place, name, signal)).map(({ ref, oid }) => [ref, oid]))
      const [ours, theirs] = [refs.get(localNotesRef(name)), refs.get(remoteNotesRef(remote, name))]
      return ours === undefined || ours === theirs ? [] : [localNotesRef(name)]
    }),
  )
  return pairs.flat()
}

const mergeFetched = async (store: NotesStore, remote: string, signal: AbortSignal): Promise<string[]> => {
  const problems: string[] = []
  for (const name of NOTES_NAMES) {
    const refs = await findNotesRefs(store.place, name, signal)
    const theirs = refs.find(({ ref, kind }) => ref === remoteNotesRef(remote, name) && kind === 'commit')
    if (theirs !== undefined) problems.push(...(await mergeNotes(store, name, theirs.oid, signal)))
  }
  return problems.map((problem) => `${remote}: ${problem}`)
}

const pushRefs = async (store: NotesStore, remote: string, signal: AbortSignal): Promise<NotesExchange> => {
  const warnings: string[] = []
  for (let attempt = 1; ; attempt += 1) {
    const refs = await unpushedRefs(store, remote, signal)
    if (refs.length === 0) return { isDone: true, warnings }
    const specs = refs.map((ref) => `${ref}:${ref}`)
    const { isDone, stdout, reason } = await runTransport(
      store.place,
      [...pushArguments(remote), ...specs],
      signal,
    )
    if (isDone) return { isDone, warnings }
    const rejections = parseRejections(stdout)
    const refused = rejections.find(({ isBehind }) => !isBehind)
    const retry = `Try again with \`git push ${remote} ${refs.join(' ')}\`.`
    if (refused !== undefined)
      return failed(
        `${remote} does not accept ${refused.ref}: ${refused.reason}. The receipts stay in this clone. Allow this ref on the server, or let CI judge the change.`,
      )
    if (rejections.length === 0 || attempt === ATTEMPTS) {
      const why = rejections.length === 0 ? reason : 'other clones push at the same time'
      return failed(`receipts could not be pushed to ${remote}: ${why}. ${retry}`)
    }
    await setTimeout(Math.random() * MAX_PAUSE_MS, undefined, { signal })
    const fetched = await fetchSpecs(store, remote, signal)
    if (!fetched.isDone) return fetched
    warnings.push(...(await mergeFetched(store, remote, signal)))
  }
}

type Exchange = (store: NotesStore, remote: string, signal: AbortSignal) => Promise<NotesExchange>

/** Runs an exchange within the limit of time. Only a cancelled call throws. */
const limited =
  (exchange: Exchange): Exchange =>
  async (store, remote, signal) => {
    const limit = withDeadline(signal, MAX_MS)
    try {
      if (!(await hasRemote(store.place, remote, limit))) return noRemote(remote)
      return await exchange(store, remote, limit)
    } catch (thrown) {
      signal.throwIfAborted()
      const why = limit.aborted
        ? 'it took too long'
        : thrown instanceof Error
          ? thrown.message
          : String(thrown)
      return failed(`receipts were not exchanged with ${remote}: ${why}`)
    }
  }

export const pushNotes = limited(pushRefs)
export const fetchNotes = limited(fetchSpecs)
