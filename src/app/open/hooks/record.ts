import type { HookDecision } from '../../../hooks/ports.ts'
import type { AgentEvent } from '../../../hooks/read-event.ts'
import type { JsonObject } from '../../../kernel/encoding/json.ts'
import { recordCall } from '../../../kernel/record-call.ts'
import type { AuditedTool } from '../../../kernel/tool.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import type { Config } from '../../config/settings.ts'

type Refusal = Extract<HookDecision, { kind: 'deny' | 'ask' }>

const HOOK_TOOL: AuditedTool = {
  name: 'agent_hook',
  effect: 'read',
  auditFields: (fields: JsonObject) => fields,
}

/** Records a refusal: who asked for what, and why it was refused; never commands or contents. */
export const recordHookDecision = async (
  config: Config,
  root: string,
  { client, name, tool }: AgentEvent,
  { kind, rule, rules }: Refusal,
): Promise<void> => {
  if (config.readOnly || config.store === 'memory') return
  const value = {
    client,
    event: name,
    tool: tool?.name ?? null,
    decision: kind,
    reason: rule,
    rules: [...(rules ?? [])],
  }
  const { openDecisions } = await import('../decisions.ts')
  const recorder = openDecisions(config, root, systemClock, () => {})
  const ports = { clock: systemClock, log: { write: () => {} }, recorder }
  await recordCall(ports, HOOK_TOOL, { kind: 'answer', value }, { started: systemClock.elapsed() })
  await recorder.close()
}
