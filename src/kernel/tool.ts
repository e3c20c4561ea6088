import * as z from 'zod'
import type { JsonObject } from './encoding/json.ts'
import type { Attachment, Log } from './ports.ts'
import type { TextAnswer } from './text-answer.ts'

/** `write` tools change state, `read` tools do not. */
export type Effect = 'read' | 'write'

/** What a tool gets beside its arguments. */
export interface CallContext {
  /** Aborted when the client cancels or disconnects, or when the deadline passes. */
  readonly signal: AbortSignal
  /** Reports progress to the client. Does nothing when the client did not ask for it. */
  progress(done: number, total?: number, message?: string): void
  readonly log: Log
  /** Adds an object to the record of this call. The tool's `amend` gets it when the record is durable. */
  attach(attachment: Attachment): void
}

/** A content block of an MCP tool result. */
export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: ResourceText | ResourceBlob }

interface ResourceText {
  readonly uri: string
  readonly mimeType: string
  readonly text: string
}

interface ResourceBlob {
  readonly uri: string
  readonly mimeType: string
  readonly blob: string
}

/** The part of a tool that the audit log needs. */
export interface AuditedTool {
  readonly name: string
  /** The name in records and metrics. Default: `name`. */
  readonly recordedName?: string
  readonly effect: Effect
  /** The facts of a decision that the audit log keeps, without its contents. Only tools that decide have it. */
  auditFields?(answer: unknown): JsonObject | undefined
  /** What it writes is an entry of another lineage, so the audit log need not have it. */
  readonly ownLineage?: true
}

interface Renderer {
  render(answer: unknown): readonly Content[]
}

/** `selected`: when its toolset is named. `named`: when the tool itself is. */
export type ToolListing = 'selected' | 'named'

/** A tool with its types folded away, as the surfaces and `invoke` see it: they pass on what its schemas accepted. */
export interface Tool extends AuditedTool {
  readonly title: string
  readonly description: string
  readonly idempotent: boolean
  readonly destructive: boolean
  readonly openWorld: boolean
  readonly input: z.ZodObject
  readonly output: z.ZodType
  run(args: object, call: CallContext): unknown
  /** Removes secrets from an answer before it is checked, logged or sent. */
  redact?(answer: unknown): unknown
  /** Adds what was attached to the record of the call to its answer. */
  amend?(answer: unknown, attached: JsonObject): unknown
  /** Shortens an answer to about `bytes` and says what was cut. Without it, a too long answer is a fault. */
  truncate?(answer: unknown, bytes: number): unknown
  /** Additional members of the tool's entry in `tools/list`, for clients of compatibility servers. */
  readonly listingMeta?: JsonObject
  /** Further names that a call may use. They are not listed. */
  readonly aliases?: readonly string[]
  /** When the tool is listed. Default: always. It can be called in any case. */
  readonly listing?: ToolListing
  /** Arguments that are accepted and not listed, because few callers need them. */
  readonly unlistedArguments?: readonly string[]
  /** Offered while the gate blocks, although it writes. */
  readonly whileBlocked?: true
  /** Writes the content blocks. Without it: one text block of compact JSON, or indented by two spaces. */
  readonly render?: 'indented' | Renderer['render']
  /** What a reader of the answer has to know, as a further text block; undefined when there is nothing. */
  warning?(): string | undefined
}

/** A tool without an output schema answers with text, or with the blocks of `render`. */
type AnswerOf<O extends z.ZodType> = O extends typeof NoOutput ? undefined | TextAnswer : z.input<O>

interface ToolDefinition<I extends z.ZodObject, O extends z.ZodType> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly effect: Effect
  readonly input: I
  readonly output: O
  readonly run: (args: z.output<I>, call: CallContext) => AnswerOf<O> | Promise<AnswerOf<O>>
  readonly truncate?: (answer: z.output<O>, bytes: number) => z.output<O>
  readonly listingMeta?: JsonObject
  readonly render?: 'indented' | ((answer: z.output<O>) => readonly Content[])
  readonly auditFields?: (answer: z.output<O>) => JsonObject
  readonly ownLineage?: true
  readonly whileBlocked?: true
  readonly amend?: (answer: z.output<O>, attached: JsonObject) => AnswerOf<O>
  /** Calling it twice has the same effect as calling it once. Default: true for reads. */
  readonly idempotent?: boolean
  /** May destroy data. Only writes can. */
  readonly destructive?: boolean
  /** Accesses the network. */
  readonly openWorld?: boolean
}

// The names that every model API accepts; clients add a prefix, hence 50 and not 64.
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,49}$/

export const defineTool = <I extends z.ZodObject, O extends z.ZodType>(def: ToolDefinition<I, O>): Tool => {
  if (!NAME.test(def.name)) throw new TypeError(`not a tool name: ${def.name}`)
  return {
    ...def,
    idempotent: def.idempotent ?? def.effect === 'read',
    destructive: def.effect === 'write' && (def.destructive ?? false),
    openWorld: def.openWorld ?? false,
  }
}

const changeArguments = (
  input: z.ZodObject,
  names: readonly string[],
  change: (argument: z.ZodType, name: string) => z.ZodType,
): z.ZodObject => {
  const changed = names.map((name) => {
    const argument = input.shape[name]
    if (!(argument instanceof z.ZodType)) throw new TypeError(`there is no argument ${name}`)
    return [name, change(argument, name)]
  })
  return changed.length === 0 ? input : input.extend(Object.fromEntries(changed))
}

/** The same input with other descriptions of some arguments. */
export const describeArguments = (input: z.ZodObject, hints: Readonly<Record<string, string>>): z.ZodObject =>
  changeArguments(input, Object.keys(hints), (argument, name) => argument.describe(hints[name] ?? ''))

/** The same input with any value for arguments that the tool does not use. */
export const ignoreArguments = (input: z.ZodObject, names: readonly string[]): z.ZodObject =>
  changeArguments(input, names, () => z.unknown().optional())

/** The same input with whole numbers for some arguments, if it has them. What they took before is still accepted. */
export const numberArguments = (input: z.ZodObject, names: readonly string[]): z.ZodObject =>
  changeArguments(
    input,
    names.filter((name) => name in input.shape),
    (argument) => z.preprocess((value) => argument.safeParse(value).data ?? value, z.int().nonnegative()),
  )

/** The input of tools without arguments. */
export const NoInput = z.strictObject({})

/** The output of tools that answer with text or other content blocks alone. */
export const NoOutput = z.undefined()
