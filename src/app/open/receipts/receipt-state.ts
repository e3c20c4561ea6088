import { DECISION_LOG, logOrigin } from '../../../lineage/origin.ts'
import { readNotesFetch } from '../../../platform/git/notes/fetch-settings.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import type { ListedKey } from '../../../receipts/keys-file.ts'
import { KEYS_FILE } from '../../../receipts/keys-path.ts'
import type { ReceiptKey } from '../../../receipts/verifier-key.ts'
import { type ReceiptPlace, readTrustedKeys } from './find-receipts.ts'
import { withLoggedReceipts } from './log-receipts.ts'
import { openNotes } from './open-notes.ts'
import { openReceiptSigner, readOwnKey } from './signing-key.ts'
import { hashOf, readWitnessed } from './witness.ts'

/** Whether receipts of this machine will be trusted, and those of others found. */
export interface ReceiptState {
  /** How many keys the repository lists. */
  readonly keys: number
  /** The key that signs here: `none` before its first use. */
  readonly key: 'none' | 'unlisted' | 'listed' | 'revoked'
  readonly owner?: string
  readonly role?: string
  /** Remotes whose notes `git fetch` brings, and those whose notes it does not. */
  readonly fetched: readonly string[]
  readonly unfetched: readonly string[]
  /** Entries of the log of decisions, and how many of them a witness signed. */
  readonly entries: number
  readonly witnessed: number
}

const readSigner = async ({ config, root }: ReceiptPlace): Promise<ReceiptKey | undefined> =>
  config.signingKey === undefined && config.signer !== 'ssh'
    ? readOwnKey()
    : (await openReceiptSigner(config, root)).key

const keyState = (own: ReceiptKey | undefined, listed: readonly ListedKey[]) => {
  if (own === undefined) return { key: 'none' } as const
  const entry = listed.find(({ key }) => key.id === own.id)
  if (entry === undefined) return { key: 'unlisted' } as const
  const { owner, role, revoked, until } = entry
  const end = revoked ?? until
  const isOver = end !== undefined && systemClock.now() >= Date.parse(end)
  return { key: isOver ? 'revoked' : 'listed', owner, role } as const
}

const readLogState = async (
  place: ReceiptPlace,
  keys: readonly ReceiptKey[],
): Promise<Pick<ReceiptState, 'entries' | 'witnessed'>> => {
  const { root, config, git, signal } = place
  const head = await git.head(signal)
  return withLoggedReceipts(config, root, async (_, log) => {
    const entries = (await log?.head())?.size ?? 0
    if (log === undefined || entries === 0 || head === null) return { entries, witnessed: 0 }
    const notes = openNotes({ root, config })
    const context = { notes, keys: keys.map(({ text }) => text), format: hashOf(head), signal }
    const [newest] = await readWitnessed(context, await logOrigin(DECISION_LOG, log))
    return { entries, witnessed: newest?.size ?? 0 }
  })
}

export const readReceiptState = async (place: ReceiptPlace): Promise<ReceiptState> => {
  const { root, config, signal } = place
  const start = { folder: root, environment: process.env, gitFolders: config.gitFolders }
  const [listed, own, remotes] = await Promise.all([
    readTrustedKeys(place),
    readSigner(place),
    readNotesFetch(start, signal),
  ])
  const keys = [...listed.map(({ key }) => key), ...(own === undefined ? [] : [own])]
  const names = [...remotes.keys()]
  return {
    keys: listed.length,
    ...keyState(own, listed),
    fetched: names.filter((name) => remotes.get(name) === true),
    unfetched: names.filter((name) => remotes.get(name) !== true),
    ...(await readLogState(place, keys)),
  }
}

export const describeKey = ({ key, owner, role }: ReceiptState): string => {
  if (key === 'none') return 'none yet; the first run of the gate makes it'
  if (key === 'unlisted') return `not in ${KEYS_FILE}`
  return `${key === 'revoked' ? 'no longer valid' : 'listed'} in ${KEYS_FILE}: ${owner}, ${role}`
}

export const describeFetch = ({ fetched, unfetched }: ReceiptState): string =>
  [
    fetched.join(', ') || (unfetched.length === 0 ? 'no remote' : ''),
    unfetched.length === 0 ? '' : `not from ${unfetched.join(', ')}`,
  ]
    .filter((part) => part !== '')
    .join('; ')

export const describeWitness = ({ entries, witnessed }: ReceiptState): string =>
  `${entries} entries; ${witnessed === 0 ? 'no witness signed any' : `a witness signed the first ${witnessed}`}`
