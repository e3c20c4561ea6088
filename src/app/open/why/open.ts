import { judgeEvidence } from '../../../gate/judge-evidence.ts'
import type { PresentVerdict } from '../../../gate/judge-present.ts'
import { unlessInvalid } from '../../../gate/policy-files.ts'
import { readSession } from '../../../gate/sdd/session.ts'
import { explainVerdict } from '../../../gate/why/explain-verdict.ts'
import type { VerdictExplanation } from '../../../gate/why/explanation.ts'
import type { ReceiptSummary } from '../../../gate/why/rests-on.ts'
import { DECISION_LOG } from '../../../lineage/origin.ts'
import { gitConfig } from '../../../platform/git/config.ts'
import type { EvidenceCheck, readCheckInput } from '../check-evidence.ts'

type CheckInput = Awaited<ReturnType<typeof readCheckInput>>

/** The receipt of the newest run, by the keys of the repository. */
const readReceipt = async ({ recorded, keys }: CheckInput): Promise<ReceiptSummary | undefined> => {
  const envelope = recorded?.envelope
  if (envelope === undefined) return undefined
  const [{ parseKeys }, { verifyReceipt }] = await Promise.all([
    import('../../../receipts/keys-file.ts'),
    import('../../../receipts/verify-receipt.ts'),
  ])
  const listed = await unlessInvalid(parseKeys(keys), [])
  const { digest, trust, owner, role, why } = verifyReceipt(envelope, { listed })
  if (trust === 'trusted') return { digest, detail: `trusted: signed by ${owner} (${role})` }
  const isUnlisted = keys === undefined && trust === 'foreign'
  return {
    digest,
    detail: isUnlisted ? 'signed; the repository lists no keys' : `${trust}: ${why ?? 'unknown'}`,
  }
}

/** The change of the open session; undefined when there is none. */
const readChange = async ({ root, context, signal }: EvidenceCheck): Promise<string | undefined> => {
  const { environment, clock, gitFolders = [] } = context
  const keys = await gitConfig({ folder: root, environment, gitFolders }).read('warrant.', signal)
  return readSession(keys, root, clock.now()).changeId
}

/** Explains the verdict on the present change. */
export const openWhy = async (
  check: EvidenceCheck,
  input: CheckInput,
  { present, about }: { readonly present: PresentVerdict; readonly about: string | undefined },
): Promise<VerdictExplanation> => {
  const { evidence: age, notes = [] } = judgeEvidence(input)
  return explainVerdict({
    stage: input.stage,
    present,
    agents: present.agents,
    age,
    recorded: input.recorded,
    receipt: await readReceipt(input),
    log: DECISION_LOG,
    change: present.evidence.sdd_metrics === undefined ? undefined : await readChange(check),
    notes,
    about,
  })
}
