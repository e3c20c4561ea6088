import { type Deadline, DeadlineQueue } from './async/deadline-queue.ts'
import type { Call } from './call.ts'
import { Fault } from './fault.ts'
import type { Limits } from './limits.ts'
import type { LogLevel } from './ports.ts'
import { isPromise, type RecordPorts, recordCall } from './record-call.ts'
import type { Tool } from './tool.ts'
import { acceptAnswer, callFaults, parseArguments, type ToolAnswer } from './tool-io.ts'

/** How a call ended. A bug carries nothing: what went wrong is in the log. */
export type Outcome =
  | ToolAnswer
  | { readonly kind: 'fault'; readonly fault: Fault }
  | { readonly kind: 'bug' }
  | { readonly kind: 'cancelled' }

/** Refuses a call by throwing a fault. */
export type CallGuard = (tool: Tool) => void

export interface InvokePorts extends RecordPorts {
  readonly limits: Pick<Limits, 'callMs' | 'answerBytes'>
  readonly guards: readonly CallGuard[]
  /** How loudly the log speaks of bad arguments. */
  readonly badArgumentsLevel?: LogLevel
}

export type OnOutcome = (outcome: Outcome) => void

/**
 * Runs a tool and tells `done` how it ended, once; before it returns, when the tool does not wait for anything. A
 * callback and not a promise: a busy server would make thousands of them a second for nothing.
 */
export type Invoke = (tool: Tool, args: unknown, call: Call, done: OnOutcome) => void

/** What the log should have of something thrown, which may be anything. */
export const stackOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)

/** The one funnel: parse → guards → deadline → run → check output → fit → record. */
class Invoker {
  readonly ports: InvokePorts
  readonly deadlines: DeadlineQueue

  constructor(ports: InvokePorts) {
    this.ports = ports
    this.deadlines = new DeadlineQueue(ports.clock, ports.limits.callMs)
  }

  invoke(tool: Tool, args: unknown, call: Call, done: OnOutcome): void {
    const started = this.ports.clock.elapsed()
    const ended = this.#begin(tool, args, call)
    if (isPromise(ended)) new PendingCall(this, tool, call, started, done).wait(ended)
    else this.finish(tool, ended, call, started, done)
  }

  /** How it ended, or what it waits for. */
  #begin(tool: Tool, args: unknown, call: Call): Outcome | Promise<unknown> {
    try {
      const parsed = parseArguments(tool, args, call, this.ports.badArgumentsLevel ?? 'debug')
      for (const guard of this.ports.guards) guard(tool)
      // Cancelled before it began: the tool would wait for a signal that has already been given.
      if (call.cancelled) return { kind: 'cancelled' }
      const raw = tool.run(parsed, call)
      return isPromise(raw) ? raw : this.settle(tool, raw)
    } catch (thrown) {
      return this.failed(tool, thrown)
    }
  }

  failed(tool: Tool, thrown: unknown): Outcome {
    if (thrown instanceof Fault) return { kind: 'fault', fault: thrown }
    this.ports.log.write('error', `bug in ${tool.name}`, { stack: stackOf(thrown) })
    return { kind: 'bug' }
  }

  settle(tool: Tool, raw: unknown): Outcome {
    try {
      return acceptAnswer(tool, raw, this.ports.limits.answerBytes)
    } catch (thrown) {
      return this.failed(tool, thrown)
    }
  }

  finish(tool: Tool, outcome: Outcome, call: Call, started: number, done: OnOutcome): void {
    call.end()
    const recorded = recordCall(this.ports, tool, outcome, started)
    if (recorded === true) return done(outcome)
    void recorded.then((ok) => {
      if (ok || tool.effect === 'read' || outcome.kind !== 'answer') return done(outcome)
      done({ kind: 'fault', fault: callFaults.unrecorded(`${tool.name} could not be recorded`) })
    })
  }
}

/**
 * A call whose tool takes its time. One object and no closures for what may still happen to it: a busy server makes
 * thousands of them a second, and whoever knows one that is over must not hold all it was about.
 */
class PendingCall implements Deadline {
  readonly at: number
  over = false
  readonly #funnel: Invoker
  readonly #tool: Tool
  readonly #started: number
  #call: Call | undefined
  #done: OnOutcome | undefined

  constructor(funnel: Invoker, tool: Tool, call: Call, started: number, done: OnOutcome) {
    this.at = started + funnel.ports.limits.callMs
    this.#funnel = funnel
    this.#tool = tool
    this.#started = started
    this.#call = call
    this.#done = done
    call.waiting = this
    funnel.deadlines.add(this)
  }

  wait(running: Promise<unknown>): void {
    // What a tool says after it was told to stop interests nobody, its complaint least of all.
    running.then(
      (raw) => this.over || this.#end(this.#funnel.settle(this.#tool, raw)),
      (thrown) => this.over || this.#end(this.#funnel.failed(this.#tool, thrown)),
    )
  }

  expire(): void {
    const { callMs } = this.#funnel.ports.limits
    const fault = callFaults.deadline(`${this.#tool.name} ran longer than ${callMs} ms`)
    const call = this.#call
    if (call !== undefined) call.waiting = undefined
    call?.cancel(fault)
    this.#end({ kind: 'fault', fault })
  }

  cancelled(): void {
    this.#end({ kind: 'cancelled' })
  }

  #end(outcome: Outcome): void {
    const call = this.#call
    const done = this.#done
    this.#call = undefined
    this.#done = undefined
    this.#funnel.deadlines.complete(this)
    if (call !== undefined && done !== undefined)
      this.#funnel.finish(this.#tool, outcome, call, this.#started, done)
  }
}

export const createInvoke = (ports: InvokePorts): Invoke => {
  const funnel = new Invoker(ports)
  return (tool, args, call, done) => funnel.invoke(tool, args, call, done)
}

/** Belt and braces: a catalog built read-only does not even list the tools this refuses. */
export const readOnlyGuard: CallGuard = (tool) => {
  if (tool.effect === 'write') throw callFaults.read_only(`${tool.name} writes, and this server is read-only`)
}
