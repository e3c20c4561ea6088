import { setTimeout } from 'node:timers/promises'
import { withDeadline } from '../../system/deadline.ts'
import { type GitPlace, runGit } from '../run.ts'
import { mergeNotes } from './merge-notes.ts'
import {
  findNotesRefs,
  isPlainRemote,
  localNotesRef,
  NOTES_NAMES,
  notesFetchSpec,
  remoteNotesRef,
} from './note-refs.ts'
import { runTransport } from './transport.ts'
import type { NotesStore } from './write-notes.ts'

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
