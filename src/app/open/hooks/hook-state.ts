import { judgeEvidence } from '../../../gate/judge-evidence.ts'
import type { ViolationCode } from '../../../gate/violations.ts'
import type { GateState } from '../../../hooks/ports.ts'
import { fileEvidence } from '../../../platform/files/evidence-file.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import type { Config } from '../../config/settings.ts'
import { readCheckInput } from '../check-evidence.ts'

/** Not about the files: a verdict on the same files does not grow old within a turn, and branches are no concern here. */
const IGNORED: ReadonlySet<ViolationCode> = new Set(['EVIDENCE_STALE', 'GITFLOW_PROTECTED_BRANCH'])

interface StateContext {
  readonly config: Config
  readonly root: string
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

/** What the gate says of the present files: by the evidence of its newest run, which must be about them. */
export const readGateState = async ({
  config,
  root,
  environment,
  signal,
}: StateContext): Promise<GateState> => {
  const { gitFolders } = config
  const input = await readCheckInput({
    root,
    folder: root,
    config,
    evidence: fileEvidence(root, systemClock),
    context: { environment, clock: systemClock, gitFolders },
    stage: 'PRE_WRITE',
    signal,
  })
  const { violations, repo_state: state } = judgeEvidence(input)
  const [first] = violations.filter(({ code }) => !IGNORED.has(code))
  const { git } = state
  const isChanged = git.available && (git.dirty || git.staged + git.unstaged > 0)
  const findings = input.reading.kind === 'valid' ? input.reading.evidence.snapshot.findings.length : 0
  if (first === undefined)
    return {
      isChanged,
      isAllowed: true,
      verdict: 'the gate allows the present files.',
      findings,
      required: 'nothing.',
    }
  if (!isChanged)
    return {
      isChanged,
      isAllowed: false,
      verdict: 'nothing is changed since the last commit.',
      findings: 0,
      required: 'run `warrant gate` after a change, and repair what it blocks before you commit.',
    }
  const isBlocked = first.code === 'EVIDENCE_GATE_BLOCKED'
  return {
    isChanged,
    isAllowed: false,
    verdict: isBlocked
      ? 'the gate blocks the present files.'
      : `the gate has not judged the present files. ${first.message}`,
    findings,
    required: isBlocked
      ? 'repair the findings that `warrant why` names, then run `warrant gate`.'
      : 'run `warrant gate` and repair what it blocks.',
  }
}
