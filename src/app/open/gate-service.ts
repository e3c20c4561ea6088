import type { EvidenceReader } from '../../evidence/store.ts'
import { type GateVerdict, judgeEvidence } from '../../gate/judge-evidence.ts'
import { readPolicyFiles } from '../../gate/policy-files.ts'
import { readUserRules } from '../../gate/rules/assemble-rules.ts'
import { explainRules } from '../../gate/rules/explain.ts'
import { runGate } from '../../gate/run.ts'
import type { GateService } from '../../gate/tools.ts'
import { fileEvidence } from '../../platform/files/evidence-file.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import type { Config } from '../config/settings.ts'
import { judgedState, readCheckInput } from './check-evidence.ts'
import { type GateContext, openGate } from './gate.ts'
import { loadExamples, loadShippedRules } from './load-rules.ts'
import { lazyReceipts } from './receipts/lazy-receipts.ts'
import { locateRepository } from './repository.ts'

type Progress = Parameters<GateService['run']>[1]

/** One count of scanned files, and of started and ended checks: the protocol wants a number that grows. */
const joinProgress = (report: Progress) => {
  const files = { done: 0, total: 0 }
  const checks = { done: 0, total: 0, message: '' }
  const send = () =>
    report(
      files.done + checks.done,
      files.total + checks.total,
      checks.message === '' ? undefined : checks.message,
    )
  return {
    progress: (done: number, total: number) => {
      Object.assign(files, { done, total })
      send()
    },
    checkProgress: (done: number, total: number, running: readonly string[]) => {
      const message = running.length === 0 ? '' : `running: ${running.join(', ')}`
      Object.assign(checks, { done: 2 * done + running.length, total: 2 * total, message })
      send()
    },
  }
}

/** The gate's tools for the repository around a folder. */
export const createGateService = (config: Config, folder: string, context: GateContext): GateService => {
  /** Kept between calls: a file that has not changed is not read again. */
  let reader: { readonly root: string; readonly evidence: EvidenceReader } | undefined
  const judge = async (
    request: Parameters<GateService['run']>[0] & { readonly write: boolean },
    progress: (done: number, total: number) => void,
    signal: AbortSignal,
  ) => {
    const { cites = [], ...change } = request
    const { clock, environment } = context
    // Verified first: a run with a wrong citation leaves nothing.
    const citations =
      cites.length === 0
        ? []
        : await (await import('./packets/citations.ts')).verifyCitations(
            { config, root: folder, clock, environment },
            cites,
          )
    const gate = await openGate(config, { ...context, folder, signal })
    return runGate(
      gate.ports,
      { ...change, policyFrom: 'base', citations, ...joinProgress(progress) },
      signal,
    )
  }
  const receipts = lazyReceipts(config, folder, context.clock)
  const judgeNow = async (verdict: GateVerdict, signal: AbortSignal) => {
    const { judgePresent } = await import('../../gate/judge-present.ts')
    const run = async (request: Parameters<GateService['run']>[0]) =>
      (await judge({ ...request, write: false }, () => {}, signal)).report
    return judgePresent(verdict, run)
  }
  const openReading = async () => {
    const root = (await locateRepository(config, folder)) ?? folder
    const { gitFolders } = config
    if (reader?.root !== root) reader = { root, evidence: fileEvidence(root, context.clock) }
    const { evidence } = reader
    return { root, folder, config, evidence, context: { ...context, gitFolders } }
  }
  return {
    check: async (stage, signal, attach) => {
      const input = await readCheckInput({ ...(await openReading()), stage, signal })
      const stored = judgeEvidence(input)
      const verdict = config.check === 'evidence' ? stored : await judgeNow(stored, signal)
      const receipt = attach && (await receipts.get())?.ofCheck(verdict, judgedState(input))
      if (receipt) attach(receipt)
      return verdict
    },
    run: async (request, progress, signal, attach) => {
      const { report, facts } = await judge({ ...request, write: true }, progress, signal)
      const receipt = attach && (await receipts.get())?.ofRun(report, facts)
      if (receipt) attach(receipt)
      return report
    },
    why: async (request, signal) => {
      const { openWhy } = await import('./why/open.ts')
      return openWhy({ ...(await openReading()), signal }, request)
    },
    explain: async (request) => {
      const root = (await locateRepository(config, folder)) ?? folder
      const shippedRules = await loadShippedRules()
      const { rules } = await readPolicyFiles(repositoryFiles(root))
      const userRules = await readUserRules(rules, async () => shippedRules)
      return explainRules(request, { shippedRules, userRules: userRules?.pack, examples: loadExamples })
    },
  }
}
