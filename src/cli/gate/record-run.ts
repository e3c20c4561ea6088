import type { Config } from '../../app/config/settings.ts'
import { runAuditFields } from '../../gate/audit-fields.ts'
import type { JudgedRun } from '../../gate/run.ts'
import type { Fault } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import { recordCall } from '../../kernel/record-call.ts'
import type { AuditedTool } from '../../kernel/tool.ts'
import { GATE_RUN } from '../../lineage/newest-run.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { exitCodeOf, type Invocation } from '../command/command.ts'
import { isEffect } from '../effects.ts'

/** The option or setting by which the operator chose to record nothing. */
export const unrecordedBy = (
  { flags }: Pick<Invocation, 'flags'>,
  { readOnly, store }: Config,
): string | undefined => {
  if (flags['no-evidence'] === true) return '--no-evidence'
  if (readOnly) return '--read-only'
  return store === 'memory' ? '--store memory' : undefined
}

/** The hook that started a run: git names its index to hooks of a commit, our pre-push hook gives `--remote`. */
export const startingHook = ({ flags }: Pick<Invocation, 'flags'>, stage: string): string | undefined => {
  if (stage === 'PRE_COMMIT' && process.env.GIT_INDEX_FILE) return 'pre-commit'
  return stage === 'PRE_PUSH' && flags.remote !== undefined ? 'pre-push' : undefined
}

const auditedRun = (hook: string | undefined): AuditedTool => ({
  name: GATE_RUN,
  effect: 'write',
  auditFields: ({ report }: JudgedRun) => ({
    ...runAuditFields(report),
    ...optional({ hook }),
  }),
})

interface FinishedRun {
  readonly run: JudgedRun
  readonly started: number
  /** Result of `digestInvocation`. */
  readonly args: string
  readonly warn: (message: string) => void
  /** The hook that started it, if known. */
  readonly hook?: string | undefined
}

interface RecordedRun {
  /** Why the decision is not recorded. */
  readonly failure?: Fault
  /** Digest of the receipt. */
  readonly receipt?: string
}

/** Records the decision, with its receipt. */
export const recordRun = async (
  config: Config,
  root: string,
  { run, started, args, warn, hook }: FinishedRun,
): Promise<RecordedRun> => {
  const [{ openDecisions }, { openReceipts }] = await Promise.all([
    import('../../app/open/decisions.ts'),
    import('../../app/open/receipts/make-receipt.ts'),
  ])
  const receipts = await openReceipts(config, root, systemClock, warn)
  const attachment = receipts?.ofRun(run.report, run.facts)
  const recorder = openDecisions(config, root, systemClock, warn)
  const ports = { clock: systemClock, log: { write: () => {} }, recorder }
  const recorded = await recordCall(
    ports,
    auditedRun(hook),
    { kind: 'answer', value: run },
    { started, args, attachment },
  )
  const { sealEvents } = await import('../../app/open/hooks/record.ts')
  if (recorded?.fault === undefined) await sealEvents(root, recorder).catch(() => {})
  await recorder.close().catch(() => {})
  if (recorded?.fault !== undefined) return { failure: recorded.fault }
  const digest = recorded?.attached?.digest
  return typeof digest === 'string' ? { receipt: digest } : {}
}

/** Whether the run gives no verdict about the whole change, or is recorded as the effect that it is. */
const leavesNoRecord = (invocation: Invocation): boolean => {
  const { flags, positionals } = invocation
  return positionals.length > 0 || flags['no-evidence'] === true || isEffect('gate', invocation)
}

/** Records that the gate could not judge. */
export const recordFailedRun = async (
  invocation: Invocation,
  thrown: unknown,
  started: number,
): Promise<void> => {
  if (leavesNoRecord(invocation)) return
  const { recordFailure } = await import('../record-command.ts')
  await recordFailure(invocation, GATE_RUN, thrown, started)
}

const UNRECORDED_FIX = ' To accept a verdict without a record, use `warrant gate --allow-unrecorded`.'

/** Prints why the decision is not recorded. Returns the exit code; undefined when the operator accepts it. */
export const reportUnrecorded = (
  { terminal, flags }: Pick<Invocation, 'terminal' | 'flags'>,
  failure: Fault,
): number | undefined => {
  const accepted = flags['allow-unrecorded'] === true
  terminal.printError(`warrant: ${failure.message}. ${failure.fix}${accepted ? '' : UNRECORDED_FIX}`)
  return accepted ? undefined : exitCodeOf(failure)
}
