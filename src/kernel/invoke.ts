import { type Deadline, DeadlineQueue } from './async/deadline-queue.ts'
import type { Call } from './call.ts'
import { callFaults } from './call-faults.ts'
import { Fault } from './fault.ts'
import type { Limits } from './limits.ts'
import { digestArguments, isPromise, needsRecord, type RecordPorts, recordCall } from './record-call.ts'
import type { Tool } from './tool.ts'
import { type ArgumentOptions, acceptAnswer, parseArguments, type ToolAnswer } from './tool-io.ts'

/** How a call ended. A bug carries no details: they are in the log. */
export type Outcome =
  | ToolAnswer
  | { readonly kind: 'fault'; readonly fault: Fault }
  | { readonly kind: 'bug' }
  | { readonly kind: 'cancelled' }

/** Throws a fault to refuse a call. */
type CallGuard = (tool: Tool) => void

export interface InvokePorts extends RecordPorts, ArgumentOptions {
  readonly limits: Pick<Limits, 'callMs' | 'answerBytes'>
  readonly guards: readonly CallGuard[]
}

type OnOutcome = (outcome: Outcome) => void

/**
 * Runs a tool and calls `done` once with the outcome: before it returns when the tool is synchronous, else later. A
 * callback because promises add 1.4 µs to each asynchronous call, which is 5 % of a small call over stdio.
 */
export type Invoke = (tool: Tool, args: unknown, call: Call, done: OnOutcome) => void

/** The stack of a thrown value, which need not be an Error. */
export const stackOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)

/** The path of every call: parse arguments → guards → deadline → run → check answer → shorten → record. */
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

  /** The outcome, or the promise of a tool that is still running. */
  #begin(tool: Tool, args: unknown, call: Call): Outcome | Promise<unknown> {
    try {
      const parsed = parseArguments(tool, args, call, this.ports)
      for (const guard of this.ports.guards) guard(tool)
      // Cancelled before it began: the tool would add its listener after the signal was aborted.
      if (call.cancelled) return { kind: 'cancelled' }
      if (needsRecord(tool)) call.args = digestArguments(args)
      const raw = tool.run(parsed, call)
      return isPromise(raw) ? raw : this.settle(tool, raw)
    } catch (thrown) {
      return this.failed(tool, thrown)
    }
  }

  failed(tool: Tool, thrown: unknown): Outcome {
    if (thrown instanceof Fault) {
      // Something may only seem to be missing.
      const warning = thrown.kind === 'missing' ? tool.warning?.() : undefined
      if (warning === undefined) return { kind: 'fault', fault: thrown }
      return { kind: 'fault', fault: new Fault(thrown, `${thrown.message}. ${warning}`) }
    }
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
    const { args, attachment } = call
    const recorded = recordCall(this.ports, tool, outcome, { started, args, attachment })
    if (recorded === undefined) return done(outcome)
    void recorded.then(({ fault, attached }) => {
      if (outcome.kind !== 'answer') return done(outcome)
      // A verdict that is not on record must not look like one that is.
      if (fault !== undefined && needsRecord(tool)) return done({ kind: 'fault', fault })
      if (attached === undefined || tool.amend === undefined) return done(outcome)
      done(this.settle(tool, tool.amend(outcome.value, attached)))
    })
  }
}

/**
 * A call whose tool returned a promise. One object instead of closures, because a busy server creates thousands a
 * second. Its fields are cleared at the end, so that the deadline queue does not keep the call in memory.
 */
class PendingCall implements Deadline {
  readonly at: number
  over = false
  readonly #invoker: Invoker
  readonly #tool: Tool
  readonly #started: number
  #call: Call | undefined
  #done: OnOutcome | undefined

  constructor(invoker: Invoker, tool: Tool, call: Call, started: number, done: OnOutcome) {
    this.at = started + invoker.ports.limits.callMs
    this.#invoker = invoker
    this.#tool = tool
    this.#started = started
    this.#call = call
    this.#done = done
    call.waiting = this
    invoker.deadlines.add(this)
  }

  wait(running: Promise<unknown>): void {
    // Results and rejections after a timeout or cancellation are ignored.
    running.then(
      (raw) => this.over || this.#end(this.#invoker.settle(this.#tool, raw)),
      (thrown) => this.over || this.#end(this.#invoker.failed(this.#tool, thrown)),
    )
  }

  expire(): void {
    const { callMs } = this.#invoker.ports.limits
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
    this.#invoker.deadlines.complete(this)
    if (call !== undefined && done !== undefined)
      this.#invoker.finish(this.#tool, outcome, call, this.#started, done)
  }
}

export const createInvoke = (ports: InvokePorts): Invoke => {
  const invoker = new Invoker(ports)
  return (tool, args, call, done) => invoker.invoke(tool, args, call, done)
}

/** A second check: a catalog built read-only does not list writing tools at all. */
export const readOnlyGuard: CallGuard = (tool) => {
  if (tool.effect === 'write') throw callFaults.read_only(`${tool.name} writes, and this server is read-only`)
}
