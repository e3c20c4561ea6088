import { readGuests } from '../../gate/rules/assemble-rules.ts'
import { explainRules } from '../../gate/rules/explain.ts'
import { guestSources, runGate } from '../../gate/run.ts'
import type { GateDoor } from '../../gate/tools.ts'
import { fileEvidence } from '../../platform/files/evidence-file.ts'
import { findTop } from '../../platform/git/find-root.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import type { Config } from '../config/settings.ts'
import { judgeFolder } from './check-evidence.ts'
import { type GateWorld, loadBaseline, openGate } from './gate.ts'
import { loadBook, loadExamples } from './load-rules.ts'

/** What the gate answers about the repository around a folder. */
export const gateDoor = (config: Config, folder: string, world: GateWorld): GateDoor => ({
  check: async (stage, signal) => {
    const root = (await findTop(folder)) ?? folder
    return judgeFolder(root, fileEvidence(root, world.clock), world, stage, signal)
  },
  run: async ({ stage, scope }, progress, signal) => {
    const gate = await openGate(config, folder, world, signal)
    const baseline = await loadBaseline(gate, undefined, folder)
    const request = { stage, scope, target: undefined, baseline, write: true, progress }
    return (await runGate(gate.ports, request, signal)).report
  },
  explain: async (request) => {
    const root = (await findTop(folder)) ?? folder
    const book = await loadBook()
    const files = repositoryFiles(root)
    const guests = await readGuests((await guestSources(files)).rules, book)
    return explainRules(request, book, guests, loadExamples)
  },
})
