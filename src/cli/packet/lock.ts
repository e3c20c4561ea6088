import { resolve } from 'node:path'
import type { Config } from '../../app/config/settings.ts'
import { openPacketLock } from '../../app/open/packets/packet-lock.ts'
import { optional } from '../../kernel/optional.ts'
import { escapeInvisible } from '../../kernel/text/escape-text.ts'
import { packetFaults } from '../../packets/faults.ts'
import { readManifest } from '../../packets/format/manifest.ts'
import { parseReference, sourceUri } from '../../packets/format/reference.ts'
import { isProblem, type LockPorts, type LockRow, type LockStep } from '../../packets/lock/lock-ports.ts'
import {
  EMPTY_LOCK,
  LOCK_NAME,
  type LockedPacket,
  lockKey,
  type PacketsLock,
} from '../../packets/lock/packets-lock.ts'
import { checkLocked, findOutdated, lockPacket, syncPacket } from '../../packets/lock/sync-lock.ts'
import { packetFolder } from '../../platform/packets/folder.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { requireWritable, type Subcommand, textFlag } from '../command/subcommand.ts'
import { withProgress } from '../progress.ts'
import { openPullPorts } from './pull.ts'
import { NO_ABORT, needText, packetSettings, printResult, progressJob } from './settings.ts'
import { digestIn } from './show.ts'

/** Version and model of a stored packet. */
const describeStored = async (folder: string) => {
  const source = await packetFolder(folder)('payload/manifest.json')
  if (source === undefined) throw packetFaults.manifest('the packet has no manifest.json')
  const { cpm, embedding } = readManifest(await source.read(0, source.size))
  return { version: cpm?.version ?? 'unknown', embedder: embedding.model }
}

interface LockWork {
  readonly project: ReturnType<typeof openPacketLock>
  readonly ports: LockPorts
  readonly step: (reference: string, progress?: LockStep['progress']) => LockStep
}

/** Opens the lock and the registry for one command. */
const withLockPorts = async <T>(
  invocation: Invocation,
  config: Config,
  work: (opened: LockWork) => Promise<T>,
): Promise<T> => {
  const project = openPacketLock(resolve(config.root))
  const { ports, close } = openPullPorts(config)
  const acceptSigner = invocation.flags['accept-signer'] === true
  const step = (reference: string, progress?: LockStep['progress']): LockStep => ({
    reference,
    ref: parseReference(reference),
    signal: NO_ABORT,
    acceptSigner,
    ...optional({ progress }),
  })
  const lockPorts = { ...ports, revocation: project.revocation, describe: describeStored }
  return work({ project, ports: lockPorts, step }).finally(close)
}

/** The lock of the project, which must name a packet. */
const needLock = async ({ project }: LockWork): Promise<PacketsLock> => {
  const lock = await project.read()
  if (lock === undefined || lock.packets.size === 0)
    throw packetFaults.unlocked(`${LOCK_NAME} names no packet, or is not in this project`)
  return lock
}

const short = (digest: string): string => digest.slice(0, 19)

const ENDINGS: Readonly<Record<LockRow['state'], string>> = {
  locked: 'locked',
  removed: 'removed',
  unchanged: 'unchanged',
  pulled: 'pulled',
  present: 'present',
  moved: 'moved',
  missing: 'missing',
  signer_changed: 'signer changed',
  revoked: 'revoked',
  mismatch: 'mismatch',
}

/** What to do about a problem. */
const FIXES: Partial<Readonly<Record<LockRow['state'], string>>> = {
  moved: '`warrant packet lock` takes what the tags name now.',
  missing: 'Ask its publisher, or remove the entry with `warrant packet lock --remove REF`.',
  signer_changed: 'If the new signer is right, use --accept-signer.',
  revoked: 'Lock another version, or remove the entry with `warrant packet lock --remove REF`.',
  mismatch: 'Restore packets.lock from the history of the repository, or lock the packet again.',
}

