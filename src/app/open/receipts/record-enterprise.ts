import { envelopeAuditFields } from '../../../gate/audit-fields.ts'
import type { EnterpriseService } from '../../../gate/enterprise/toolset.ts'
import type { Attachment } from '../../../kernel/ports.ts'
import { digestArguments, type RecordPorts, recordCall } from '../../../kernel/record-call.ts'

/**
 * The enterprise service with its verdicts on record, each with its receipt. Plain HTTP calls it directly, with an answer
 * format of its own, so that `invoke` does not record them. `failed` gets the fault of a verdict that is not on record.
 */
export const recordEnterprise = (
  service: EnterpriseService,
  ports: RecordPorts,
  failed: (fault: Error) => void,
): EnterpriseService => ({
  ...service,
  run: async (name, stage, signal) => {
    const started = ports.clock.elapsed()
    let attachment: Attachment | undefined
    const value = await service.run(name, stage, signal, (one) => {
      attachment = one
    })
    const tool = { name, effect: 'read', auditFields: envelopeAuditFields } as const
    const facts = { started, args: digestArguments({ stage }), attachment }
    const recorded = await recordCall(ports, tool, { kind: 'answer', value }, facts)
    if (recorded?.fault !== undefined) failed(recorded.fault)
    return value
  },
})
