import { resolve } from 'node:path'
import { loadSettings } from '../../app/process-context.ts'
import { RESULT_SOURCE } from '../../gate/checks/check.ts'
import { BASELINE_FILE, writeBaseline } from '../../gate/findings/baseline.ts'
import { runGate } from '../../gate/run.ts'
import type { Invocation } from '../command/command.ts'
import { textFlag } from '../command/subcommand.ts'
import { withProgress } from '../progress.ts'
import { requireWritable } from '../require-writable.ts'
import { writeNamedFile } from './deliver-report.ts'
import { gateProgress, openForCommand } from './judge-change.ts'
import { pickScope } from './pick-scope.ts'
import { watchChecks } from './watch-checks.ts'

const NO_ABORT = new AbortController().signal

/** Writes every current finding into the baseline, so that later runs judge only new ones. */
export const createBaseline = async (invocation: Invocation): Promise<number> => {
  const { config } = loadSettings(invocation)
  requireWritable(config, '`warrant gate baseline`')
  const gate = await openForCommand(config, invocation)
  const named = textFlag(invocation, 'baseline')
  const scope = pickScope(invocation) ?? { kind: 'repository' }
  const { report, shadowed } = await withProgress(gateProgress(invocation), (progress) => {
    const policy = { stage: 'CI', policyFrom: 'worktree', baseline: undefined } as const
    const checkProgress = watchChecks({ hidden: invocation.flags.quiet === true })
    return runGate(gate.ports, { scope, ...policy, write: false, progress, checkProgress }, NO_ABORT)
  })
  const isAccepted = (source: string) => source === report.source || source.startsWith(RESULT_SOURCE)
  const findings = report.findings.filter(({ source }) => isAccepted(source))
  const file = named ?? resolve(gate.root, BASELINE_FILE)
  await writeNamedFile(gate.root, { flag: 'baseline', file }, writeBaseline([...findings, ...shadowed]))
  const accepted = findings.filter(({ state }) => state !== 'suppressed').length
  const text = `${accepted} finding${accepted === 1 ? '' : 's'} accepted in ${named ?? BASELINE_FILE}`
  invocation.terminal.print(invocation.json ? JSON.stringify({ accepted }) : text)
  return 0
}
