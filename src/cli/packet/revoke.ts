import { resolve } from 'node:path'
import { openPacketLock } from '../../app/open/packets/packet-lock.ts'
import { packetFaults } from '../../packets/faults.ts'
import { LOCK_NAME } from '../../packets/lock/packets-lock.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { usageFaults } from '../command/command.ts'
import { requireWritable, type Subcommand, textFlag } from '../command/subcommand.ts'
import { needText, packetSettings, printResult } from './settings.ts'
import { digestIn } from './show.ts'

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
