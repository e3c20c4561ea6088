import { parseKeys } from '../../../receipts/keys-file.ts'
import { checkCommits, type ReceiptPlace } from './find-receipts.ts'
import { withLoggedReceipts } from './log-receipts.ts'
import { openNotes } from './open-notes.ts'
import { checkLogs, checkOwnLog, hashOf, originsOf } from './witness.ts'

/** Judges the commits of a range by their receipts, and the logs that these are in by what witnesses saw. */
export const checkReceiptRange = async (
  place: ReceiptPlace,
  range: { readonly base: string | undefined; readonly head: string },
  keysText: string,
) => {
  const { root, config, signal } = place
  const listed = await parseKeys(keysText)
  const commits = await checkCommits(place, range, listed)
  const notes = openNotes(place)
  const keys = listed.map(({ key }) => key.text)
  const context = { notes, keys, format: hashOf(range.head), signal }
  const own = await withLoggedReceipts(config, root, async (_, log) =>
    log === undefined || (await log.head()).size === 0 ? [] : checkOwnLog(context, log),
  )
  const others = await checkLogs(context, originsOf(commits))
  return {
    commits,
    logs: [...own, ...others.filter(({ origin }) => !own.some((one) => one.origin === origin))],
  }
}
