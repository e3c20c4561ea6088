import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { revokedInputNotes } from '../../app/open/packets/citations.ts'
import type { ReceiptPlace } from '../../app/open/receipts/find-receipts.ts'
import { type LoggedReceipt, withLoggedReceipts } from '../../app/open/receipts/log-receipts.ts'
import { openNotes } from '../../app/open/receipts/open-notes.ts'
import { publishReceipts } from '../../app/open/receipts/publish.ts'
import { openCheckpointSigner } from '../../app/open/receipts/signing-key.ts'
import { errorCode } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import { requireIntact } from '../../lineage/audit.ts'
import { writeEntryProof } from '../../lineage/entry-proof.ts'
import { DECISION_LOG, logOrigin } from '../../lineage/origin.ts'
import { openEnvelope } from '../../receipts/envelope.ts'
import { receiptFaults } from '../../receipts/faults.ts'
import { detailsOf, treeOf, type VerifiedReceipt, verifyReceipt } from '../../receipts/verify-receipt.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import {
  printOutput,
  readCount,
  requireWritable,
  runSubcommand,
  type Subcommand,
  textFlag,
} from '../command/subcommand.ts'
import { writeTable } from '../command/text-table.ts'
import { writeNamedFile } from '../gate/deliver-report.ts'
import { check } from './check.ts'
import { DIGEST, findNamed, knownKeys, openPlace, readEnds, readScope } from './find-named.ts'

/** The proof that the log of this machine recorded a receipt, with a checkpoint that its key signs now. */
const proveReceipt = ({ config, root }: ReceiptPlace, line: string): Promise<string> =>
  withLoggedReceipts(config, root, async (_, log) => {
    const receipt = verifyReceipt(line, { listed: [] }).receipt
    const place = receipt && detailsOf(receipt).lineage
    if (log === undefined || place === undefined || place.origin !== (await logOrigin(DECISION_LOG, log)))
      throw receiptFaults.unknown('the log of this machine does not have the receipt, so it cannot prove it')
    const { size, root: hash } = await requireIntact(log)
    const signer = await openCheckpointSigner(config, root, place.origin)
    return writeEntryProof(log, place.index, { note: await signer.checkpoint(size, hash), size })
  })

const writeFiles = async (
  invocation: Invocation,
  { root, config }: ReceiptPlace,
  { file, line, proof }: { readonly file: string; readonly line: string; readonly proof: string | undefined },
): Promise<number> => {
  requireWritable(config, '--output')
  const proofFile = `${file}.tlog-proof`
  await writeNamedFile(root, { flag: 'output', file }, `${line}\n`)
  if (proof !== undefined) await writeNamedFile(root, { flag: 'output', file: proofFile }, proof)
  const files = proof === undefined ? [file] : [file, proofFile]
  return printOutput(invocation, { files: files.map((one) => resolve(one)) }, () => files.join('\n'))
}

/** Prints the newest receipt that the argument names, or writes it to a file; with its proof where that is asked for. */
const exportReceipt: Subcommand = async (invocation, [name]) => {
  const place = await openPlace(invocation)
  const newest = (await findNamed(place, name)).toSorted((a, b) =>
    (a.receipt?.predicate.timeVerified ?? '') < (b.receipt?.predicate.timeVerified ?? '') ? 1 : -1,
  )[0]
  if (newest === undefined) throw receiptFaults.unknown('there is no such receipt')
  const { line } = newest
  const file = textFlag(invocation, 'output')
  if (invocation.flags.proof === true && file === undefined)
    throw usageFaults.option('--proof writes a second file, so it needs --output FILE')
  const proof = invocation.flags.proof === true ? await proveReceipt(place, line) : undefined
  if (file !== undefined) return writeFiles(invocation, place, { file, line, proof })
  invocation.terminal.print(line)
  return 0
}

/** Fetches the notes of a remote beside those of this clone. */
const fetchReceipts: Subcommand = async (invocation, [remote = 'origin']) => {
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
const pushReceipts: Subcommand = async (invocation, [remote = 'origin', range]) => {
  const place = await openPlace(invocation)
  requireWritable(place.config, '`warrant receipts push`')
  const ends = await readEnds(place, await readScope(place, range))
  const { isSent, warnings } = await publishReceipts(place, { ...ends, remote })
  for (const warning of warnings) invocation.terminal.printError(`warrant: ${warning}`)
  if (!isSent && warnings.length === 0)
    invocation.terminal.printError(
      'warrant: .warrant/keys.yml lists no key, so receipts are not required. To require them: warrant receipts require',
    )
  printOutput(invocation, { remote, ...ends, sent: isSent }, () =>
    isSent ? `${remote} has the receipts of this clone.` : `Nothing was sent to ${remote}.`,
  )
  return isSent ? 0 : 1
}

const MAX_LISTED = 1_000

const summaryOf = ({ digest, trust, why, owner, role, key, receipt, place }: VerifiedReceipt) => ({
  digest,
  trust,
  ...optional({ why, key: key?.name }),
  ...(owner !== undefined && { owner, role }),
  ...(receipt !== undefined && {
    result: receipt.predicate.verificationResult,
    stage: detailsOf(receipt).stage,
    ...(detailsOf(receipt).policy_from && { policy_from: detailsOf(receipt).policy_from }),
    ...optional({ partial: detailsOf(receipt).partial }),
    tree: treeOf(receipt),
    time: receipt.predicate.timeVerified,
  }),
  ...optional({
    place: place && { origin: place.origin, index: place.index, size: place.size, root: place.root },
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
    partial,
    place,
  } = summaryOf(one)
  const signer = owner === undefined ? (key ?? 'unknown key') : `${owner} (${role}, ${key})`
  const worth = why === undefined ? trust : `${trust}: ${why}`
  return [
    digest,
    `  ${result} at ${stage}, ${time}${tried === undefined ? '' : ', by the policy of the working tree alone'}`,
    `  tree ${tree ?? 'unknown'}`,
    ...(partial === undefined ? [] : [`  partial, covers no commit: ${partial}`]),
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
    throw usageFaults.argument(`cannot read ${path} (${errorCode(cause)})`, { cause })
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
    ({ trust, receipt }) =>
      trust === 'trusted' &&
      receipt?.predicate.verificationResult === 'PASSED' &&
      detailsOf(receipt).partial === undefined,
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
    {
      list,
      show,
      verify,
      check,
      export: exportReceipt,
      fetch: fetchReceipts,
      push: pushReceipts,
      keys: async (given, rest) => (await import('./keys.ts')).run({ ...given, positionals: rest }),
      require: async (given) => (await import('./require.ts')).requireReceipts(given),
    },
    invocation,
    { list: 0, show: 1, verify: 1, check: 1, export: 1, fetch: 1, push: 2, keys: 2, require: 0 },
  )
