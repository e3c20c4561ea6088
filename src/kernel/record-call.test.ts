import { describe, expect, it } from 'vitest'
import type { JsonObject } from './encoding/json.ts'
import { ManualClock } from './manual-clock.fake.ts'
import type { CallRecord, Recorder } from './ports.ts'
import { recordCall } from './record-call.ts'

describe('recordCall', () => {
  const ports = (recorder: Recorder) => {
    const clock = new ManualClock()
    const lines: string[] = []
    return {
      clock,
      lines,
      recorder,
      log: { write: (_: string, message: string) => void lines.push(message) },
    }
  }
  const decide = (verdict: object | undefined) =>
    ({ name: 'decide', effect: 'write', auditFields: () => verdict as JsonObject | undefined }) as const
  const answer = { kind: 'answer', value: {} } as const

  it('records a call that did not go through invoke, with its duration and verdict', () => {
    const records: CallRecord[] = []
    const { clock, ...rest } = ports({ record: (record) => void records.push(record) })
    const started = clock.elapsed()
    clock.move(7)
    expect(recordCall({ clock, ...rest }, decide({ status: 'BLOCKED' }), answer, { started })).toBe(undefined)
    expect(recordCall({ clock, ...rest }, decide(undefined), answer, { started })).toBe(undefined)
    const record = { tool: 'decide', effect: 'write', outcome: 'answer', ms: 7 }
    expect(records).toEqual([{ ...record, verdict: { status: 'BLOCKED' } }, record])
  })

  it('resolves to a fault and logs when the record could not be written', async () => {
    const failing = ports({ record: () => Promise.reject(new Error('disk full')) })
    expect(await recordCall(failing, decide({}), answer, { started: 0 })).toMatchObject({
      fault: {
        code: 'call.unrecorded',
        message: 'the decision of decide was not recorded: disk full',
      },
    })
    expect(failing.lines).toEqual(['decide was not recorded'])
  })
})
