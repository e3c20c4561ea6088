import type { GateStage } from '../../evidence/stage.ts'
import { digestBytes, digestJson } from '../../kernel/encoding/hash.ts'
import type { Clock, LocalConfig, RepositoryFiles } from '../../kernel/ports.ts'
import type { FolderNames, OpenSpecProgram } from '../ports.ts'
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

type ChangeFiles = Pick<RepositoryFiles, 'read'> & FolderNames

/** The files of a change, by digest. */
interface ChangeDigest {
  readonly uri: string
  readonly digest: string
}

const MAX_FILES = 500
const MAX_DEPTH = 8
const MAX_BYTES = 1_048_576

/** Digests of the files below a folder, by path. What cannot be read, or is beyond the limits, is listed without one. */
const digestFolder = async (
  files: ChangeFiles,
  folder: string,
  found: Map<string, string>,
  depth = 0,
): Promise<void> => {
  for (const name of await files.names(folder)) {
    const path = `${folder}/${name}`
    const isFolder = await files.names(path).then(
      () => depth < MAX_DEPTH,
      () => false,
    )
    if (isFolder) await digestFolder(files, path, found, depth + 1)
    else {
      const bytes =
        found.size < MAX_FILES ? await files.read(path, MAX_BYTES).catch(() => undefined) : undefined
      found.set(path, bytes === undefined ? '' : digestBytes(bytes))
    }
  }
}

/** The files of an OpenSpec change in the working tree, as an input of a verdict. */
const digestChange = async (files: ChangeFiles, id: string): Promise<ChangeDigest> => {
  const folder = `openspec/changes/${id}`
  const found = new Map<string, string>()
  await digestFolder(files, folder, found)
  return { uri: folder, digest: digestJson(Object.fromEntries(found)) }
}

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
  const status = await readSdd(ports, ports.config.read('warrant.', signal), { start: true, signal })
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
