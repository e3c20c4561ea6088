import type { EnterpriseService } from '../../gate/enterprise/toolset.ts'
import type { GateVerdict } from '../../gate/judge.ts'
import { checkAuditFields } from '../../gate/tools.ts'
import type { Clock, Log, Recorder } from '../../kernel/ports.ts'

interface RecordingPorts {
  readonly recorder: Recorder
  readonly clock: Clock
  readonly log: Log
}

/** Both hear of every call; whether it is durable is the second's to say. */
export const forwardRecords = (observer: Recorder | undefined, graphStore: Recorder): Recorder =>
  observer === undefined
    ? graphStore
    : {
        record(call) {
          void observer.record(call)
          return graphStore.record(call)
        },
      }

type Told = Omit<GateVerdict, 'allowed'>
const isVerdict = (result: object): result is Told => 'violations' in result

/** The tools as plain HTTP reaches them: what was decided is written down there as well. */
export const withAuditLog = (
  service: EnterpriseService,
  { recorder, clock, log }: RecordingPorts,
): EnterpriseService => ({
  ...service,
  run: async (tool, stage, signal) => {
    const began = clock.elapsed()
    const envelope = await service.run(tool, stage, signal)
    const { result, success } = envelope
    const verdict = isVerdict(result) ? { verdict: checkAuditFields({ ...result, allowed: success }) } : {}
    const ms = clock.elapsed() - began
    try {
      await recorder.record({ tool, effect: 'read', outcome: 'answer', ms, ...verdict })
    } catch (cause) {
      log.write('error', `no record of ${tool}`, { cause: String(cause) })
    }
    return envelope
  },
})
