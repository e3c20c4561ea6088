import type { JsonObject } from './encoding/json.ts'
import { optional } from './optional.ts'

/** The kinds of failure that a caller can act on. Anything else thrown is a bug. */
export const FAULT_KINDS = {
  invalid: 'The request itself is wrong; the same request will fail again.',
  refused: 'Understood, and not allowed here.',
  missing: 'What was named does not exist.',
  conflict: 'It clashes with the present state, or with another writer.',
  exhausted: 'A limit was reached: size, time, energy, count.',
  corrupt: 'Stored bytes are not what they must be.',
  unavailable: 'Something we need is not answering; trying again may help.',
} as const

export type FaultKind = keyof typeof FAULT_KINDS

interface FaultOptions {
  /** The underlying error. Goes to the log, never to the caller. */
  readonly cause?: unknown
  /** Facts for programs: a limit, an index, a part of the caller's input. */
  readonly detail?: JsonObject
  /** Replaces the table's `fix` where the code knows a better one. */
  readonly fix?: string
}

export class Fault extends Error {
  override readonly name = 'Fault'
  readonly kind: FaultKind
  readonly code: string
  readonly fix: string
  readonly detail: JsonObject | undefined

  constructor(spec: FaultSpec & { readonly code: string }, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = spec.kind
    this.code = spec.code
    this.fix = options.fix ?? spec.fix
    this.detail = options.detail
  }
}

interface FaultSpec {
  readonly kind: FaultKind
  /** One sentence: what the caller can do. */
  readonly fix: string
}

export interface FaultMaker extends FaultSpec {
  (message: string, options?: FaultOptions): Fault
  readonly code: string
}

/** The faults of a module: `roomFaults.name(message)` creates one with the code `room.name`. */
export const defineFaults = <const T extends Record<string, FaultSpec>>(
  room: string,
  table: T,
): { readonly [K in keyof T]: FaultMaker } => {
  const maker = ([name, spec]: [string, FaultSpec]) => {
    const whole = { code: `${room}.${name}`, kind: spec.kind, fix: spec.fix }
    return [
      name,
      Object.assign((message: string, options?: FaultOptions) => new Fault(whole, message, options), whole),
    ]
  }
  return Object.fromEntries(Object.entries(table).map(maker))
}

/** The part of a fault that callers see: no cause, no stack. */
export interface FaultView {
  readonly kind: FaultKind
  readonly code: string
  readonly message: string
  readonly fix: string
  readonly detail?: JsonObject
}

export const viewFault = ({ kind, code, message, fix, detail }: Fault): FaultView => ({
  kind,
  code,
  message,
  fix,
  ...optional({ detail }),
})

/** The code of an error of Node.js or of the operating system, such as `ENOENT`. Faults have codes of another form. */
export const errorCode = (thrown: unknown): string | undefined => {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' && /^E[A-Z0-9_]+$/.test(code) ? code : undefined
}
