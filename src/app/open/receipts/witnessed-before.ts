import { checkWitnessChain } from '../../../lineage/tlog/witness-chain.ts'
import type { ListedKey } from '../../../receipts/keys-file.ts'
import { findTimeProblem, type ProvenPlace } from '../../../receipts/verify-receipt.ts'
import { readPublished, readWitnessed, type WitnessContext } from './witness.ts'

/**
 * Whether a witness signed a checkpoint that has the place of a receipt, before a time. A witness is a listed key that was
 * never revoked: who stole a key can sign for any time. The checkpoint of the witness and that of the place must belong
 * to one log, by the proofs that were published.
 */
export const wasWitnessedBefore = async (
  context: WitnessContext,
  { origin, index, size, checkpoint }: ProvenPlace,
  { listed, before }: { readonly listed: readonly ListedKey[]; readonly before: number },
): Promise<boolean> => {
  const witnesses = new Map(
    listed.filter(({ revoked }) => revoked === undefined).map((entry) => [entry.key.text, entry]),
  )
  const counts = ({ key, time }: { readonly key: string; readonly time: number }): boolean => {
    const entry = witnesses.get(key)
    const ms = time * 1_000
    return entry !== undefined && ms < before && findTimeProblem(entry, ms) === undefined
  }
  const [cosigned, requests] = await Promise.all([
    readWitnessed(context, origin),
    readPublished(context, origin),
  ])
  const own = { origin, old: size, proof: [], checkpoint }
  const others = cosigned.map((one) => ({ origin, old: one.size, proof: [], checkpoint: one.note }))
  return cosigned
    .filter((one) => one.size > index && one.cosigned.some(counts))
    .some(
      (seen) => checkWitnessChain(seen, [...requests, ...others, own], context.keys).outcome === 'consistent',
    )
}
