import { readFile } from 'node:fs/promises'
import { revokedInputNotes } from '../../app/open/packets/citations.ts'
import { type LoggedReceipt, withLoggedReceipts } from '../../app/open/receipts/log-receipts.ts'
import { openEnvelope } from '../../receipts/envelope.ts'
import { detailsOf, treeOf, type VerifiedReceipt, verifyReceipt } from '../../receipts/verify-receipt.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { readCount, runSubcommand, type Subcommand, textFlag } from '../command/subcommand.ts'
import { writeTable } from '../command/table.ts'
import { printOutput } from '../print-output.ts'
import { check } from './check.ts'
import { fetchReceipts, pushReceipts } from './exchange.ts'
import { exportReceipt } from './export.ts'
import { DIGEST, findNamed, knownKeys } from './find-named.ts'
import { openPlace } from './open-place.ts'

const MAX_LISTED = 1_000

const summaryOf = ({ digest, trust, why, owner, role, key, receipt, place }: VerifiedReceipt) => ({
  digest,
  trust,
  ...(why !== undefined && { why }),
  ...(key !== undefined && { key: key.name }),
  ...(owner !== undefined && { owner, role }),
  ...(receipt !== undefined && {
    result: receipt.predicate.verificationResult,
    stage: detailsOf(receipt).stage,
    ...(detailsOf(receipt).policy_from && { policy_from: detailsOf(receipt).policy_from }),
    tree: treeOf(receipt),
    time: receipt.predicate.timeVerified,
  }),
  ...(place !== undefined && {
    place: { origin: place.origin, index: place.index, size: place.size, root: place.root },
  }),
})

const lineOf = (one: VerifiedReceipt): string => {
  const {
    digest,
    trust,
    why,
    key,
    owner,
    role,
    result,
    stage,
    tree,
    time,
    policy_from: tried,
    place,
  } = summaryOf(one)
  const signer = owner === undefined ? (key ?? 'unknown key') : `${owner} (${role}, ${key})`
  const worth = why === undefined ? trust : `${trust}: ${why}`
  return [
    digest,
    `  ${result} at ${stage}, ${time}${tried === undefined ? '' : ', by the policy of the working tree alone'}`,
    `  tree ${tree ?? 'unknown'}`,
    `  signed by ${signer}; ${worth}`,
    ...(place === undefined
      ? []
      : [
          `  proven: entry ${place.index} of the log ${place.origin}, by its checkpoint of ${place.size} entries`,
        ]),
  ].join('\n')
}

const list: Subcommand = async (invocation) => {
  const place = await openPlace(invocation)
  const limit = Math.min(MAX_LISTED, readCount(textFlag(invocation, 'limit') ?? '20', '--limit'))
  const keys = await knownKeys(place)
  const newest = await withLoggedReceipts(place.config, place.root, async (receipts) => {
    const found: LoggedReceipt[] = []
    for await (const one of receipts) {
      if (found.length >= limit) break
      found.push(one)
    }
    return found
  })
  const rows = newest.map(({ envelope, index, operation }) => ({
    index,
    operation,
    ...summaryOf(verifyReceipt(envelope, keys)),
  }))
  return printOutput(invocation, { receipts: rows }, () =>
    rows.length === 0
      ? 'The log of this machine has no receipt. Every run of the gate leaves one: warrant gate'
      : writeTable(
          ['entry', 'time', 'tool', 'stage', 'result', 'tree', 'trust', 'digest'],
          rows.map(({ index, time, operation, stage, result, tree, trust, digest }) => [
            String(index),
            time ?? '',
            operation,
            stage ?? '',
            result ?? '',
            (tree ?? '').slice(0, 12),
            trust,
            digest.slice(0, 19),
          ]),
        ),
  )
}

/** The statement as it was signed, with members that this version does not read. */
const statementOf = ({ line }: VerifiedReceipt): unknown => {
  const payload = openEnvelope(line)?.payload
  return payload && JSON.parse(payload.toString('utf8'))
}

const show: Subcommand = async (invocation, [name]) => {
  const found = await findNamed(await openPlace(invocation), name)
  const value = found.map((one) => ({ ...summaryOf(one), statement: statementOf(one) }))
  return printOutput(invocation, { receipts: value }, () =>
    found.map((one) => `${lineOf(one)}\n${JSON.stringify(statementOf(one), null, 2)}`).join('\n\n'),
  )
}

const readReceiptFile = async (path: string): Promise<string> => {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (cause) {
    throw usageFaults.argument(`cannot read ${path} (${(cause as NodeJS.ErrnoException).code})`, { cause })
  }
}

/** Verifies receipts by the keys of the repository. Succeeds when one of them is trusted and says PASSED. */
const verify: Subcommand = async (invocation, [name]) => {
  const place = await openPlace(invocation)
  const isFile = name !== undefined && /[./]/.test(name) && !DIGEST.test(name)
  const found = isFile
    ? [verifyReceipt(await readReceiptFile(name), await knownKeys(place))]
    : await findNamed(place, name)
  const good = found.some(
    ({ trust, receipt }) => trust === 'trusted' && receipt?.predicate.verificationResult === 'PASSED',
  )
  const inputs = found.flatMap(({ receipt }) => receipt?.predicate.inputAttestations ?? [])
  const notes = await revokedInputNotes(
    place.root,
    inputs.map(({ uri, digest }) => ({ uri, digest: `sha256:${digest.sha256}` })),
  )
  const value = { verified: good, receipts: found.map(summaryOf), ...(notes.length > 0 && { notes }) }
  printOutput(invocation, value, () => [...found.map(lineOf), ...notes].join('\n'))
  return good ? 0 : 1
}

export const run = (invocation: Invocation): Promise<number> =>
  runSubcommand(
    { list, show, verify, check, export: exportReceipt, fetch: fetchReceipts, push: pushReceipts },
    invocation,
    { list: 0, show: 1, verify: 1, check: 1, export: 1, fetch: 1, push: 2 },
  )
