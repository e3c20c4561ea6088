import type { GateStage } from '../../evidence/stage.ts'
import type { EvidenceReader } from '../../evidence/store.ts'
import { readRange } from '../../gate/facts/scope.ts'
import { judgeEvidence } from '../../gate/judge-evidence.ts'
import { judgePresent } from '../../gate/judge-present.ts'
import { policyDigests, readPolicyFiles, ruleSources } from '../../gate/policy-files.ts'
import type { Scope } from '../../gate/ports.ts'
import { readUserRules } from '../../gate/rules/assemble-rules.ts'
import { explainRules } from '../../gate/rules/explain.ts'
import { runGate } from '../../gate/run.ts'
import type { GateService } from '../../gate/tools.ts'
import { listReasons } from '../../gate/why/findings.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import { fileEvidence } from '../../platform/files/evidence-file.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { readBuild } from '../build-event.ts'
import type { Config } from '../config/settings.ts'
import { type EvidenceCheck, judgedState, readCheckInput } from './check-evidence.ts'
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
    const isBuild = request.stage === 'CI' && request.scope === undefined
    const build = isBuild ? await readBuild(environment) : undefined
    return runGate(
      gate.ports,
      { ...change, build, policyFrom: 'base', citations, ...joinProgress(progress) },
      signal,
    )
  }
  const receipts = lazyReceipts(config, folder, context.clock)
  const openCheck = async (stage: GateStage, signal: AbortSignal): Promise<EvidenceCheck> => {
    const root = (await locateRepository(config, folder)) ?? folder
    const { gitFolders } = config
    if (reader?.root !== root) reader = { root, evidence: fileEvidence(root, context.clock) }
    const { evidence } = reader
    return { root, folder, config, evidence, context: { ...context, gitFolders }, stage, signal }
  }
  /** The verdict on the present change, and what it was made of. */
  const judgeNow = async (check: EvidenceCheck, scope?: Scope) => {
    const { stage, signal } = check
    const input = await readCheckInput(check)
    const verdict = judgeEvidence(input)
    // Where nothing is recorded, nothing can show whose the evidence is, and the files are judged each time.
    const { reading, recorded } = input
    const evidence = reading.kind === 'valid' && config.store !== 'memory' ? reading.evidence : undefined
    const stored = { evidence, isRecorded: recorded !== undefined }
    const files = await readPolicyFiles(repositoryFiles(check.root))
    const present = await judgePresent(verdict, stored, digestJson(policyDigests(files)), async () => {
      const { report, evidence: made } = await judge({ stage, scope, write: false }, () => {}, signal)
      return { status: report.status, evidence: made }
    })
    return { input, verdict, present }
  }
  return {
    check: async (stage, signal, attach) => {
      const input = await readCheckInput(await openCheck(stage, signal))
      const verdict = judgeEvidence(input)
      const receipt = attach && (await receipts.get())?.ofCheck(verdict, judgedState(input))
      if (receipt) attach(receipt)
      return verdict
    },
    judge: async (stage, signal, attach) => {
      const { input, verdict, present } = await judgeNow(await openCheck(stage, signal))
      const { allowed: _, violations: __, ...rest } = verdict
      const { status, agents } = present
      const judged = { ...verdict, status, allowed: agents.allowed, violations: agents.reasons }
      const receipt = attach && (await receipts.get())?.ofCheck(judged, judgedState(input))
      if (receipt) attach(receipt)
      return {
        ...rest,
        status,
        agents,
        reasons: listReasons(present.evidence).filter(({ blocks }) => blocks),
      }
    },
    run: async (request, progress, signal, attach) => {
      const { report, facts } = await judge({ ...request, write: true }, progress, signal)
      const receipt = attach && (await receipts.get())?.ofRun(report, facts)
      if (receipt) attach(receipt)
      return report
    },
    why: async ({ stage: asked, about }, signal) => {
      const [{ openWhy }, first] = await Promise.all([
        import('./why/open.ts'),
        openCheck('PRE_COMMIT', signal),
      ])
      const reading = await first.evidence.read()
      const stored = reading.kind === 'valid' ? reading.evidence : undefined
      const made = stored?.snapshot.stage === 'STAGED' ? 'PRE_COMMIT' : stored?.snapshot.stage
      const check = { ...first, stage: asked ?? made ?? 'PRE_COMMIT' }
      // A run that named its commits is explained for these commits.
      const source = String(stored?.snapshot.source ?? '')
      const range = check.stage === made ? readRange(source.replace(/^git:range:/, '')) : undefined
      const { input, present } = await judgeNow(check, range)
      return openWhy(check, input, { present, about })
    },
    explain: async (request) => {
      const root = (await locateRepository(config, folder)) ?? folder
      const shippedRules = await loadShippedRules()
      const files = await readPolicyFiles(repositoryFiles(root))
      const userRules = await readUserRules(ruleSources(files), async () => shippedRules)
      return explainRules(request, { shippedRules, userRules: userRules?.pack, examples: loadExamples })
    },
  }
}
