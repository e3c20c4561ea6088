import type * as z from 'zod'
import type { Call } from './call.ts'
import { Deadlines } from './deadlines.ts'
import { defineFaults, Fault } from './fault.ts'
import type { Limits } from './limits.ts'
import type { CallRecord, Clock, Log, LogLevel, Recorder } from './ports.ts'
import { Told } from './told.ts'
import type { Content, Tool } from './tool.ts'

export const callFaults = defineFaults('call', {
  arguments: { kind: 'invalid', fix: 'Send arguments that fit the input schema in tools/list.' },
  read_only: { kind: 'refused', fix: 'Restart the server without --read-only to allow tools that write.' },
  deadline: { kind: 'exhausted', fix: 'Ask for less at once, or raise limits.callMs.' },
  answer_bytes: { kind: 'exhausted', fix: 'Narrow the request, or raise limits.answerBytes.' },
  unrecorded: {
    kind: 'unavailable',
    fix: 'Look at the state folder: the effect happened, its record did not.',
  },
})

export interface Answer {
  readonly kind: 'answer'
  /** What the tool's output schema describes; undefined when the content blocks are all there is. */
  readonly value: unknown
  /** The compact JSON of `value`. */
  readonly json: string | undefined
  /** Undefined for the common case: one text block that holds `json`. */
  readonly content: readonly Content[] | undefined
}

/** How a call ended. A bug carries nothing: what went wrong is in the log. */
export type Outcome =
  | Answer
  | { readonly kind: 'fault'; readonly fault: Fault }
  | { readonly kind: 'bug' }
  | { readonly kind: 'cancelled' }

/** Refuses a call by throwing a fault. */
export type Guard = (tool: Tool) => void

export interface InvokePorts {
  readonly clock: Clock
  readonly log: Log
  readonly recorder: Recorder
  readonly limits: Pick<Limits, 'callMs' | 'answerBytes'>
  readonly guards: readonly Guard[]
  /** How loudly the log speaks of bad arguments. */
  readonly blame?: LogLevel
}

/** Synchronous when the tool is: the hot path pays for no promise it does not need. */
export type Invoke = (tool: Tool, args: unknown, call: Call) => Outcome | Promise<Outcome>

const MAX_ISSUES = 8

/** Whether an argument is not there, of the wrong type, or has a value that will not do. */
const reasonOf = (issue: z.core.$ZodIssue | undefined, args: unknown): string => {
  if (issue?.code !== 'invalid_type') return 'invalid_params'
  let value = args
  for (const key of issue.path) value = (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key]
  return value === undefined ? 'missing_param' : 'invalid_type'
}

/** Arguments that no tool asked for change nothing, but whoever wonders why should find them in the log. */
const noteStrangers = (tool: Tool, args: unknown, { log }: Call): void => {
  if (typeof args !== 'object' || args === null || !('shape' in tool.input)) return
  const { shape } = tool.input as { readonly shape: object }
  for (const name in args) {
    if (!Object.hasOwn(shape, name)) log.write('debug', 'argument ignored', { argument: name.slice(0, 128) })
  }
}

const parseArguments = (tool: Tool, args: unknown, call: Call, blame: LogLevel): never => {
  const parsed = tool.input.safeParse(args)
  if (parsed.success) {
    noteStrangers(tool, args, call)
    return parsed.data as never
  }
  const issues = parsed.error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    path: path.map(String).join('.').slice(0, 128),
    message: message.slice(0, 256),
  }))
  const words = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  call.log.write(blame, 'bad arguments', { issues: words.join('; ') })
  throw callFaults.arguments(`${tool.name}: ${words.join('; ')}`, {
    detail: { reason: reasonOf(parsed.error.issues[0], args), issues },
  })
}

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value

const tooLong = (json: string, limit: number): boolean =>
  json.length > limit || (json.length * 3 > limit && Buffer.byteLength(json) > limit)

const textBytes = (content: readonly Content[]): number =>
  content.reduce((sum, block) => sum + (block.type === 'text' ? Buffer.byteLength(block.text) : 0), 0)

const refuseLength = (tool: Tool, bytes: number, limit: number): never => {
  throw callFaults.answer_bytes(`${tool.name}: the answer is ${bytes} bytes, the limit is ${limit}`, {
    detail: { bytes, limit },
  })
}

/** An answer that brings its own content: the value says the rest. */
const acceptTold = (tool: Tool, { value: raw, content }: Told<unknown>, limit: number): Outcome => {
  const value = tool.output.parse(raw)
  const json = JSON.stringify(value)
  const bytes = Buffer.byteLength(json) + textBytes(content)
  if (bytes > limit) refuseLength(tool, bytes, limit)
  return { kind: 'answer', value, json, content }
}

