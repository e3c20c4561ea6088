import { openNotes } from '../../app/open/receipts/open-notes.ts'
import { publishReceipts } from '../../app/open/receipts/publish.ts'
import type { Subcommand } from '../command/subcommand.ts'
import { printOutput } from '../print-output.ts'
import { requireWritable } from '../require-writable.ts'
import { openPlace } from './open-place.ts'
import { readEnds, readScope } from './read-range.ts'

/** Fetches the notes of a remote beside those of this clone. */
export const fetchReceipts: Subcommand = async (invocation, [remote = 'origin']) => {
  const { root, config, signal } = await openPlace(invocation)
  requireWritable(config, '`warrant receipts fetch`')
  const { fetch: fetchNotes } = openNotes({ root, config })
  const { isDone, warnings } = await fetchNotes(remote, signal)
  for (const warning of warnings) invocation.terminal.printError(`warrant: ${warning}`)
  printOutput(invocation, { remote, fetched: isDone }, () =>
    isDone ? `The receipts of ${remote} are in this clone.` : `Nothing was fetched from ${remote}.`,
  )
  return isDone ? 0 : 1
}

/** Puts the receipts of commits into git notes and sends these, as the hook of a push does. */
export const pushReceipts: Subcommand = async (invocation, [remote = 'origin', range]) => {
  const place = await openPlace(invocation)
  requireWritable(place.config, '`warrant receipts push`')
  const ends = await readEnds(place, await readScope(place, range))
  const { isSent, warnings } = await publishReceipts(place, { ...ends, remote })
  for (const warning of warnings) invocation.terminal.printError(`warrant: ${warning}`)
  if (!isSent && warnings.length === 0)
    invocation.terminal.printError(
      'warrant: .warrant/keys.yml lists no key, so no receipt is asked for. A person adds one: warrant keys add --owner NAME',
    )
  printOutput(invocation, { remote, ...ends, sent: isSent }, () =>
    isSent ? `${remote} has the receipts of this clone.` : `Nothing was sent to ${remote}.`,
  )
  return isSent ? 0 : 1
}
