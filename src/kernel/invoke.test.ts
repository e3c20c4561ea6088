import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Call, type ProgressUpdate } from './call.ts'
import type { JsonObject } from './encoding/json.ts'
import { defineFaults } from './fault.ts'
import { createInvoke, type InvokePorts, type Outcome, readOnlyGuard } from './invoke.ts'
import { ManualClock } from './manual-clock.fake.ts'
import type { CallRecord } from './ports.ts'
import { type CallContext, defineTool, type Tool } from './tool.ts'

const testFaults = defineFaults('test', { full: { kind: 'exhausted', fix: 'Empty it.' } })

const setUp = (over: Partial<InvokePorts> = {}) => {
  const clock = new ManualClock()
  const records: CallRecord[] = []
  const lines: string[] = []
  const log = {
    write: (_: string, message: string, fields?: object) => void lines.push(message + JSON.stringify(fields)),
  }
  const start = createInvoke({
    clock,
    log,
    recorder: { record: (record) => void records.push(record) },
    limits: { callMs: 100, answerBytes: 200 },
    guards: [],
    ...over,
  })
  /** The outcome of a synchronous call, else a promise of it. */
  const invoke = (tool: Tool, args: unknown, call: Call): Outcome | Promise<Outcome> => {
    const outcomes: Outcome[] = []
    let done: (outcome: Outcome) => void = (outcome) => outcomes.push(outcome)
    start(tool, args, call, (outcome) => done(outcome))
    const [ended] = outcomes
    return ended ?? new Promise((resolve) => (done = resolve))
  }
  const open = (report?: (progress: ProgressUpdate) => void) => new Call(clock, log, report)
  return { clock, records, lines, invoke, open }
}

const echo = (over: Partial<Parameters<typeof defineTool>[0]> = {}): Tool =>
  defineTool({
    name: 'echo',
    title: 'Echo',
    description: 'Gives back what it got.',
    effect: 'read',
    input: z.strictObject({ text: z.string().default('hi') }),
    output: z.strictObject({ text: z.string() }),
    run: (args) => args,
    ...over,
  } as Parameters<typeof defineTool>[0])

