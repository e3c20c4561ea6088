import { mkdir, readdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { lazyCrypto } from '../../kernel/encoding/crypto.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { defineFaults, Fault } from '../../kernel/fault.ts'
import type { Clock } from '../../kernel/ports.ts'
import { readRegularFile } from '../jail/async.ts'
import { replaceFile, sweepDrafts } from './atomic-write.ts'
import { currentProcess, isDead, type ProcessIdentity } from './process-identity.ts'

export const lockFaults = defineFaults('lock', {
  busy: {
    kind: 'conflict',
    fix: 'Wait for the process that holds the lock, or delete its lock file when it no longer runs.',
  },
  failed: { kind: 'unavailable', fix: 'Check the rights and the free space of the folder of the lock.' },
})

/** Who holds a lock, and which of its claims this is. */
interface Claimant extends ProcessIdentity {
  readonly id: string
}

/** One claim to a lock: a file that says whose it is. */
interface Claim {
  readonly file: string
  readonly number: number
  readonly text: string
}

const readOwner = (text: string): Claimant | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    const whole = isRecord(value) && Number.isSafeInteger(value.pid) && typeof value.id === 'string'
    return whole ? (value as unknown as Claimant) : undefined
  } catch {
    return undefined
  }
}

const MAX_CLAIM = 4_096

const readClaim = (file: string): Promise<string | undefined> =>
  readRegularFile(file, MAX_CLAIM).then(
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

// A claim appears whole or not at all; an empty one is what a crash of the whole machine left.
const isStale = ({ text }: Claim, here: ProcessIdentity): boolean => {
  const owner = readOwner(text)
  return text === '' || (owner !== undefined && isDead(owner, here))
}

const remove = (file: string): Promise<void> => unlink(file).catch(() => {})

/**
 * Tries once. The claim gets the number after the highest, and counts only if nothing but itself has changed
 * since all others were seen to be dead: whoever looked too long ago finds that out and steps back.
 */
const tryClaim = async (path: string, me: Claimant): Promise<readonly Claim[] | undefined> => {
  const before = await listClaims(path)
  if (before.some((claim) => !isStale(claim, me))) return undefined
  const number = (before.at(-1)?.number ?? 0) + 1
  const mine: Claim = { file: `${path}.${number}`, number, text: JSON.stringify(me) }
  try {
    // Not durable: a claim means nothing after a crash of the machine.
    await replaceFile(mine.file, mine.text, { durable: false, mode: 0o600, exclusive: true })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return undefined
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
        // Dead claims first and our own last: until then nobody else can have the lock.
        for (const { file } of held) await remove(file)
      }
    }
    if (clock.elapsed() > deadline) {
      // What is dead stays beside the living until the lock is released.
      const holder = (await listClaims(path)).find((claim) => !isStale(claim, me))
      const pid = readOwner(holder?.text ?? '')?.pid
      throw lockFaults.busy(
        `${basename(path)} is held${pid === undefined ? '' : ` by process ${pid}`} for more than ${waitMs} ms`,
      )
    }
    // Of many that wait, not all should come back at once.
    await pause(clock, wait * (0.5 + (lazyCrypto().randomBytes(1)[0] ?? 0) / 256))
  }
}

/**
 * Runs `work` while no other process holds the lock called `path`. What is on disk meanwhile are files
 * `path.1`, … beside each other; a lock whose owner is dead is taken over, and nothing is left behind.
 */
export const withLock = async <T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> => {
  let release: () => Promise<void>
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    release = await acquire(path, options)
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    throw lockFaults.failed(`the lock ${basename(path)} cannot be taken`, { cause })
  }
  try {
    return await work()
  } finally {
    await release()
  }
}