const rowLines = ({ reference, digest, version, state, detail, other, warnings = [] }: LockRow): string[] => {
  const place = `${version} ${short(digest)}`
  const beside = other && `${other.version} ${short(other.digest)}`
  const change = beside && (state === 'moved' ? `${place} → ${beside}` : `${beside} → ${place}`)
  const line = `${reference}  ${ENDINGS[state]}  ${change ?? place}${detail === undefined ? '' : `: ${detail}`}`
  return [line, ...warnings.map((one) => `# ${one}`)].map(escapeInvisible)
}

const report = ({ json, terminal }: Invocation, rows: readonly LockRow[]): number => {
  const problems = rows.filter(isProblem)
  const ok = problems.length === 0
  if (json) terminal.print(JSON.stringify({ ok, lock: LOCK_NAME, packets: rows }))
  else {
    terminal.print(rows.flatMap(rowLines).join('\n'))
    for (const state of new Set(problems.map((one) => one.state)))
      terminal.printError(`warrant: ${ENDINGS[state]}: ${FIXES[state] ?? ''}`)
  }
  return ok ? 0 : 1
}

/** Writes entries into the lock. What the lock holds beside them stays. */
const keepEntries = async (
  { project }: LockWork,
  lock: PacketsLock,
  entries: readonly (readonly [string, LockedPacket])[],
): Promise<void> => {
  if (entries.length > 0) await project.write({ ...lock, packets: new Map([...lock.packets, ...entries]) })
}

/** Runs the steps one after the other, so that progress and order of the rows are those of the lock. */
const eachEntry = async <T>(
  invocation: Invocation,
  known: Iterable<readonly [reference: string, known: T]>,
  run: (
    reference: string,
    known: T,
    progress: (done: number, total: number) => void,
  ) => Promise<{ readonly row: LockRow; readonly entry?: LockedPacket }>,
) => {
  const rows: LockRow[] = []
  const entries: (readonly [string, LockedPacket])[] = []
  for (const [reference, one] of known) {
    const { row, entry } = await withProgress(progressJob(invocation, 'pull', 'bytes'), (progress) =>
      run(reference, one, progress),
    )
    rows.push(row)
    if (entry !== undefined) entries.push([reference, entry])
  }
  return { rows, entries }
}

const askedKey = (asked: string, registry: string | undefined): string => {
  const uri = sourceUri({ ref: asked, registry })
  if (uri === undefined) throw usageFaults.argument('name a registry with --registry, or an oci:// reference')
  const ref = parseReference(uri)
  if (ref.digest !== undefined)
    throw usageFaults.argument(`${asked} is pinned already; name a tag or a version to lock`)
  return lockKey(ref)
}

/** Takes entries out of the lock. Nothing is asked, and stored packets stay. */
const removeEntries = async (invocation: Invocation, config: Config, asked: readonly string[]) => {
  if (asked.length === 0) throw usageFaults.argument('name the entries to remove')
  const project = openPacketLock(resolve(config.root))
  const before = (await project.read()) ?? EMPTY_LOCK
  const packets = new Map(before.packets)
  const rows = [...new Set(asked.map((one) => askedKey(one, config.registry)))].map((reference): LockRow => {
    const entry = packets.get(reference)
    if (entry === undefined) throw packetFaults.unlocked(`${LOCK_NAME} has no entry ${reference}`)
    packets.delete(reference)
    return { reference, digest: entry.digest, version: entry.version, state: 'removed' }
  })
  await project.write({ ...before, packets })
  return report(invocation, rows)
}

/** Writes what references name now into the lock; without references, what those of the lock name now. */
export const lock: Subcommand = async (invocation, asked) => {
  const { config } = packetSettings(invocation)
  requireWritable(config, '`warrant packet lock`')
  if (invocation.flags.remove === true) return removeEntries(invocation, config, asked)
  return withLockPorts(invocation, config, async (work) => {
    const before = asked.length > 0 ? ((await work.project.read()) ?? EMPTY_LOCK) : await needLock(work)
    const references =
      asked.length > 0 ? asked.map((one) => askedKey(one, config.registry)) : before.packets.keys()
    const wanted = Array.from(new Set(references), (one) => [one, before.packets.get(one)] as const)
    const { rows, entries } = await eachEntry(invocation, wanted, (reference, known, progress) =>
      lockPacket(work.ports, work.step(reference, progress), known),
    )
    await keepEntries(work, before, entries)
    return report(invocation, rows)
  })
}