describe('invoke', () => {
  it('answers a synchronous tool synchronously, with defaults filled in', () => {
    const { invoke, open, clock } = setUp()
    expect(invoke(echo(), {}, open())).toMatchObject({
      kind: 'answer',
      value: { text: 'hi' },
      json: '{"text":"hi"}',
    })
    expect(clock.waiting).toBe(0)
  })

  it.each<[string, unknown]>([
    ['a wrong type', { text: 1 }],
    ['an unknown argument', { text: 'a', more: 1 }],
    ['an own __proto__', JSON.parse('{"__proto__":{"text":"x"}}')],
    ['no object', 'text'],
    ['null', null],
  ])('refuses %s before anything runs', (_, args) => {
    const { invoke, open } = setUp()
    let ran = false
    const tool = echo({
      run: () => {
        ran = true
        return { text: '' }
      },
    })
    expect(invoke(tool, args, open())).toMatchObject({
      kind: 'fault',
      fault: { code: 'call.arguments', kind: 'invalid' },
    })
    expect(ran).toBe(false)
  })

  it('names at most eight problems, each cut short', () => {
    const { invoke, open } = setUp()
    const args = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`.repeat(200), 1]))
    const outcome = invoke(echo(), args, open()) as Extract<Outcome, { kind: 'fault' }>
    expect(outcome.fault.message.length).toBeLessThan(2_000)
  })

  it('passes on a fault and hides a bug, whose stack goes to the log', async () => {
    const { invoke, open, lines, records } = setUp()
    const fail = (thrown: unknown) => echo({ run: () => Promise.reject(thrown) })
    expect(await invoke(fail(testFaults.full('it is full')), {}, open())).toMatchObject({
      kind: 'fault',
      fault: { code: 'test.full', fix: 'Empty it.' },
    })
    expect(await invoke(fail(new Error('secret detail')), {}, open())).toEqual({ kind: 'bug' })
    expect(lines.join()).toContain('secret detail')
    expect(records.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['fault', 'test.full'],
      ['bug', undefined],
    ])
  })

  it('takes an answer that breaks the output schema for a bug', () => {
    const { invoke, open } = setUp()
    expect(invoke(echo({ run: () => ({ text: 1 }) }), {}, open())).toEqual({ kind: 'bug' })
  })

  it('lets guards refuse', () => {
    const { invoke, open } = setUp({ guards: [readOnlyGuard] })
    expect(invoke(echo(), {}, open()).valueOf()).toMatchObject({ kind: 'answer' })
    expect(invoke(echo({ effect: 'write' }), {}, open())).toMatchObject({ fault: { code: 'call.read_only' } })
  })

  it('ends at the deadline, tells the tool, and lets no late answer through', async () => {
    const { invoke, open, clock, records } = setUp()
    let signal: AbortSignal | undefined
    let finish = (_: { text: string }) => {}
    const tool = echo({
      run: (_, call) => {
        signal = call.signal
        return new Promise((resolve) => {
          finish = resolve
        })
      },
    })
    const running = invoke(tool, {}, open())
    clock.move(100)
    expect(await running).toMatchObject({
      kind: 'fault',
      fault: { code: 'call.deadline', kind: 'exhausted' },
    })
    expect(signal?.aborted).toBe(true)
    finish({ text: 'late' })
    await Promise.resolve()
    expect(records).toHaveLength(1)
    expect(records[0]).toMatchObject({ outcome: 'fault', code: 'call.deadline', ms: 100 })
  })

  it('ends a cancelled call at once and leaves no timer behind', async () => {
    const { invoke, open, clock } = setUp()
    const call = open()
    const running = invoke(echo({ run: () => new Promise(() => {}) }), {}, call)
    expect(clock.waiting).toBe(1)
    call.cancel('no longer wanted')
    expect(await running).toEqual({ kind: 'cancelled' })
    expect(clock.waiting).toBe(0)
  })

  it('does not begin what was cancelled before it began', () => {
    const { invoke, open } = setUp()
    const call = open()
    call.cancel('too late')
    let ran = false
    const tool = echo({
      run: () => {
        ran = true
        return { text: '' }
      },
    })
    expect(invoke(tool, {}, call)).toEqual({ kind: 'cancelled' })
    expect(ran).toBe(false)
  })

  it('refuses an answer past the limit, measured in bytes and not in characters', () => {
    const { invoke, open } = setUp()
    const answer = (text: string) => invoke(echo({ run: () => ({ text }) }), {}, open())
    expect(answer('x'.repeat(189))).toMatchObject({ kind: 'answer' })
    expect(answer('x'.repeat(190))).toMatchObject({
      fault: { code: 'call.answer_bytes', detail: { bytes: 201 } },
    })
    expect(answer('é'.repeat(95))).toMatchObject({ fault: { code: 'call.answer_bytes' } })
  })

  it('lets a tool shorten its own answer', () => {
    const { invoke, open } = setUp()
    const tool = echo({ run: () => ({ text: 'x'.repeat(900) }), truncate: () => ({ text: 'cut' }) })
    expect(invoke(tool, {}, open())).toMatchObject({ kind: 'answer', value: { text: 'cut' } })
  })

  it('holds an answer back until it is recorded, and says so when a write or a verdict could not be', async () => {
    const { invoke, open } = setUp({ recorder: { record: () => Promise.reject(new Error('disk')) } })
    expect(await invoke(echo(), {}, open())).toMatchObject({ kind: 'answer' })
    for (const tool of [echo({ effect: 'write' }), echo({ auditFields: () => ({ status: 'ALLOWED' }) })])
      expect(await invoke(tool, {}, open())).toMatchObject({
        fault: { code: 'call.unrecorded', kind: 'unavailable' },
      })
  })

  it('records the digest of the arguments of a write, and nothing of those of a read', async () => {
    const records: CallRecord[] = []
    const { invoke, open } = setUp({ recorder: { record: (record) => void records.push(record) } })
    await invoke(echo({ effect: 'write' }), { text: 'a secret' }, open())
    await invoke(echo(), { text: 'a secret' }, open())
    await invoke(echo({ effect: 'write' }), { text: '\ud800' }, open())
    expect(records.map(({ args }) => args)).toEqual([
      `sha256:${createHash('sha256').update('{"text":"a secret"}').digest('hex')}`,
      undefined,
      expect.stringMatching(/^sha256:/),
    ])
    expect(JSON.stringify(records)).not.toContain('a secret')
  })

  it('gives a tool what was attached to the record of its call, and checks the amended answer', async () => {
    const record = async ({ attach, stored }: CallRecord) => {
      const attached = await attach?.({ origin: 'log', index: 7 })
      await stored?.()
      return attached
    }
    const { invoke, open } = setUp({ recorder: { record } })
    const stored: string[] = []
    const run = (_: unknown, call: CallContext) => {
      call.attach({
        attach: ({ origin, index }) => ({ at: `${origin}/${index}` }),
        stored: () => void stored.push('kept'),
      })
      return { text: 'done' }
    }
    const amend = ({ text }: { text: string }, { at }: JsonObject) => ({ text: `${text} at ${at}` })
    expect(await invoke(echo({ effect: 'write', run, amend } as never), {}, open())).toMatchObject({
      value: { text: 'done at log/7' },
      json: '{"text":"done at log/7"}',
    })
    expect(await invoke(echo({ effect: 'write', run } as never), {}, open())).toMatchObject({
      value: { text: 'done' },
    })
    expect(stored).toEqual(['kept', 'kept'])
    const wrong = () => ({ text: 7 }) as never
    expect(await invoke(echo({ effect: 'write', run, amend: wrong } as never), {}, open())).toEqual({
      kind: 'bug',
    })
  })

  it('reports progress that increases, at a bearable rate, and never after the end', async () => {
    const { invoke, open, clock } = setUp()
    const seen: number[] = []
    const call = open(({ done }) => seen.push(done))
    const tool = echo({
      run: async (_, { progress: report }) => {
        const progress = report.bind(call)
        progress(1, 10)
        progress(2, 10)
        clock.move(150 - 100)
        progress(3, 10)
        clock.move(60)
        progress(1, 10)
        progress(4, 10)
        progress(10, 10)
        return { text: 'done' }
      },
    })
    await invoke(tool, {}, call)
    call.progress(11, 12)
    expect(seen).toEqual([1, 4, 10])
  })
})
