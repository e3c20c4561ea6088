import type { Recorder } from '../../kernel/ports.ts'

/** Forwards each record to both. The returned promise is the second's, which is the durable one. */
export const forwardRecords = (observer: Recorder | undefined, decisions: Recorder): Recorder =>
  observer === undefined
    ? decisions
    : {
        record(call) {
          void observer.record(call)
          return decisions.record(call)
        },
      }