/** Stores exactly the packets of the lock; with `--check` compares the lock with the registries. */
export const sync: Subcommand = async (invocation) => {
  const { config } = packetSettings(invocation)
  const { check, 'accept-signer': accept } = invocation.flags
  if (check && accept) throw usageFaults.option('--check changes nothing, so it excludes --accept-signer')
  if (!check) requireWritable(config, '`warrant packet sync`')
  return withLockPorts(invocation, config, async (work) => {
    const before = await needLock(work)
    const { rows, entries } = await eachEntry(
      invocation,
      before.packets,
      async (reference, entry, progress) =>
        check
          ? { row: await checkLocked(work.ports, work.step(reference), entry) }
          : syncPacket(work.ports, work.step(reference, progress), entry),
    )
    await keepEntries(work, before, entries)
    return report(invocation, rows)
  })
}

/** Prints what the registries have beside the packets of the lock. */
export const outdated: Subcommand = async (invocation) => {
  const { config } = packetSettings(invocation)
  return withLockPorts(invocation, config, async (work) => {
    const { packets } = await needLock(work)
    const rows = []
    for (const [reference, entry] of packets)
      rows.push(await findOutdated(work.ports, work.step(reference), entry))
    const lines = rows.map(({ reference, digest, version, now, newest }) => {
      const moved = now === null ? 'gone' : now.digest === digest ? 'current' : `now ${now.version}`
      return `${reference}  ${version}  ${moved}${newest === null ? '' : `, newest ${newest}`}`
    })
    const { json, terminal } = invocation
    terminal.print(
      json
        ? JSON.stringify({ ok: true, lock: LOCK_NAME, packets: rows })
        : lines.map(escapeInvisible).join('\n'),
    )
    return 0
  })
}

const MAX_REASON = 500

const readReason = (text: string | undefined): string => {
  const reason = needText(text?.trim(), 'the reason with --reason')
  if (reason.length > MAX_REASON || /\p{Cc}/u.test(reason) || !reason.isWellFormed())
    throw usageFaults.option(`--reason is one line of at most ${MAX_REASON} characters`)
  return reason
}

/**
 * Records that nothing should rest on a packet any more: for this user, and in the lock of the project where there is
 * one. It concerns answers and verdicts from now on; earlier ones are not changed.
 */
export const revoke: Subcommand = async (invocation, [asked]) => {
  const { config } = packetSettings(invocation)
  requireWritable(config, '`warrant packet revoke`')
  const digest = digestIn(needText(asked, 'a digest'))
  if (digest === undefined)
    throw usageFaults.argument(`${asked} is not a digest; name sha256: and 64 digits, or a pinned address`)
  const undo = invocation.flags.undo === true
  const text = textFlag(invocation, 'reason')
  if (undo && text !== undefined) throw usageFaults.option('--undo takes no reason')
  const entry = undo
    ? undefined
    : { reason: readReason(text), revoked_at: new Date(systemClock.now()).toISOString() }
  const change = <T>(map: ReadonlyMap<string, T>, value: T | undefined): Map<string, T> => {
    const changed = new Map(map)
    if (value === undefined) changed.delete(digest)
    else changed.set(digest, value)
    return changed
  }
  const project = openPacketLock(resolve(config.root))
  // The lock is read first: one that cannot be read must not leave half of the work done.
  const lock = await project.read()
  if (!(await project.user.write(change(await project.user.read(), entry))))
    throw packetFaults.unkept('the revocation could not be written to the state folder of this user')
  if (lock !== undefined) await project.write({ ...lock, revoked: change(lock.revoked, entry) })
  const places = ['user', ...(lock === undefined ? [] : [LOCK_NAME])]
  const done = undo ? 'no longer revoked' : 'revoked'
  const also = lock === undefined ? '' : ` and in ${LOCK_NAME}`
  return printResult(
    invocation,
    { digest, ...(entry ?? { undone: true }), places },
    `${digest}  ${done}: recorded for this user${also}`,
  )
}