/** What the tool returned, checked against its own promise and cut to size. */
const acceptAnswer = (tool: Tool, raw: unknown, limit: number): Outcome => {
  if (raw instanceof Told) return acceptTold(tool, raw, limit)
  let value: unknown = tool.output.parse(raw)
  let json = JSON.stringify(value)
  if (json !== undefined && tooLong(json, limit)) {
    if (tool.fit !== undefined) {
      value = tool.fit(value as never, limit)
      json = JSON.stringify(value)
    }
    if (tooLong(json, limit)) refuseLength(tool, Buffer.byteLength(json), limit)
  }
  return { kind: 'answer', value, json, content: tool.render?.(value as never) }
}

/** What the log should have of something thrown, which may be anything. */
export const stackOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)

const recordOf = (tool: Tool, outcome: Outcome, ms: number): CallRecord => {
  const { name, effect, verdict } = tool
  const { kind } = outcome
  // Written out for what happens most: spreading nothing costs too.
  if (kind === 'answer' && verdict === undefined) return { tool: name, effect, outcome: kind, ms }
  return {
    tool: name,
    effect,
    outcome: kind,
    ...(kind === 'fault' && { code: outcome.fault.code, kind: outcome.fault.kind }),
    ...(kind === 'answer' && verdict !== undefined && { verdict: verdict(outcome.value as never) }),
    ms,
  }
}

/** The one funnel: parse → guards → deadline → run → check output → fit → record. */
export const createInvoke = ({
  clock,
  log,
  recorder,
  limits,
  guards,
  blame = 'debug',
}: InvokePorts): Invoke => {
  const deadlines = new Deadlines(clock, limits.callMs)

  const failed = (tool: Tool, thrown: unknown): Outcome => {
    if (thrown instanceof Fault) return { kind: 'fault', fault: thrown }
    log.write('error', `bug in ${tool.name}`, { stack: stackOf(thrown) })
    return { kind: 'bug' }
  }

  const settle = (tool: Tool, raw: unknown): Outcome => {
    try {
      return acceptAnswer(tool, raw, limits.answerBytes)
    } catch (thrown) {
      return failed(tool, thrown)
    }
  }

  const wait = (tool: Tool, running: Promise<unknown>, call: Call, started: number): Promise<Outcome> =>
    new Promise((resolve) => {
      const deadline = deadlines.set(started, () => {
        call.onCancel = undefined
        const fault = callFaults.deadline(`${tool.name} ran longer than ${limits.callMs} ms`)
        call.cancel(fault)
        resolve(finish(tool, { kind: 'fault', fault }, call, started))
      })
      const end = (outcome: Outcome) => {
        deadlines.meet(deadline)
        resolve(finish(tool, outcome, call, started))
      }
      call.onCancel = () => end({ kind: 'cancelled' })
      // What a tool says after it was told to stop interests nobody, its complaint least of all.
      running.then(
        (raw) => call.cancelled || end(settle(tool, raw)),
        (thrown) => call.cancelled || end(failed(tool, thrown)),
      )
    })

  const record = (tool: Tool, outcome: Outcome, started: number): Outcome | Promise<Outcome> => {
    const written = recorder.record(recordOf(tool, outcome, clock.elapsed() - started))
    if (!isPromise(written)) return outcome
    const unrecorded = (cause: unknown): Outcome => {
      log.write('error', `no record of ${tool.name}`, { cause: String(cause) })
      if (tool.effect === 'read' || outcome.kind !== 'answer') return outcome
      return { kind: 'fault', fault: callFaults.unrecorded(`${tool.name} could not be recorded`, { cause }) }
    }
    return written.then(() => outcome, unrecorded)
  }

  const finish = (tool: Tool, outcome: Outcome, call: Call, started: number) => {
    call.end()
    return record(tool, outcome, started)
  }

  return (tool, args, call) => {
    const started = clock.elapsed()
    try {
      const parsed = parseArguments(tool, args, call, blame)
      for (const guard of guards) guard(tool)
      // Cancelled before it began: the tool would wait for a signal that has already been given.
      if (call.cancelled) return finish(tool, { kind: 'cancelled' }, call, started)
      const raw = tool.run(parsed, call)
      return isPromise(raw) ? wait(tool, raw, call, started) : finish(tool, settle(tool, raw), call, started)
    } catch (thrown) {
      return finish(tool, failed(tool, thrown), call, started)
    }
  }
}

/** Belt and braces: a catalog built read-only does not even list the tools this refuses. */
export const readOnlyGuard: Guard = (tool) => {
  if (tool.effect === 'write') throw callFaults.read_only(`${tool.name} writes, and this server is read-only`)
}
