import { readdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { lazyCrypto } from '../../kernel/encoding/crypto.ts'
import { isRecord, jsonOf } from '../../kernel/encoding/json.ts'
import { defineFaults, errorCode, Fault } from '../../kernel/fault.ts'
import type { Clock } from '../../kernel/ports.ts'
import { readRegularFile } from '../jail/async.ts'
import { replaceFile, sweepDrafts } from './atomic-write.ts'
import { makeFolders } from './make-folders.ts'
import { currentProcess, isDead, type ProcessIdentity } from './process-identity.ts'

export const lockFaults = defineFaults('lock', {
  busy: {
    kind: 'conflict',
    fix: 'Wait for the process that holds the lock. If it no longer runs, delete its lock file.',
  },
  failed: {
    kind: 'unavailable',
    fix: 'Check the permissions and the free space of the folder that holds the lock.',
  },
})

/**
 * A lock between processes, from files alone, that survives the death of its holder.
 *
 * A claim to the lock `path` is a file `path.<number>` that holds the identity of its process. To take the lock:
 *   1. List all claims. Give up if one belongs to a process that may be alive.
 *   2. Create a claim with the number after the highest. It is written as a draft and hard-linked to its name, which
 *      is atomic: the claim appears with its whole content, and `link` fails when another process took the number.
 *   3. List the claims again. The lock is held only if the list is the first one plus our claim; otherwise the claim is
 *      removed and all begins again. Without this second look a process that was stopped between 1 and 2 could join
 *      after the stale claims had been removed, the numbers had begun again at 1, and another process held the lock.
 * Stale claims stay until the holder releases the lock. They are removed before its own claim, so the numbers cannot
 * begin again while it holds the lock, and a process that read an older list fails at 2 or 3.
 */

/** The process that made a claim, and a random id for this one claim. */
interface Claimant extends ProcessIdentity {
  readonly id: string
}

interface Claim {
  readonly file: string
  readonly number: number
  readonly text: string
}

const isClaimant = (value: unknown): value is Claimant =>
  isRecord(value) && Number.isSafeInteger(value.pid) && typeof value.id === 'string'

const parseClaimant = (text: string): Claimant | undefined => {
  const value = jsonOf(text)
  return isClaimant(value) ? value : undefined
}

const MAX_CLAIM_BYTES = 4_096

const readClaim = (file: string): Promise<string | undefined> =>
  readRegularFile(file, MAX_CLAIM_BYTES).then(
    (bytes) => bytes?.toString('utf8'),
    () => undefined,
  )

const listClaims = async (path: string): Promise<readonly Claim[]> => {
  const folder = dirname(path)
  const prefix = `${basename(path)}.`
  const claims: Claim[] = []
  for (const name of await readdir(folder)) {
    const number = name.startsWith(prefix) ? name.slice(prefix.length) : ''
    if (!/^\d{1,9}$/.test(number)) continue
    const file = join(folder, name)
    const text = await readClaim(file)
    if (text !== undefined) claims.push({ file, number: Number(number), text })
  }
  return claims.sort((a, b) => a.number - b.number)
}

// `link` publishes only complete claims. An empty one is left by a crash of the machine: claims are not fsynced.
const isStale = ({ text }: Claim, here: ProcessIdentity): boolean => {
  const owner = parseClaimant(text)
  return text === '' || (owner !== undefined && isDead(owner, here))
}

const remove = (file: string): Promise<void> => unlink(file).catch(() => {})

/** Tries once. Returns all claims, ours last, when the lock is held; undefined when another process may hold it. */
const tryClaim = async (path: string, me: Claimant): Promise<readonly Claim[] | undefined> => {
  const before = await listClaims(path)
  if (before.some((claim) => !isStale(claim, me))) return undefined
  const number = (before.at(-1)?.number ?? 0) + 1
  const mine: Claim = { file: `${path}.${number}`, number, text: JSON.stringify(me) }
  try {
    // Not durable: a claim means nothing after a crash of the machine.
    await replaceFile(mine.file, mine.text, { durable: false, mode: 0o600, exclusive: true })
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') return undefined
    throw cause
  }
  const after = await listClaims(path)
  const expected = [...before, mine]
  const unchanged =
    after.length === expected.length && after.every(({ text }, at) => text === expected[at]?.text)
  if (unchanged) return expected
  await remove(mine.file)
  return undefined
}

const FIRST_WAIT_MS = 2
const LONGEST_WAIT_MS = 40

interface LockOptions {
  readonly clock: Clock
  /** How long to wait for the lock. */
  readonly waitMs: number
}

const pause = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, resolve)
  })

const acquire = async (path: string, { clock, waitMs }: LockOptions): Promise<() => Promise<void>> => {
  const me: Claimant = { ...currentProcess(), id: lazyCrypto().randomBytes(12).toString('hex') }
  const deadline = clock.elapsed() + waitMs
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    const held = await tryClaim(path, me)
    if (held !== undefined) {
      await sweepDrafts(dirname(path))
      return async () => {
        // Our own claim is the last to be removed: until then no other process can take the lock.
        for (const { file } of held) await remove(file)
      }
    }
    if (clock.elapsed() > deadline) {
      // Stale claims stay until the lock is released, so the first claim need not be the holder's.
      const holder = (await listClaims(path)).find((claim) => !isStale(claim, me))
      const pid = parseClaimant(holder?.text ?? '')?.pid
      throw lockFaults.busy(
        `${basename(path)} has been held${pid === undefined ? '' : ` by process ${pid}`} for more than ${waitMs} ms`,
      )
    }
    // Jitter, so that waiting processes do not try again at the same time.
    await pause(clock, wait * (0.5 + (lazyCrypto().randomBytes(1)[0] ?? 0) / 256))
  }
}

/** Runs `work` while this process holds the lock `path`. A lock whose holder is dead is taken over. */
export const withLock = async <T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> => {
  let release: () => Promise<void>
  try {
    makeFolders(dirname(path), 0o700)
    release = await acquire(path, options)
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    const why = errorCode(cause) === 'ENOSPC' ? 'the disk is full' : errorCode(cause)
    throw lockFaults.failed(`the lock ${basename(path)} could not be created: ${why}`, { cause })
  }
  try {
    return await work()
  } finally {
    await release()
  }
}
