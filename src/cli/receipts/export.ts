import { resolve } from 'node:path'
import type { ReceiptPlace } from '../../app/open/receipts/find-receipts.ts'
import { withLoggedReceipts } from '../../app/open/receipts/log-receipts.ts'
import { openCheckpointSigner } from '../../app/open/receipts/signing-key.ts'
import { requireIntact } from '../../lineage/audit.ts'
import { writeEntryProof } from '../../lineage/entry-proof.ts'
import { DECISION_LOG, logOrigin } from '../../lineage/origin.ts'
import { receiptFaults } from '../../receipts/faults.ts'
import { detailsOf, verifyReceipt } from '../../receipts/verify-receipt.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { type Subcommand, textFlag } from '../command/subcommand.ts'
import { writeNamedFile } from '../gate/deliver-report.ts'
import { printOutput } from '../print-output.ts'
import { requireWritable } from '../require-writable.ts'
import { findNamed } from './find-named.ts'
import { openPlace } from './open-place.ts'

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
export const exportReceipt: Subcommand = async (invocation, [name]) => {
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
