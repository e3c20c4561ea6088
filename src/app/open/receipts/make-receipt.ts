import { basename, resolve } from 'node:path'
import type { GateVerdict } from '../../../gate/judge-evidence.ts'
import type { GateReport } from '../../../gate/reports/report.ts'
import type { RunFacts } from '../../../gate/run-facts.ts'
import { digestJson } from '../../../kernel/encoding/hash.ts'
import { Fault } from '../../../kernel/fault.ts'
import { optional } from '../../../kernel/optional.ts'
import type { Attachment, Clock } from '../../../kernel/ports.ts'
import { addReceipt } from '../../../platform/files/receipt-files.ts'
import { type SealedReceipt, sealStatement } from '../../../receipts/envelope.ts'
import { buildStatement, EVIDENCE_URI, type ReceiptFacts } from '../../../receipts/statement.ts'
import type { Config } from '../../config/settings.ts'
import { VERSION } from '../../config/version.ts'
import { FIXED_NOW } from '../gate.ts'
import { readBuildDigest } from '../load-rules.ts'
import { openReceiptSigner } from './signing-key.ts'

/** The policy of a stage has no address of its own; its digest identifies it. */
const policyUri = (stage: string): string => `https://warrant.example/policy/${stage}`

type OwnFacts = Pick<ReceiptFacts, 'repository' | 'version' | 'build' | 'now'>

/** Signs receipts for a repository. */
interface ReceiptMaker {
  ofRun(report: GateReport, facts: RunFacts): Attachment | undefined
  ofCheck(verdict: GateVerdict, judged: JudgedState): Attachment | undefined
}

/** What a check of the evidence knows of the repository. */
export interface JudgedState {
  readonly tree: string | undefined
  readonly commit: string | undefined
  /** Hash of the evidence that was judged. */
  readonly evidence: string | undefined
}

const evidenceInput = (digest: string | null | undefined) =>
  typeof digest === 'string' ? [{ uri: EVIDENCE_URI, digest }] : []

const runReceipt = (own: OwnFacts, report: GateReport, facts: RunFacts): ReceiptFacts => ({
  ...own,
  ...facts,
  passed: report.status === 'ALLOWED',
  stage: report.stage,
  policy: { uri: policyUri(report.stage), digest: facts.policy },
  inputs: [...evidenceInput(report.evidence), ...facts.inputs],
  details: { ...facts.details, ...optional({ policy_from: report.policy_from }) },
})

const checkReceipt = (
  own: OwnFacts,
  verdict: GateVerdict,
  { tree, commit, evidence }: JudgedState,
): ReceiptFacts => ({
  ...own,
  tree,
  commit,
  passed: verdict.allowed,
  stage: verdict.stage,
  scope: 'evidence',
  policy: { uri: policyUri(verdict.stage), digest: digestJson(verdict.policy) },
  inputs: evidenceInput(evidence),
  reasons: verdict.violations.map(({ code }) => code),
  details: { kind: 'check' },
})

/**
 * Opens the maker of receipts. The key is read, or made, now; a receipt is signed when its place in the lineage is
 * known. That of a run is kept by tree as well, to be found by the commit.
 */
export const openReceipts = async (
  config: Config,
  root: string,
  clock: Clock,
  warn: (message: string) => void,
): Promise<ReceiptMaker | undefined> => {
  const [signer, build] = await Promise.all([
    openReceiptSigner(config, root).catch((thrown: unknown) => {
      // A user without a state folder gets verdicts all the same. What the operator asked for must work.
      if (!(thrown instanceof Fault) || !thrown.code.startsWith('place.')) throw thrown
      // A key that is there and cannot be used: it is tried again, and without it the verdict is not recorded.
      if (thrown.code !== 'place.unwritable') return thrown
      warn(`no receipt was made: ${thrown.message}. ${thrown.fix}`)
      return undefined
    }),
    readBuildDigest(),
  ])
  if (signer === undefined) return undefined
  const ownFacts = (): OwnFacts => ({
    repository: basename(root),
    version: VERSION,
    build,
    // Not `SOURCE_DATE_EPOCH`, which the caller of the gate can set.
    now: config.clock === 'deterministic' ? FIXED_NOW : clock.now(),
  })
  const seal = (facts: ReceiptFacts, kept: boolean): Attachment | undefined => {
    let sealed: SealedReceipt | undefined
    const { tree, commit } = facts
    // Outside of a repository, and before its first commit, there may be nothing that a receipt could name.
    if (tree === undefined && commit === undefined) return undefined
    return {
      attach: async (place) => {
        const own = signer instanceof Fault ? await openReceiptSigner(config, root) : signer
        sealed = await sealStatement(buildStatement(facts, place), own)
        return { digest: sealed.digest, ...optional({ tree }), envelope: sealed.line }
      },
      stored: async () => {
        if (kept && sealed !== undefined && tree !== undefined)
          await addReceipt(resolve(root, config.stateDir), tree, sealed.line)
      },
    }
  }
  return {
    ofRun: (report, facts) => seal(runReceipt(ownFacts(), report, facts), true),
    ofCheck: (verdict, judged) => seal(checkReceipt(ownFacts(), verdict, judged), false),
  }
}
