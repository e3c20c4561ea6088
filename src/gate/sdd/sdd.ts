import type { GateStage } from '../../evidence/stage.ts'
import type { Clock, LocalConfig, RepositoryFiles } from '../../kernel/ports.ts'
import type { FolderNames, OpenSpecProgram } from '../ports.ts'
import { type ChangeDigest, digestChange } from './change-digest.ts'
import { decideSdd, judgeValidation, type SddDecision } from './decision.ts'
import {
  findChange,
  type OpenSpecStatus,
  readOpenSpec,
  readValidation,
  type SddValidation,
  VALIDATE,
} from './openspec.ts'
import { readSession, type SessionState } from './session.ts'

export interface SddStatus {
  readonly repoRoot: string
  readonly openspec: OpenSpecStatus
  readonly session: SessionState
}

export interface SddEvaluation {
  readonly stage: GateStage
  readonly status: SddStatus
  readonly decision: SddDecision
  readonly validation?: SddValidation
}

/** A decision, and the change it rests on; empty where the repository follows no specification. */
export interface BoundDecision {
  readonly decision?: SddDecision
  /** Absent where no session is open, or its change does not exist. */
  readonly specification?: ChangeDigest
}

export interface SddPorts {
  readonly repoRoot: string
  readonly program: OpenSpecProgram
  readonly config: LocalConfig
  readonly files: RepositoryFiles & FolderNames
  readonly clock: Clock
  /** Whether the operator disabled the guard. */
  readonly bypass: boolean
}

export const readSdd = async (
  { repoRoot, program, files, clock }: SddPorts,
  reading: Promise<ReadonlyMap<string, string>>,
  options: { readonly start: boolean; readonly signal: AbortSignal },
): Promise<SddStatus> => {
  const [openspec, keys] = await Promise.all([readOpenSpec(program, files, options), reading])
  return { repoRoot, openspec, session: readSession(keys, repoRoot, clock.now()) }
}

/** Whether the specification allows this stage. Throws outside a repository. */
export const evaluateSdd = async (
  ports: SddPorts,
  stage: GateStage,
  signal: AbortSignal,
): Promise<SddEvaluation> => {
  const status = await readSdd(ports, ports.config.read('pumuki.', signal), { start: true, signal })
  const { openspec, session } = status
  const change = session.changeId === undefined ? 'missing' : await findChange(session.changeId, ports.files)
  const facts = { stage, bypass: ports.bypass, openspec, session, change, validation: undefined }
  const withoutValidator = decideSdd(facts)
  if (withoutValidator !== undefined) return { stage, status, decision: withoutValidator }
  const validation = readValidation(await ports.program.run(VALIDATE, signal), ports.repoRoot)
  const decision = decideSdd({ ...facts, validation }) ?? judgeValidation(validation)
  return { stage, status, decision, validation }
}

/** As `evaluateSdd`, with what a receipt says of the change of the open session. */
export const bindSdd = async (
  ports: SddPorts,
  stage: GateStage,
  signal: AbortSignal,
): Promise<BoundDecision> => {
  const { decision, status } = await evaluateSdd(ports, stage, signal)
  const { valid, changeId } = status.session
  if (!valid || changeId === undefined || (await findChange(changeId, ports.files)) !== 'open')
    return { decision }
  return { decision, specification: await digestChange(ports.files, changeId) }
}
