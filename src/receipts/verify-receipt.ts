import * as z from 'zod'
import { optional } from '../kernel/optional.ts'
import { openEnvelope, signedBytes } from './envelope.ts'
import type { ListedKey } from './keys-file.ts'
import type { KeyRole } from './keys-path.ts'
import { EVIDENCE_URI, RECEIPT_MEMBERS, STATEMENT_TYPE, SUMMARY_TYPE } from './statement.ts'
import { parseReceiptKey, type ReceiptKey, verifySignature } from './verifier-key.ts'

const ObjectId = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/)
const Sha256 = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) })
const Time = z.iso.datetime()
const Digests = z.record(z.string().max(4096), z.string().max(200))

/** What a reader needs of a receipt. Members that it does not know are left alone. */
const Receipt = z.object({
  _type: z.literal(STATEMENT_TYPE),
  predicateType: z.literal(SUMMARY_TYPE),
  subject: z
    .array(
      z.object({
        name: z.string().max(1000),
        digest: z.object({ gitTree: ObjectId.optional(), gitCommit: ObjectId.optional() }),
      }),
    )
    .length(1),
  predicate: z.object({
    verifier: z.object({ id: z.string(), version: z.record(z.string(), z.string()) }),
    timeVerified: Time,
    resourceUri: z.string(),
    policy: z.object({ uri: z.string(), digest: Sha256 }),
    inputAttestations: z.array(z.object({ uri: z.string(), digest: Sha256 })).max(200),
    verificationResult: z.enum(['PASSED', 'FAILED']),
    [RECEIPT_MEMBERS]: z.looseObject({
      kind: z.enum(['run', 'check']),
      stage: z.enum(['PRE_WRITE', 'PRE_COMMIT', 'PRE_PUSH', 'CI']),
      scope: z.string(),
      build: z.string(),
      expires: Time,
      lineage: z.object({ origin: z.string().max(200), index: z.int().nonnegative() }),
      reasons: z.array(z.string().max(500)).max(500),
      base: ObjectId.optional(),
      base_tree: ObjectId.optional(),
      head: ObjectId.optional(),
      policy_from: z.literal('worktree').optional(),
      policies: z.object({ base: Digests.optional(), head: Digests }).optional(),
      relaxed_by: z.array(z.string().max(100)).max(10).optional(),
      partial: z.string().max(50_000).optional(),
    }),
  }),
})
type Receipt = z.infer<typeof Receipt>

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
  const found = { digest, line, ...optional({ receipt }) }
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
