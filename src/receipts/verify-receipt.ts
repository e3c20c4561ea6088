import { openEnvelope, signedBytes } from './envelope.ts'
import type { KeyRole } from './key-roles.ts'
import type { ListedKey } from './keys-file.ts'
import { Receipt } from './receipt-schema.ts'
import { EVIDENCE_URI, RECEIPT_MEMBERS } from './statement.ts'
import { parseReceiptKey, type ReceiptKey, verifySignature } from './verifier-key.ts'

/**
 * `trusted`: signed by a listed key, within its time. `own`: signed by the key of this machine, which is not listed.
 * `foreign`: signed by a key that is neither. `revoked`: signed by a listed key outside of its time, or by one that was
 * revoked later, without a witness. `invalid`: no signature is right, or the statement is no receipt.
 */
export type ReceiptTrust = 'trusted' | 'own' | 'foreign' | 'revoked' | 'invalid'

/** Where a log has a receipt, by a checkpoint that a known key signed. */
export interface ProvenPlace {
  readonly origin: string
  readonly index: number
  /** Of the checkpoint. */
  readonly size: number
  readonly root: string
  readonly checkpoint: string
}

export interface VerifiedReceipt {
  readonly digest: string
  readonly line: string
  readonly trust: ReceiptTrust
  /** Why it is not trusted. */
  readonly why?: string
  /** The key that signed, if the signature is right. */
  readonly key?: ReceiptKey
  readonly owner?: string
  readonly role?: KeyRole
  /** Absent when the statement is no receipt. */
  readonly receipt?: Receipt
  /**
   * When its key was revoked, if the receipt says that it is older. Who has the key can write any time: the receipt
   * counts only with a witness.
   */
  readonly revokedLater?: string
  /** Where its log has it, if a line beside it proves that. */
  readonly place?: ProvenPlace
}

const parseStatement = (payload: Buffer): Receipt | undefined => {
  try {
    return Receipt.safeParse(JSON.parse(payload.toString('utf8'))).data
  } catch {
    return undefined
  }
}

/** Why a key does not count at a time; undefined when it does. */
export const findTimeProblem = ({ from, until, revoked }: ListedKey, time: number): string | undefined => {
  if (from !== undefined && time < Date.parse(from)) return `the key is valid from ${from} on`
  if (until !== undefined && time >= Date.parse(until)) return `the key was valid until ${until}`
  if (revoked !== undefined && time >= Date.parse(revoked)) return `the key was revoked on ${revoked}`
  return undefined
}

interface KnownKeys {
  readonly listed: readonly ListedKey[]
  /** The key of this machine. */
  readonly own?: ReceiptKey | undefined
}

/** Verifies a receipt: its signature, who signed it, and that it is one. */
export const verifyReceipt = (line: string, { listed, own }: KnownKeys): VerifiedReceipt => {
  const envelope = openEnvelope(line)
  if (envelope === undefined) return { digest: '', line, trust: 'invalid', why: 'it is no DSSE envelope' }
  const { digest, payload, signatures } = envelope
  const receipt = parseStatement(payload)
  const found = { digest, line, ...(receipt && { receipt }) }
  if (receipt === undefined) return { ...found, trust: 'invalid', why: 'its statement is no receipt' }
  const bytes = signedBytes(payload)
  const signedBy = (key: ReceiptKey) => signatures.some((one) => verifySignature(key, bytes, one.bytes))
  const entry = listed.find(({ key }) => signedBy(key))
  if (entry !== undefined) {
    const { key, owner, role } = entry
    const why = findTimeProblem(entry, Date.parse(receipt.predicate.timeVerified))
    const signer = { ...found, key, owner, role }
    if (why !== undefined) return { ...signer, trust: 'revoked', why }
    const { revoked } = entry
    if (revoked === undefined) return { ...signer, trust: 'trusted' }
    const unseen = `the key was revoked on ${revoked}, and no witness shows that the receipt is older`
    return { ...signer, trust: 'revoked', why: unseen, revokedLater: revoked }
  }
  if (own !== undefined && signedBy(own))
    return { ...found, key: own, trust: 'own', why: 'the key of this machine is not listed' }
  const named = signatures.map(({ keyid }) => parseReceiptKey(keyid)).find((key) => key && signedBy(key))
  return named === undefined
    ? { ...found, trust: 'invalid', why: 'no signature is right' }
    : { ...found, key: named, trust: 'foreign', why: 'its key is not listed' }
}

/** The tree that a receipt speaks of. */
export const treeOf = ({ subject: [subject] }: Receipt): string | undefined => subject?.digest.gitTree

export const detailsOf = ({ predicate }: Receipt) => predicate[RECEIPT_MEMBERS]

/** The hash of the evidence that a run wrote, as the evidence names it. */
export const evidenceOf = ({ predicate }: Receipt): string | undefined => {
  const input = predicate.inputAttestations.find(({ uri }) => uri === EVIDENCE_URI)
  return input && `sha256:${input.digest.sha256}`
}
