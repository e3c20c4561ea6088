import * as z from 'zod'
import type { ContentAnswer } from './content-answer.ts'
import type { JsonObject } from './encoding/json.ts'
import type { Log } from './ports.ts'

/** `read` leaves the world as it was; `write` does not. */
export type Effect = 'read' | 'write'

/** What a running call may use beside its arguments. */
export interface CallContext {
  /** Fires when the client cancels, hangs up, or the deadline passes. */
  readonly signal: AbortSignal
  /** Tells the client how far the work is. Does nothing when it did not ask. */
  progress(done: number, total?: number, message?: string): void
  readonly log: Log
}

/** A block of a tool's answer as MCP carries it. */
export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: ResourceText | ResourceBlob }

export interface ResourceText {
  readonly uri: string
  readonly mimeType: string
  readonly text: string
}

export interface ResourceBlob {
  readonly uri: string
  readonly mimeType: string
  readonly blob: string
}

type AnswerOrContent<T> = T | ContentAnswer<T>

/** A tool with its types folded away, as the surfaces and `invoke` see it. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly effect: Effect
  readonly idempotent: boolean
  readonly destructive: boolean
  readonly openTestPackets: boolean
  readonly input: z.ZodObject
  readonly output: z.ZodType
  readonly run: (args: never, call: CallContext) => unknown
  /** Takes out of an answer what must never leave, before anybody looks at it. */
  readonly redact?: (answer: never) => unknown
  /** Shortens an answer to about `bytes`, saying what was cut. Without it, too long is a fault. */
  readonly truncate?: (answer: never, bytes: number) => unknown
  /** What listings say of it beyond the protocol, for clients that know to look. */
  readonly listingMeta?: JsonObject
  /** The answer as content blocks. Without it: one text block of compact JSON; or the same, indented by two. */
  readonly render?: 'indented' | ((answer: never) => readonly Content[])
  /** What the audit trail keeps of a decision: the facts of it, never the contents. Only deciding tools have one. */
  readonly auditFields?: (answer: never) => JsonObject
}

interface ToolDefinition<I extends z.ZodObject, O extends z.ZodType> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly effect: Effect
  readonly input: I
  readonly output: O
  readonly run: (
    args: z.output<I>,
    call: CallContext,
  ) => AnswerOrContent<z.input<O>> | Promise<AnswerOrContent<z.input<O>>>
  readonly truncate?: (answer: z.output<O>, bytes: number) => z.output<O>
  readonly listingMeta?: JsonObject
  readonly render?: 'indented' | ((answer: z.output<O>) => readonly Content[])
  readonly auditFields?: (answer: z.output<O>) => JsonObject
  /** Calling twice does no more than calling once. Reads always are. */
  readonly idempotent?: boolean
  /** May lose something. Only a write can. */
  readonly destructive?: boolean
  /** Reaches past this machine. */
  readonly openTestPackets?: boolean
}

// What every model API takes; clients put their own prefix before it, hence 50 and not 64.
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,49}$/

export const defineTool = <I extends z.ZodObject, O extends z.ZodType>(def: ToolDefinition<I, O>): Tool => {
  if (!NAME.test(def.name)) throw new TypeError(`not a tool name: ${def.name}`)
  return {
    ...def,
    idempotent: def.idempotent ?? def.effect === 'read',
    destructive: def.effect === 'write' && (def.destructive ?? false),
    openTestPackets: def.openTestPackets ?? false,
  }
}

/** An input for tools that take nothing. */
export const NoInput = z.strictObject({})

/** An output for tools whose answer is its content blocks alone. */
export const NoOutput = z.undefined()
