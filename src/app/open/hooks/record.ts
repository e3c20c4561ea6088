import { writeEventLine } from '../../../hooks/event-line.ts'
import type { HookDecision } from '../../../hooks/ports.ts'
import type { AgentEvent } from '../../../hooks/read-event.ts'
import { recordCall } from '../../../kernel/record-call.ts'
import type { AuditedTool } from '../../../kernel/tool.ts'
import type { DecisionRecorder } from '../../../lineage/decisions.ts'
import type { SealedPart } from '../../../platform/files/event-log.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import type { Config } from '../../config/settings.ts'
import { eventLog } from '../user-state.ts'

/** Records an event and what was decided about it. */
export const recordEvent = (
  config: Config,
  root: string,
  event: AgentEvent,
  decision: HookDecision,
): void => {
  if (config.readOnly) return
  const now = systemClock.now()
  eventLog(root, process.env).append(writeEventLine(event, decision, now), now)
}

/** The name under which the log of decisions has sealed events. */
export const SEALED_EVENTS = 'agent_events'

const SEAL: AuditedTool = {
  name: SEALED_EVENTS,
  effect: 'read',
  auditFields: ({ day, from, to, digest }: SealedPart) => ({ day, from, to, digest }),
}

/** Seals the events since the last time into the log of decisions: what was removed or edited since is found. */
export const sealEvents = async (root: string, recorder: DecisionRecorder): Promise<void> => {
  const ports = { clock: systemClock, log: { write: () => {} }, recorder }
  const seal = async (value: SealedPart) => {
    const recorded = await recordCall(
      ports,
      SEAL,
      { kind: 'answer', value },
      { started: systemClock.elapsed() },
    )
    return recorded?.fault === undefined
  }
  await eventLog(root, process.env).sealWith(seal, systemClock.now())
}
