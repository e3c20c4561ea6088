import type { EvidenceReader } from '../../evidence/store.ts'
import { readUserRules } from '../../gate/rules/assemble-rules.ts'
import { explainRules } from '../../gate/rules/explain.ts'
import { runGate, userRuleSources } from '../../gate/run.ts'
import type { GateService } from '../../gate/tools.ts'
import { fileEvidence } from '../../platform/files/evidence-file.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import type { Config } from '../config/settings.ts'
import { checkEvidence } from './check-evidence.ts'
import { type GateContext, loadBaseline, openGate } from './gate.ts'
import { loadExamples, loadShippedRules } from './load-rules.ts'
import { locateRepository } from './repository.ts'

/** The gate's tools for the repository around a folder. */
export const createGateService = (config: Config, folder: string, context: GateContext): GateService => {
  /** Kept between calls: a file that has not changed is not read again. */
  let reader: { readonly root: string; readonly evidence: EvidenceReader } | undefined
  return {
    check: async (stage, signal) => {
      const root = (await locateRepository(config, folder)) ?? folder
      const { gitFolders } = config
      if (reader?.root !== root) reader = { root, evidence: fileEvidence(root, context.clock) }
      const { evidence } = reader
      return checkEvidence({
        root,
        folder,
        config,
        evidence,
        context: { ...context, gitFolders },
        stage,
        signal,
      })
    },
    run: async ({ stage, scope }, progress, signal) => {
      const gate = await openGate(config, { ...context, folder, signal })
      const baseline = await loadBaseline(gate, undefined, folder)
      const request = { stage, scope, target: undefined, baseline, write: true, progress }
      return (await runGate(gate.ports, request, signal)).report
    },
    explain: async (request) => {
      const root = (await locateRepository(config, folder)) ?? folder
      const shippedRules = await loadShippedRules()
      const files = repositoryFiles(root)
      const userRules = await readUserRules((await userRuleSources(files)).rules, shippedRules)
      return explainRules(request, { shippedRules, userRules, examples: loadExamples })
    },
  }
}
