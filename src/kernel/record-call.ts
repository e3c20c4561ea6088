import { callFaults } from './call-faults.ts'
import { canonicalJson } from './encoding/canonical.ts'
import { digestBytes } from './encoding/hash.ts'
import type { JsonObject } from './encoding/json.ts'
import { Fault } from './fault.ts'
import type { Outcome } from './invoke.ts'
import { optional } from './optional.ts'
import type { Attachment, CallRecord, Clock, Log, Recorder } from './ports.ts'
import type { AuditedTool } from './tool.ts'
import type { ToolAnswer } from './tool-io.ts'

export interface RecordPorts {
  readonly clock: Clock
  readonly log: Log
  readonly recorder: Recorder
}

export const isPromise = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value

type RecordedOutcome = Pick<ToolAnswer, 'kind' | 'value'> | Exclude<Outcome, ToolAnswer>

/** What a surface knows of a call beside its outcome. */
interface CallFacts {
  readonly started: number
  /** Result of `digestArguments`. */
  readonly args?: string | undefined
  readonly attachment?: Attachment | undefined
}

/** Whether the calls of a tool have to be on record: it changes something, or it decides. */
export const needsRecord = ({ effect, auditFields, ownLineage }: AuditedTool): boolean =>
  (effect === 'write' && ownLineage === undefined) || auditFields !== undefined

/** Whether a call has to be on record. A call that did not begin has no digest of its arguments. */
export const isAudited = ({ effect, verdict, args }: CallRecord): boolean =>
  verdict !== undefined || (effect === 'write' && args !== undefined)

/** Arguments are recorded as a digest, which shows what they were to those who know them. */
export const digestArguments = (args: unknown): string => {
  try {
    return digestBytes(canonicalJson(args ?? {}))
  } catch {
    // A string with a lone surrogate has no canonical form.
    return digestBytes(JSON.stringify(args))
  }
}

const callRecord = (
  tool: AuditedTool,
  outcome: RecordedOutcome,
  facts: CallFacts,
  ms: number,
): CallRecord => {
  const { name, recordedName = name, effect, auditFields } = tool
  const { kind } = outcome
  const { args, attachment } = facts
  // The most frequent case without object spreads, which cost time even when they add nothing.
  if (kind === 'answer' && auditFields === undefined && args === undefined)
    return { tool: recordedName, effect, outcome: kind, ms }
  const verdict = kind === 'answer' ? auditFields?.(outcome.value) : undefined
  return {
    tool: recordedName,
    effect,
    outcome: kind,
    ...(kind === 'fault' && { code: outcome.fault.code, kind: outcome.fault.kind }),
    ...optional({ verdict, args }),
    ...(kind === 'answer' && attachment),
    ms,
  }
}

const unrecordedFault = ({ name, auditFields }: AuditedTool, cause: unknown): Fault => {
  const why = cause instanceof Error ? cause.message : String(cause)
  return callFaults.unrecorded(
    `the ${auditFields === undefined ? 'effect' : 'decision'} of ${name} was not recorded: ${why}`,
    {
      cause,
      ...(cause instanceof Fault && { fix: cause.fix }),
    },
  )
}

/** Whether a call is on record. */
interface Recorded {
  /** Why it is not; the log says so as well. */
  readonly fault?: Fault
  readonly attached?: JsonObject
}

/**
 * Records how a call ended. Undefined when nothing has to be waited for.
 * `invoke` does this for every call; surfaces with an answer format of their own (plain HTTP, command line) call it
 * directly.
 */
export const recordCall = (
  { clock, log, recorder }: RecordPorts,
  tool: AuditedTool,
  outcome: RecordedOutcome,
  facts: CallFacts,
): undefined | Promise<Recorded> => {
  const written = recorder.record(callRecord(tool, outcome, facts, clock.elapsed() - facts.started))
  if (!isPromise(written)) return undefined
  return written.then(
    (attached) => (attached === undefined ? {} : { attached }),
    (cause: unknown) => {
      log.write('error', `${tool.name} was not recorded`, {
        cause: cause instanceof Error ? cause.message : String(cause),
      })
      return { fault: unrecordedFault(tool, cause) }
    },
  )
}
